#pragma once

#include "recipe/recipe.h"
#include "support/require.h"

namespace epwise::support {

inline bool is_inside(const text::Mark& mark) {
  return mark.nowhere() || (mark.begin <= mark.end && mark.end <= mark.file->bytes().size());
}

/// Every place lies in the text that it points into, every value can be shown, and a recipe that
/// can't be read says why.
inline void require_sound(const recipe::Recipe& recipe) {
  require(recipe.readable || !recipe.diagnostics.empty());
  require(is_inside(recipe.root));
  for (const auto& diagnostic : recipe.diagnostics) {
    require(is_inside(diagnostic.mark) && !diagnostic.rule.empty() && !diagnostic.message.empty());
    for (const auto& label : diagnostic.related) {
      require(is_inside(label.mark));
    }
  }
  for (const auto& [name, field] : recipe.fields) {
    require(is_inside(field.key) && is_inside(field.mark) && field.name == name);
    static_cast<void>(field.value.to_text());
  }
  for (const auto& [name, variable] : recipe.variables) {
    require(is_inside(variable.key) && is_inside(variable.mark));
  }
  for (const auto& [name, section] : recipe.sections) {
    require(is_inside(section));
  }
}

}  // namespace epwise::support
