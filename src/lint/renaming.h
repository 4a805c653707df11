#pragma once

#include <string>
#include <vector>

#include "base/text/diagnostic.h"
#include "lint/facts/facts.h"
#include "lint/finding.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::lint {

/// Fixes for a reader's diagnostic about a key: a misspelt key or flag gets the most similar name;
/// a section of a dump gets its class if only one is possible. Empty if several names are equally
/// similar, or the correct one is already there.
///   num_moe_expert: 8 → num_moe_experts: 8
/// Renaming is neutral for a key that stopped the launch; for one that was dropped, it changes the
/// run. The edits have `remove` set, since a key is removed, `mark` at that key, and the new key in
/// `value`.
std::vector<Fix> renamings(const text::Diagnostic& diagnostic, const facts::Facts& facts);

/// A key or flag that is similar to another one that the recipe does not set.
struct Misspelling {
  const text::Diagnostic* diagnostic;  // of the recipe
  std::string meant;                   // canonical: "model.num_moe_experts"; a section: "env_vars"
  std::string written;                 // "model.num_moe_expert", "--num-expert"
};

/// Everything that `renamings` corrects. The intended fields are at their defaults, which the user
/// did not choose.
std::vector<Misspelling> misspellings(const recipe::Recipe& recipe,
                                      const recipe::Vocabulary& vocabulary);

/// Whether a fix renames a key and keeps its value, rather than removing both.
inline bool is_renaming(const Fix::Edit& edit) {
  return edit.remove && !edit.value.empty();
}

}  // namespace epwise::lint
