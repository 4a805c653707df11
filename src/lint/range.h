#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lint/rule.h"

namespace epwise::lint {

/// True when `version` of `framework` lies in one of the ranges; no ranges at all means everywhere.
///   holds({{"bridge", "0.5.0", ""}}, "bridge", "0.6.2") → true;  …, "mlm", "0.19.0") → false
bool holds(const std::vector<Range>& ranges, std::string_view framework, std::string_view version);

/// "all", "0.5.0..", "..0.6.2", "0.5.0..0.6.2", "0.6.2" → since and until; nullopt when it is none
/// of these. The views point into `text`.
std::optional<Range> parse_range(std::string_view framework, std::string_view text);

/// "Megatron-Bridge from 0.5.0, Megatron-LM 0.16.1 to 0.18.2"; "all versions" when there are none.
std::string to_text(const std::vector<Range>& ranges);

}  // namespace epwise::lint
