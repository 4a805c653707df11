#include "model/dispatch_buffers.h"

#include <algorithm>

namespace epwise::model {

namespace {

/// How the ranks that exchange tokens lie in NVLink domains.
struct ExchangeSpan {
  int ranks = 1;    // that a token can go to: the expert-parallel size
  int domains = 1;  // NVLink domains that they span
  double ranks_per_domain = 1;
};

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

}  // namespace

double dispatch_buffer_bytes(const Workload& workload) {
  const auto span = exchange_span(workload);
  const auto& experts = workload.architecture.experts;
  if (span.ranks <= 1 || experts.count == 0 || !deduplicates(workload.exchange.dispatcher)) {
    return 0;
  }
  const double token = 2.0 * workload.architecture.dispatch_width();
  const double tokens = workload.tokens();
  if (workload.exchange.dispatcher == Dispatcher::deepep) {
    const double channels = workload.exchange.sms / 2.0;
    const double inside = channels * span.ranks_per_domain * 256 * token;
    const double outside = span.domains > 1 ? channels * span.domains * 128 * token : 0;
    return 2 * (inside + outside);
  }
  double filled = 1;
  if (workload.routing.rank_capacity > 1) {
    filled = std::min(1.0, workload.routing.rank_capacity * experts.topk / span.ranks);
  }
  const double local = static_cast<double>(experts.count) / span.ranks * span.ranks_per_domain;
  return filled * tokens * span.ranks * (token + 4 * local / span.ranks_per_domain) +
         tokens * (span.domains - 1) * token;
}

}  // namespace epwise::model
