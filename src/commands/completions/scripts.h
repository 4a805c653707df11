#pragma once

#include <string>

namespace epwise::cli {

/// Shell code that completes commands, options and their values; generated from the parser's table.
/// The script queries rule ids from the program on Tab, because --rules may add some.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace epwise::cli
