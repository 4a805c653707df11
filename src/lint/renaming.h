#pragma once

#include <string>
#include <vector>

#include "lint/finding.h"
#include "model/facts.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"
#include "text/diagnostic.h"

namespace epwise::lint {

/// Repairs of what a reader reports about a key: a misspelt key or flag gets the name that it
/// nearly has, a section of a dump its class where no other one can stand there. Empty where
/// several names are as near, or the right one stands there already.
///   num_moe_expert: 8 → num_moe_experts: 8
/// A key that ended the launch is renamed as it was meant; one that was dropped changes what runs.
/// The edits have `remove` set, since a key goes, `mark` at that key, and the new key in `value`.
std::vector<Fix> renamings(const text::Diagnostic& diagnostic, const model::Facts& facts);

/// A key or flag that nearly is another one, which the recipe does not say.
struct Misspelling {
  const text::Diagnostic* diagnostic;  // of the recipe
  std::string meant;                   // canonical: "model.num_moe_experts"; a section: "env_vars"
  std::string written;                 // "model.num_moe_expert", "--num-expert"
};

/// All that `renamings` corrects. The fields that were meant stand at their defaults, which the
/// user did not choose.
std::vector<Misspelling> misspellings(const recipe::Recipe& recipe,
                                      const recipe::Vocabulary& vocabulary);

/// Whether a key gets another name and keeps what it holds, in place of going with it.
inline bool is_renaming(const Fix::Edit& edit) {
  return edit.remove && !edit.value.empty();
}

}  // namespace epwise::lint
