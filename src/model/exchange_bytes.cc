#include "model/exchange_bytes.h"

#include <algorithm>
#include <cmath>

namespace epwise::model {

namespace {

/// log C(n, k) for 0 ≤ k ≤ n.
double log_choices(int n, int k) {
  return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
}

/// C(n − s, k)/C(n, k): no choice falls among s of n things.
double missed(int things, int among, int choices) {
  if (things - among < choices) {
    return 0;
  }
  return std::exp(log_choices(things - among, choices) - log_choices(things, choices));
}

/// Groups that a token of this router reaches; forced balance looks at no limit.
double reached(const Workload& workload, int groups) {
  const auto& experts = workload.architecture.experts;
  const bool limited = workload.routing.balance != Balance::forced && experts.limit_groups > 1 &&
                       (groups % experts.limit_groups == 0 || experts.limit_groups % groups == 0);
  return limited
             ? distinct_groups_limited(
                   experts.count, groups, experts.topk, experts.limit_groups, experts.limit_kept)
             : distinct_groups(experts.count, groups, experts.topk);
}

}  // namespace

double distinct_groups(int things, int groups, int choices) {
  if (groups <= 1 || things < 1 || choices < 1) {
    return 1;
  }
  return groups * (1 - missed(things, things / groups, std::min(choices, things)));
}

double distinct_groups_limited(int things, int groups, int choices, int limits, int kept) {
  if (groups <= 1 || limits <= 1 || kept >= limits || kept < 1) {
    return distinct_groups(things, groups, choices);
  }
  const int open = things / limits * kept;
  if (groups > limits) {  // a limiting group spans several groups
    return groups * (static_cast<double>(kept) / limits) *
           (1 - missed(open, things / groups, choices));
  }
  const int own = limits / groups;  // limiting groups that one group holds
  double empty = 0;
  for (int taken = 0; taken <= std::min(own, kept); ++taken) {
    if (kept - taken > limits - own) {
      continue;
    }
    const double chance =
        std::exp(log_choices(own, taken) + log_choices(limits - own, kept - taken) -
                 log_choices(limits, kept));
    empty += chance * missed(open, taken * (things / limits), choices);
  }
  return groups * (1 - empty);
}

ExchangeSpan exchange_span(const Workload& workload) {
  const auto& parallel = workload.parallel;
  const int ranks = parallel.expert * parallel.expert_tensor;
  ExchangeSpan span;
  span.ranks = parallel.expert;
  span.domains =
      std::max(1, (ranks + workload.machine.nvlink_domain - 1) / workload.machine.nvlink_domain);
  span.ranks_per_domain = static_cast<double>(span.ranks) / span.domains;
  return span;
}

LinkBytes dispatch_bytes(const Workload& workload, double element) {
  const auto span = exchange_span(workload);
  const auto& experts = workload.architecture.experts;
  const double slices = workload.parallel.expert_tensor;
  if (span.ranks * slices <= 1 || experts.count == 0) {
    return {};
  }
  const double token = workload.tokens() * workload.architecture.dispatch_width() * element;
  const double domains = span.domains;
  const double inside = 1 - 1 / span.ranks_per_domain;
  if (workload.exchange.dispatcher == Dispatcher::allgather) {
    const double ranks = span.ranks * slices;
    const double near = ranks / domains;
    return {token * (ranks - 1), token * (ranks - near) / near};
  }
  if (!deduplicates(workload.exchange.dispatcher)) {
    const double rows = token * experts.topk;
    return {rows / domains * inside + rows * (slices - 1), rows * (1 - 1 / domains)};
  }
  const double to_ranks = reached(workload, span.ranks) * slices;
  const double to_domains = reached(workload, span.domains);
  const double to_others = 1 - 1 / (span.ranks_per_domain * slices);
  return {token * to_ranks * to_others,
          span.domains > 1 ? token * to_domains * (1 - 1 / domains) : 0};
}

double copies_per_token(const Workload& workload) {
  const auto& experts = workload.architecture.experts;
  if (experts.count == 0) {
    return 0;
  }
  return deduplicates(workload.exchange.dispatcher) ? reached(workload, workload.parallel.expert)
                                                    : experts.topk;
}

}  // namespace epwise::model
