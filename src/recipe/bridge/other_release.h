#pragma once

#include "recipe/bridge/config_tree.h"
#include "recipe/bridge/unknown_keys.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// A recipe that was written for another release than it is read for has a page of unknown keys and
/// one cause. Where one other release knows most of them, their findings become one:
///   "54 keys that Megatron-Bridge 0.5.0 does not know are known in head: `checkpoint.…`, …"
/// Names that no release knows keep findings of their own.
void fold_other_release(const ConfigNode& root, const Vocabulary& vocabulary, UnknownKeys& unknown);

}  // namespace epwise::recipe
