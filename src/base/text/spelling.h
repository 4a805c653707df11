#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epwise::text {

/// Number of edits (insert, delete, substitute, swap of neighbours) that turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

/// The candidates most similar to a misspelt name, best first, at most `limit`; empty if none is
/// similar enough (more than a third of the letters differ). Dashes and underscores count as equal;
/// case is ignored.
///   nearest("moe_router_topK", {"moe_router_topk", "num_layers"}) → {"moe_router_topk"}
std::vector<std::string> nearest(std::string_view name,
                                 const std::vector<std::string_view>& candidates,
                                 int limit = 3);

/// ", did you mean `a`?" or ", did you mean `a` or `b`?" or "", ready to append to a sentence.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace epwise::text
