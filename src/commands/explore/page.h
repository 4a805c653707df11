#pragma once

#include <string>

#include "commands/explore/http.h"

namespace epwise::explore {

/// The page, with its style and script inside. It loads nothing else and talks to its server only.
Answer page();

/// 128 random bits in hexadecimal: the token of a run.
std::string make_token();

}  // namespace epwise::explore
