#include "repair/composition.h"

#include <algorithm>
#include <string>

#include "lint/renaming.h"
#include "repair/search.h"
#include "repair/workshop.h"

namespace epwise::repair {

namespace {

using lint::Fix;

/// Where the recipe as it is has what an edit changes.
text::Mark mark_of(const Fix::Edit& edit,
                   const recipe::Recipe& recipe,
                   const recipe::Vocabulary& vocabulary) {
  constexpr std::string_view kVariable = "env.";
  if (edit.name.starts_with(kVariable)) {
    const auto variable = recipe.variables.find(edit.name.substr(kVariable.size()));
    return variable == recipe.variables.end() ? text::Mark{} : variable->second.mark;
  }
  const auto* spec = vocabulary.find(edit.name);
  const auto* field = recipe.find(spec == nullptr ? std::string_view(edit.name) : spec->name);
  return field == nullptr ? text::Mark{} : lint::is_renaming(edit) ? field->key : field->mark;
}

void add(Fix& whole, const Fix& part) {
  if (whole.title.find(part.title) == std::string::npos) {
    whole.title += (whole.title.empty() ? "" : "; ") + part.title;
  }
  whole.tier = std::max(whole.tier, part.tier);
  for (const Fix::Edit& edit : part.edits) {
    if (std::ranges::find(whole.edits, edit.name, &Fix::Edit::name) == whole.edits.end()) {
      whole.edits.push_back(edit);
    }
  }
}

}  // namespace

std::optional<Fix> composed_fix(const Bench& bench,
                                const Trial& before,
                                const lint::Finding& finding,
                                lint::Tier highest,
                                int& trials) {
  constexpr Bounds kFew{3, 24};
  Workshop workshop(bench, before, highest, finding);
  const Found found = smallest_legal_set(workshop, kFew);
  trials += workshop.trials();
  if (!found.found || found.chosen.empty()) {
    return std::nullopt;
  }
  Fix whole{"", lint::Tier::neutral, {}};
  for (const int number : found.chosen) {
    add(whole, workshop.fix(number));
  }
  for (Fix::Edit& edit : whole.edits) {
    edit.mark = mark_of(edit, *before.recipe, bench.vocabulary_of(*before.recipe));
  }
  return whole;
}

}  // namespace epwise::repair
