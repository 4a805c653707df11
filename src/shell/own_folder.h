#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace epwise::shell {

/// The folder that a command substitution asks for, where it is the script's own or one above:
///   dirname "$0"                                    with scripts/run.sh → "scripts"
///   cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd                       → "scripts/.."
std::optional<std::string> own_folder(std::string_view command, std::string_view script);

/// The folder of a path, "." where it has none.
std::string folder_of(std::string_view path);

}  // namespace epwise::shell
