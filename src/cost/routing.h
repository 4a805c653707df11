#pragma once

namespace epwise::cost {

/// Group-limited routing as DeepSeek-V3 does it: experts in `groups` groups, of which a token keeps
/// the best `kept`. 0 groups: any expert.
struct RoutingGroups {
  int groups = 0;
  int kept = 0;
};

/// How many of `parts` equal parts of the experts (ranks, or nodes) one token reaches on average,
/// when it picks `topk` of `experts` uniformly and without repetition. Exact: a part is missed with
/// the hypergeometric probability C(n - n/parts, topk) / C(n, topk).
///   expected_parts(256, 8, 8, {}) → 5.3;  with {8, 4} groups at most 4
double expected_parts(double experts, int parts, int topk, const RoutingGroups& limit);

}  // namespace epwise::cost
