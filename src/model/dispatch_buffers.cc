#include "model/dispatch_buffers.h"

#include <algorithm>

#include "model/exchange_bytes.h"

namespace epwise::model {

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
