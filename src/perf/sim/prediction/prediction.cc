#include "perf/sim/prediction/prediction.h"

#include "perf/cost/cost.h"
#include "perf/sim/step/step.h"
#include "perf/workload/flops.h"

namespace epwise::sim {

namespace {

/// Work of a step divided by its duration.
Range rate(double amount, const Range& step) {
  return {amount / step.value, amount / step.high, amount / step.low};
}

void predict_memory(const workload::Workload& job, Prediction& prediction) {
  prediction.memory = workload::estimate_memory(job);
  const double width = cost::kNineTenths * prediction.memory.deviation;
  prediction.peak_memory = around(prediction.memory.allocated, width);
  prediction.needed_memory = around(prediction.memory.needed, width);
  prediction.memory_limit = job.machine.memory;
  if (prediction.memory_limit > 0) {
    prediction.out_of_memory = workload::out_of_memory(prediction.memory, prediction.memory_limit);
  }
}

}  // namespace

Prediction predict(const workload::Workload& job,
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
      rate(tokens * workload::flops_per_token(job.architecture), prediction.step_time);
  predict_memory(job, prediction);
  prediction.waterfall = waterfall_of(work, constants);
  return prediction;
}

}  // namespace epwise::sim
