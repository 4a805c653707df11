#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/command.h"

namespace epwise::cli {

/// The output of `epwise -h`, `epwise help` and plain `epwise`: examples first, then the commands.
/// With `full`, also the options and variables common to all commands.
std::string overview(int width, bool full);

/// The output of `epwise lint -h`: examples first, then the common options. With `full` (`--help`,
/// `epwise help lint`) all options with their variables, and the command's own sections.
std::string command_help(const Command& command, int width, bool full);

/// How texts show an option: "-j, --jobs N", "--fix[=TIER]".
std::string name_and_value(const Option& option);

/// The exit codes of the command and those common to all commands, by code.
std::vector<Exit> all_exits(const Command& command);

/// The paragraph about variables and files at the end of the overview.
std::string_view overview_about();

/// The manual page epwise(1) in man macros: every command with its options, examples and exit
/// codes, generated from the parser's table. Contains no date, so that the same program always
/// produces the same page.
///   epwise help --man | man -l -
std::string manual_page();

}  // namespace epwise::cli
