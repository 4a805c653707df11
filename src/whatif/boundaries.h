#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lint/knowledge.h"

namespace epwise::whatif {

/// Versions of one component of the stack that something in the knowledge compares with, directly
/// or through derived values, in no order: boundaries("te") → {"2.7.0", "2.3.0", …}. For the
/// frameworks also the ends of version ranges.
std::vector<std::string> boundaries(std::string_view component, const lint::Knowledge& knowledge);

}  // namespace epwise::whatif
