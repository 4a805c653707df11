#pragma once

#include <string>
#include <string_view>

#include "session/version.h"
#include "ui/console.h"

namespace epwise::cli {

using session::tool_version;

/// The output of --version: the program's version, its number of rules, and the framework versions
/// whose tables it contains.
///   epwise 0.1.0
///   rules           212
///   Megatron-Bridge 0.2.0 … 0.6.2, head
std::string version_text();

}  // namespace epwise::cli
