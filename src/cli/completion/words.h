#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace epwise::cli {

/// The words that a shell offers for an option's value: its own, or the names of all hardware
/// profiles.
std::vector<std::string> option_words(const Option& option);

/// What stands behind a command: its actions, or files, rules, ….
Completion operand_completion(const Command& command);
std::vector<std::string> operand_words(const Command& command);

}  // namespace epwise::cli
