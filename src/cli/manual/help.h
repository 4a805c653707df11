#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace epwise::cli {

/// What `epwise -h`, `epwise help` and `epwise` alone print: examples first, then the commands.
/// With `full` also the options and variables that every command knows.
std::string overview(int width, bool full);

/// What `epwise lint -h` prints: examples first, then the options that most runs need. With `full`
/// (`--help`, `epwise help lint`) all options with their variables, and the command's own chapters.
std::string command_help(const Command& command, int width, bool full);

/// How texts name an option: "-j, --jobs N", "--fix[=TIER]".
std::string name_and_value(const Option& option);

/// The command's own meanings of exit codes and those of every command, by code.
std::vector<Exit> all_exits(const Command& command);

/// The paragraph about variables and files that ends the overview.
std::string_view overview_about();

}  // namespace epwise::cli
