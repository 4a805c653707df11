#pragma once

#include <string>
#include <vector>

#include "cli/files/file_selection.h"
#include "world/files.h"

namespace epwise::cli {

/// Called before `epwise lint --fix` writes anything: throws MissingError where an operand gave no
/// file, UsageError where such an operand is the name of a tier (`--fix neutral`): "`neutral` would
/// be a file, and there is none: did you mean --fix=neutral?"
void check_inputs_of_fix(const FileSelection& selection,
                         const std::vector<std::string>& operands,
                         const world::Files& files);

}  // namespace epwise::cli
