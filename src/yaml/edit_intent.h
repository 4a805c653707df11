#pragma once

#include "yaml/edit.h"
#include "yaml/node.h"

namespace epwise::yaml {

/// Whether two trees say the same, wherever their parts stand in the text.
bool is_same(const Node& a, const Node& b);

/// Whether `after` is `before` with this edit made and nothing else: same keys in the same order,
/// the new key anywhere.
bool is_edited(const Node& before, const Node& after, const Edit& edit);

}  // namespace epwise::yaml
