#pragma once

#include <string_view>

namespace epwise::session {

/// The version of this program and library: "0.1.0".
std::string_view tool_version();

}  // namespace epwise::session
