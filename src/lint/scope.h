#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expression.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::lint {

/// What the names of the rule language mean, over all known framework versions: fields of the
/// vocabulary (with type `any` where versions disagree), derived values, and the fixed groups hw,
/// stack, env, installed, raw.
class NameScope {
 public:
  NameScope();

  /// Adds a derived value; false when the name is taken by a field or another derived value.
  bool add_derived(std::string_view name, const expr::Type& type);

  std::optional<expr::Type> type_of(std::string_view name) const;
  std::vector<std::string_view> names() const;

  /// For the checker; refers to this object.
  expr::Scope scope() const;

 private:
  std::vector<recipe::Vocabulary> vocabularies_;
  std::map<std::string, expr::Type, std::less<>> types_;
};

}  // namespace epwise::lint
