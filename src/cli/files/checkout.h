#pragma once

#include "report/lint/lint_report.h"
#include "world/files.h"

namespace epwise::cli {

/// The git checkout around the working directory, read from its files; no git is started. Outside
/// of one there is the root alone. A user name or token in the address of the origin is left out.
report::Checkout find_checkout(const world::Files& files);

}  // namespace epwise::cli
