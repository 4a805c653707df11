#pragma once

#include <string>

namespace epwise::cli {

/// Shell code that completes commands, options and their values; made from the same table as the
/// parser. Rule ids are asked from the program when Tab is pressed, because --rules may add some.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace epwise::cli
