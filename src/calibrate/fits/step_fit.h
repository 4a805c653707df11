#pragma once

#include <string>
#include <vector>

#include "calibrate/file/calibration.h"
#include "perf/sim/constants/constants.h"
#include "perf/sim/constants/stated_inputs.h"
#include "perf/sim/work/machine.h"
#include "perf/workload/workload.h"

namespace epwise::calibrate {

/// A step that the user timed.
struct MeasuredStep {
  std::string name;  // the recipe
  const workload::Workload* job = nullptr;
  sim::Machine machine;
  sim::StatedInputs stated;
  double seconds = 0;
};

/// The result for one of them.
struct StepChange {
  std::string name;
  double measured = 0;  // s
  double before = 0;    // predicted, s
  double after = 0;
};

struct StepFit {
  std::vector<StepConstant> constants;
  std::vector<StepChange> steps;
};

/// Refits the few constants that have the most influence and vary between machines: host time per
/// operation, exchange and GEMM factors, contention. Each keeps its prior (log_sd), so a few steps
/// change only a few constants; those that no step depends on are omitted.
StepFit fit_step_constants(const std::vector<MeasuredStep>& steps, const sim::ConstantTable& table);

}  // namespace epwise::calibrate
