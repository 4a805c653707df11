#pragma once

#include <string_view>
#include <vector>

/// Abbreviated names.
namespace epwise::text {

/// The only candidate that starts with the name; empty if none or several do.
///   continued("moe_token_dispatcher", {"moe_token_dispatcher_type", "num_layers"})
///     → "moe_token_dispatcher_type"
std::string_view continued(std::string_view name, const std::vector<std::string_view>& candidates);

/// The only candidate that has more parts (separated by "_" and "-") than the name and contains all
/// of its parts in order; empty if none or several do, or if the name has only one part.
///   completed("bf16_mxfp8_mixed", {"bf16_mixed", "bf16_with_mxfp8_mixed"})
///     → "bf16_with_mxfp8_mixed"
std::string_view completed(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace epwise::text
