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

/// A cause of deviations, before and after the measured steps: a factor of the model's value.
struct LearntCause {
  std::string name;      // "host", "exchange", "GEMM"
  double prior_sd = 0;   // of the factor's logarithm; the factor was 1
  double factor = 1;     // most probable
  double log_sd = 0;     // of its logarithm
  bool matters = false;  // some step depends on it
  bool told = false;     // the steps determine it; otherwise it stays at 1
};

struct StepFit {
  std::string refusal;  // why nothing can be learnt; the rest is then empty
  std::vector<LearntCause> causes;
  std::vector<StepConstant> constants;  // of the causes that the steps determine
  std::vector<StepRun> runs;            // with what the constants leave
  std::vector<StepChange> steps;
};

/// Learns from measured steps of one kind of machine. Errors of a prediction are partly those of
/// the machine's host, exchange and GEMMs, as far as the step depends on each, and partly shared by
/// runs that are alike (sim::likeness); each of these has a prior. One recipe cannot tell the first
/// from the second: it moves runs like itself and no constant. Host time is searched from several
/// starting points, since a step that hides its launches does not depend on it.
///
/// Refused: steps that are further than a factor of two from their prediction (a wrong unit, batch
/// or number of GPUs), and runs of one class that contradict each other.
StepFit fit_step_constants(const std::vector<MeasuredStep>& steps, const sim::ConstantTable& table);

}  // namespace epwise::calibrate
