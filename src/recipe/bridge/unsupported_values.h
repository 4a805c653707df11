#pragma once

#include <vector>

#include "text/diagnostic.h"
#include "yaml/node.h"

namespace epwise::recipe {

/// Values of a Megatron-Bridge file that its loader refuses: tags beyond the plain ones (!!set,
/// !!python/…), dates, `=`, and in a dump `???`, OmegaConf's mark for a value that is still to be
/// given. Rule id recipe/unsupported-value.
void check_supported(const yaml::Node& root, bool dump, std::vector<text::Diagnostic>& diagnostics);

}  // namespace epwise::recipe
