#include "sim/prediction.h"

#include "model/flops.h"
#include "sim/step.h"

namespace epwise::sim {

namespace {

/// What is done in a step over its duration.
Range rate(double amount, const Range& step) {
  return {amount / step.value, amount / step.high, amount / step.low};
}

}  // namespace

Prediction predict(const model::Workload& job, const Machine& machine, const Constants& constants) {
  const StepWork work = lower(job, machine, constants);
  Prediction prediction;
  prediction.uncertainty = uncertainty_of(work, constants);
  prediction.step_time =
      around(evaluate(work, constants, {}).step, prediction.uncertainty.half_width());
  const double tokens =
      static_cast<double>(job.batch.global) * job.architecture.sequence / job.parallel.gpus;
  prediction.tokens_per_second = rate(tokens, prediction.step_time);
  prediction.flops_per_second =
      rate(tokens * model::flops_per_token(job.architecture), prediction.step_time);
  prediction.waterfall = waterfall_of(work, constants);
  return prediction;
}

}  // namespace epwise::sim
