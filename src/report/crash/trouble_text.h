#pragma once

#include <string>

#include "report/crash/writer.h"
#include "report/style.h"

namespace epwise::report {

/// What a trouble of a running job is, what of the recipe bears on it, and what to try first;
/// indented, below the headline of its crash. `besides`: a rule is sure to be the cause already.
std::string trouble_text(const CrashReport& report,
                         const CrashCase& each,
                         bool besides,
                         const Style& style);

/// "a GPU ran out of memory, …": what else was looked for, for logs that nobody knows.
std::string looked_for(const CrashReport& report);

}  // namespace epwise::report
