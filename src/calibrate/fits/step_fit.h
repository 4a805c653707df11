#pragma once

#include <string>
#include <vector>

#include "calibrate/file/calibration.h"
#include "model/workload.h"
#include "sim/constants/constants.h"
#include "sim/constants/stated_inputs.h"
#include "sim/work/machine.h"

namespace epwise::calibrate {

/// A step that the user timed.
struct MeasuredStep {
  std::string name;  // the recipe
  const model::Workload* job = nullptr;
  sim::Machine machine;
  sim::StatedInputs stated;
  double seconds = 0;
};

/// What became of one of them.
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

/// Refits the few constants that decide most and differ from machine to machine: host time of an
/// operation, exchange and GEMM multipliers, contention. Each is held by what the table knows of it
/// (log_sd), so that few steps move few constants; those that no step depends on stay out.
StepFit fit_step_constants(const std::vector<MeasuredStep>& steps, const sim::ConstantTable& table);

}  // namespace epwise::calibrate
