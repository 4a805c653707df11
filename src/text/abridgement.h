#pragma once

#include <string_view>
#include <vector>

/// Names that somebody has shortened.
namespace epwise::text {

/// The only candidate that goes on where the name ends; empty where none or several do.
///   continued("moe_token_dispatcher", {"moe_token_dispatcher_type", "num_layers"})
///     → "moe_token_dispatcher_type"
std::string_view continued(std::string_view name, const std::vector<std::string_view>& candidates);

/// The only candidate with more parts ("_" and "-" divide them) than the name, all of which it has
/// in their order; empty where none or several do, or where the name has but one part.
///   completed("bf16_mxfp8_mixed", {"bf16_mixed", "bf16_with_mxfp8_mixed"})
///     → "bf16_with_mxfp8_mixed"
std::string_view completed(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace epwise::text
