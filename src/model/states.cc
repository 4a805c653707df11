#include "model/states.h"

#include <algorithm>

namespace epwise::model {

namespace {

struct Shares {
  double weights = 1;
  double gradients = 1;
  double optimizer = 1;
};

/// What part of a parameter's state one of its replicas holds.
Shares shares_of(const Workload& workload, int replicas) {
  const double part = 1.0 / std::max(1, replicas);
  Shares shares;
  const bool sharded = workload.sharding != Sharding::none;
  shares.optimizer = workload.optimizer.distributed || sharded ? part : 1;
  if (workload.sharding == Sharding::gradients || workload.sharding == Sharding::weights) {
    shares.gradients = part;
  }
  if (workload.sharding == Sharding::weights) {
    shares.weights = part;
  }
  return shares;
}

void add(const Workload& workload,
         double parameters,
         double weight,
         const Shares& shares,
         StateBytes& sum) {
  const auto& optimizer = workload.optimizer;
  sum.weights += parameters * weight * shares.weights;
  sum.gradients += parameters * optimizer.gradient * shares.gradients;
  sum.optimizer += parameters * (optimizer.main_weight + optimizer.moments) * shares.optimizer *
                   (1 - optimizer.host_fraction);
  if (optimizer.main_gradient > optimizer.gradient) {
    sum.step_transient += parameters * optimizer.main_gradient * shares.optimizer;
  }
}

}  // namespace

StateBytes state_bytes(const Workload& workload, int stage) {
  return state_bytes(workload, stage, rank_parameters(workload, stage));
}

StateBytes state_bytes(const Workload& workload, int stage, const RankParameters& parameters) {
  constexpr double kBf16 = 2;
  const auto dense = shares_of(workload, workload.parallel.dense_replicas());
  const auto expert = shares_of(workload, workload.parallel.expert_data);
  StateBytes sum;
  add(workload, parameters.embedding, kBf16, dense, sum);
  add(workload, parameters.dense - parameters.embedding, workload.optimizer.weight, dense, sum);
  add(workload, parameters.expert, workload.optimizer.weight, expert, sum);
  const bool reads = stage == 0;
  if (reads) {
    sum.backward_transient = kBf16 * workload.architecture.padded_vocab *
                             workload.architecture.hidden / workload.parallel.tensor;
  }
  return sum;
}

}  // namespace epwise::model
