#pragma once

#include <string>
#include <vector>

#include "perf/sim/constants/constants.h"
#include "perf/sim/prediction/prediction.h"

namespace epwise::sim {

/// A constant measured on the simulated machine.
struct MeasuredConstant {
  std::string name;   // "overlap_sms"
  double value = 0;   // base units
  double log_sd = 0;  // of its logarithm
  std::string basis;  // "contention.sm_weight"
};

/// The table with these values instead of its own; its notes record that. Ignores unknown names.
ConstantTable with_measured(const ConstantTable& table,
                            const std::vector<MeasuredConstant>& measured);

/// Drops an assumed host speed (`host: assumed 40us`) if the speed of such hosts is measured: a
/// measurement takes precedence over an assumption.
void prefer_measured(const std::vector<MeasuredConstant>& measured,
                     workload::Cpu cpu,
                     StatedInputs& stated);

/// Reduces the uncertainty by what is measured. Each class loses the variance that the replaced
/// constants contributed to the step, as far as it belonged to that class: s² (sd² before - sd²
/// after) for a step proportional to the power s of a constant. Routing and uncertainty without a
/// constant are unchanged.
Uncertainty narrowed(const Uncertainty& uncertainty,
                     const StepWork& work,
                     const ConstantTable& before,
                     const std::vector<MeasuredConstant>& measured);

/// The effect of a calibration on a prediction, for the report.
struct CalibrationEffect {
  std::string path;
  std::string device;            // "h200, 2026-11-22T11:15:00Z"
  int measured = 0;              // measured constants that matter to the recipe …
  int mattering = 0;             // … out of this many
  int bound_before = 0;          // of those, determined by published steps or measured before
  double level = 1;              // factor of the step that measured steps of similar runs give
  double level_known = 0;        // share of the error's variance that they explain
  double half_width_before = 0;  // of the step's interval, logarithmic
  double half_width = 0;
  std::vector<std::string> constants;  // that were replaced
  std::vector<std::string> notes;      // why it may not apply: "driver was 570 then and is 580 now"
};

/// Predicts with measured constants.
Prediction predict_measured(const workload::Workload& job,
                            const Machine& machine,
                            const ConstantTable& table,
                            const std::vector<MeasuredConstant>& measured,
                            const StatedInputs& stated,
                            CalibrationEffect& effect);

/// The same with better known constants: `known` is with_measured(table, measured), or the result
/// of a profile of the run.
Prediction predict_measured(const workload::Workload& job,
                            const Machine& machine,
                            const ConstantTable& table,
                            const ConstantTable& known,
                            const std::vector<MeasuredConstant>& measured,
                            const StatedInputs& stated,
                            CalibrationEffect& effect);

/// Inputs that are covered by measured constants are no longer assumptions. `replaced`: names of
/// those constants; `host_operation`: the resulting time per framework operation, s.
///   host  41 us an operation  written  measured: --calibration
void settle_inputs(const std::vector<std::string>& replaced,
                   double host_operation,
                   std::vector<workload::Input>& inputs);

}  // namespace epwise::sim
