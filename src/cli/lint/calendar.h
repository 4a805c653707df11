#pragma once

#include <string>

#include "world/files.h"

namespace epwise::cli {

/// The day, in UTC, as comments write it: "2026-11-22". EPWISE_TODAY says another one, for runs
/// that must be the same on every day.
std::string today(const world::Variables& variables);

}  // namespace epwise::cli
