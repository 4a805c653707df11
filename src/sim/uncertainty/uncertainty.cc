#include "sim/uncertainty/uncertainty.h"

#include <algorithm>
#include <cmath>

#include "sim/step/step.h"
#include "sim/uncertainty/shared_errors.h"

namespace epwise::sim {

namespace {

/// What the step would lose if launching took no time.
double host_share(const StepWork& work, const Constants& constants) {
  Effects without;
  without.host_launches = false;
  const double step = evaluate(work, constants, {}).step;
  return std::max(0.0, 1 - evaluate(work, constants, without).step / step);
}

}  // namespace

double Uncertainty::half_width() const {
  return std::sqrt(base * base + routing * routing + softmax * softmax + overlap * overlap +
                   tensor_parallel * tensor_parallel + hardware * hardware + host * host +
                   laws * laws);
}

Uncertainty uncertainty_of(const StepWork& work, const Constants& constants) {
  constexpr double kFullHostShare = 0.2;
  const model::Workload& job = *work.job;
  Uncertainty known;
  known.base = constants.width_base;
  if (job.routing.balance == model::Balance::natural && work.stated.imbalance <= 0) {
    known.routing = constants.width_routing;
  }
  if (job.architecture.attention.learnable_softmax && !work.stated.attention_path) {
    known.softmax = constants.width_softmax;
  }
  if (job.exchange.overlap && !job.graphs.full_iteration) {
    known.overlap = constants.width_overlap;
  }
  if (job.parallel.tensor > 1 && !work.stated.tensor_overlap) {
    known.tensor_parallel = constants.width_tensor_parallel;
  }
  if (!work.machine.measured) {
    known.hardware = constants.width_hardware;
  }
  constexpr double kStatedHost = 0.35;  // of the width that a stated host time leaves
  known.host = constants.width_host * (work.stated.host_measured ? kStatedHost : 1) *
               std::min(1.0, host_share(work, constants) / kFullHostShare);
  known.laws = law_width(work, constants);
  return known;
}

Range around(double value, double half_width) {
  return {value, value * std::exp(-half_width), value * std::exp(half_width)};
}

}  // namespace epwise::sim
