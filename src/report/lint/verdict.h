#pragma once

#include <string>

#include "report/lint/lint_report.h"

namespace epwise::report {

/// What happens when the framework starts this recipe, as the end of a sentence about the file:
///   "starts"
///   "would not start: overlap/expert-ranks (EPO001) at stage comm-overlap"
///   "launch undecided, needs stack.te and gpus"
///   "not checked: it holds no recipe that can be read"
std::string verdict_text(const LintedFile& file);

/// Why a recipe is not worth a prediction: what verdict_text says of one that would not start or
/// fails later, "has errors: PAR012" of one that is undecided besides; empty where no error was
/// found.
std::string stopped_text(const LintedFile& file);

/// "0.6.2"; for a version that has no tables of its own "0.5.1 (by the tables of 0.5.0)": the one
/// that was asked for, and the one whose defaults and checks were used.
std::string version_text(const std::string& tables, const std::string& asked_for);

/// "Megatron-Bridge 0.6.2, h100 x 16, te 2.14.0 (--hw, --gpus, --stack)"; empty for a file that
/// could not be read
std::string checked_against(const LintedFile& file);

}  // namespace epwise::report
