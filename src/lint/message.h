#pragma once

#include <string>
#include <vector>

#include "lint/rule.h"

namespace epwise::lint {

/// A message with the user's numbers in it: {"EP is ", 1, " rank"} → "EP is 1 rank"; empty when one
/// of them cannot be computed.
std::string fill(const std::vector<MessagePart>& parts, const expr::Environment& facts);

}  // namespace epwise::lint
