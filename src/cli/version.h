#pragma once

#include <string>
#include <string_view>

#include "lint/knowledge.h"

namespace epwise::cli {

/// "0.1.0"
std::string_view tool_version();

/// What --version prints: the program's version, how many rules it has, and the framework versions
/// whose tables it holds.
///   epwise 0.1.0
///   rules           212
///   Megatron-Bridge 0.2.0 … 0.6.2, head
std::string version_text(const lint::Knowledge& knowledge);

}  // namespace epwise::cli
