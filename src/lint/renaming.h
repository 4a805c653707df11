#pragma once

#include <vector>

#include "lint/finding.h"
#include "model/facts.h"
#include "text/diagnostic.h"

namespace epwise::lint {

/// Repairs of what a reader reports about a key: a misspelt key or flag gets the name that it
/// nearly has, a section of a dump its class where no other one can stand there. Empty where
/// several names are as near, or the right one stands there already.
///   num_moe_expert: 8 → num_moe_experts: 8
/// A key that ended the launch is renamed as it was meant; one that was dropped changes what runs.
/// The edits have `remove` set, since a key goes, `mark` at that key, and the new key in `value`.
std::vector<Fix> renamings(const text::Diagnostic& diagnostic, const model::Facts& facts);

/// Whether a key gets another name and keeps what it holds, in place of going with it.
inline bool is_renaming(const Fix::Edit& edit) {
  return edit.remove && !edit.value.empty();
}

}  // namespace epwise::lint
