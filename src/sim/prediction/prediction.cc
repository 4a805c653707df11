#include "sim/prediction/prediction.h"

#include "model/flops.h"
#include "sim/step/step.h"

namespace epwise::sim {

namespace {

/// What is done in a step over its duration.
Range rate(double amount, const Range& step) {
  return {amount / step.value, amount / step.high, amount / step.low};
}

void predict_memory(const model::Workload& job, Prediction& prediction) {
  constexpr double kTenthDeviates = 1.2815515655446004;  // 80 % lie within so many deviations
  prediction.memory = model::estimate_memory(job);
  const double width = kTenthDeviates * prediction.memory.deviation;
  prediction.peak_memory = around(prediction.memory.allocated, width);
  prediction.needed_memory = around(prediction.memory.needed, width);
  prediction.memory_limit = job.machine.memory;
  if (prediction.memory_limit > 0) {
    prediction.out_of_memory = model::out_of_memory(prediction.memory, prediction.memory_limit);
  }
}

}  // namespace

Prediction predict(const model::Workload& job,
                   const Machine& machine,
                   const Constants& constants,
                   const StatedInputs& stated) {
  const StepWork work = lower(job, machine, constants, stated);
  Prediction prediction;
  prediction.uncertainty = uncertainty_of(work, constants);
  prediction.step_time =
      around(evaluate(work, constants, {}).step, prediction.uncertainty.half_width());
  const double tokens =
      static_cast<double>(job.batch.global) * job.architecture.sequence / job.parallel.gpus;
  prediction.tokens_per_second = rate(tokens, prediction.step_time);
  prediction.flops_per_second =
      rate(tokens * model::flops_per_token(job.architecture), prediction.step_time);
  predict_memory(job, prediction);
  prediction.waterfall = waterfall_of(work, constants);
  return prediction;
}

}  // namespace epwise::sim
