#include "model/expert_load.h"

#include <algorithm>

namespace epwise::model {

ExpertLoad expert_load(const Workload& workload) {
  const auto& experts = workload.architecture.experts;
  ExpertLoad load;
  if (experts.count == 0) {
    return load;
  }
  load.local_experts = std::max(1, experts.count / workload.parallel.expert);
  load.rows = workload.tokens() * experts.topk * workload.parallel.expert_tensor;
  load.rows_per_expert = load.rows * workload.parallel.expert / experts.count;
  load.padded_rows = load.rows * workload.routing.rank_capacity;
  if (workload.routing.capacity > 0) {
    load.rows_per_expert *= workload.routing.capacity;
    load.rows *= workload.routing.capacity;
    load.padded_rows = load.rows;
  }
  return load;
}

}  // namespace epwise::model
