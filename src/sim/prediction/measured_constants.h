#pragma once

#include <string>
#include <vector>

#include "sim/constants/constants.h"
#include "sim/prediction/prediction.h"

namespace epwise::sim {

/// A constant that somebody measured on the machine that is simulated.
struct MeasuredConstant {
  std::string name;   // "overlap_sms"
  double value = 0;   // base units
  double log_sd = 0;  // of its logarithm
  std::string basis;  // "contention.sm_weight"
};

/// The table with these values in the place of its own; their notes say so. Names that the table
/// doesn't know are passed over.
ConstantTable with_measured(const ConstantTable& table,
                            const std::vector<MeasuredConstant>& measured);

/// Lets go of a host's speed that was assumed (`host: assumed 40us`) where the speed of such hosts
/// is measured: what somebody supposed does not stand against a measurement.
void prefer_measured(const std::vector<MeasuredConstant>& measured,
                     model::Cpu cpu,
                     StatedInputs& stated);

/// How much of what nobody knew is known now. Each class of uncertainty loses the variance that the
/// replaced constants gave the step, as far as it was that class's: s² (sd² before - sd² after) for
/// a step that goes with the power s of a constant. Routing and what no constant stands for stay.
Uncertainty narrowed(const Uncertainty& uncertainty,
                     const StepWork& work,
                     const ConstantTable& before,
                     const std::vector<MeasuredConstant>& measured);

/// What a calibration did to a prediction, for the report.
struct CalibrationEffect {
  std::string path;
  std::string device;            // "h200, 2026-11-22T11:15:00Z"
  int measured = 0;              // constants that matter to the recipe and are measured now …
  int mattering = 0;             // … of so many
  int bound_before = 0;          // of those, bound by published steps or measured before
  double half_width_before = 0;  // of the step's interval, logarithmic
  double half_width = 0;
  std::vector<std::string> constants;  // that were replaced
  std::vector<std::string> notes;      // why it may not fit: "driver was 570 then and is 580 now"
};

/// Predicts with measured constants.
Prediction predict_measured(const model::Workload& job,
                            const Machine& machine,
                            const ConstantTable& table,
                            const std::vector<MeasuredConstant>& measured,
                            const StatedInputs& stated,
                            CalibrationEffect& effect);

/// The same with constants of which more is known than that: `known` is with_measured(table,
/// measured), or what a profile of the run makes of it.
Prediction predict_measured(const model::Workload& job,
                            const Machine& machine,
                            const ConstantTable& table,
                            const ConstantTable& known,
                            const std::vector<MeasuredConstant>& measured,
                            const StatedInputs& stated,
                            CalibrationEffect& effect);

/// Inputs that stood for constants which are measured now are no assumptions any more. `replaced`:
/// names of those constants; `host_operation`: what one of the framework's takes with them, s.
///   host  41 us an operation  written  measured: --calibration
void settle_inputs(const std::vector<std::string>& replaced,
                   double host_operation,
                   std::vector<model::Input>& inputs);

}  // namespace epwise::sim
