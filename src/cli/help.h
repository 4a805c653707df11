#pragma once

#include <string>

#include "cli/command.h"

namespace epwise::cli {

/// What `epwise -h`, `epwise help` and `epwise` alone print: examples first, then the commands.
/// With `full` also the options and variables that every command knows.
std::string overview(int width, bool full);

/// What `epwise lint -h` prints: examples first, then the options that most runs need. With `full`
/// (`--help`, `epwise help lint`) all options with their variables, and the command's own chapters.
std::string command_help(const Command& command, int width, bool full);

}  // namespace epwise::cli
