#pragma once

#include <string>
#include <vector>

#include "advise/assessor.h"
#include "advise/moves.h"
#include "perf/sim/constants/constants.h"
#include "perf/sim/prediction/uncertainty.h"
#include "perf/sim/work/step_work.h"

namespace epwise::advise {

/// Draws of the step model's constants within their uncertainty; the same draws on every call.
std::vector<sim::Constants> draw_constants(const sim::ConstantTable& table, int count);

/// The measurement that best decides which of two steps is shorter: that of the constant whose
/// uncertainty changes their ratio most.
std::string deciding_measurement(const sim::StepWork& a,
                                 const sim::StepWork& b,
                                 const sim::ConstantTable& table,
                                 const Knowledge& knowledge);

/// The step with its 80 % interval, in s; constants measured by a calibration count as certain.
sim::Range step_range(const sim::StepWork& work, const World& world);

/// Ratio of the event simulation to the closed form, with as many micro-batches as needed.
double event_factor(const sim::StepWork& work, const sim::Constants& constants);

}  // namespace epwise::advise
