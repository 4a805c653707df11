#pragma once

#include <string>
#include <vector>

#include "advise/assessor.h"
#include "advise/moves.h"
#include "sim/constants/constants.h"
#include "sim/uncertainty/uncertainty.h"
#include "sim/work/step_work.h"

namespace epwise::advise {

/// The step model's constants as they might be instead, the same draws every time.
std::vector<sim::Constants> draw_constants(const sim::ConstantTable& table, int count);

/// The one measurement that says most about which of two steps is shorter: of the constant whose
/// uncertainty moves their ratio most.
std::string deciding_measurement(const sim::StepWork& a,
                                 const sim::StepWork& b,
                                 const sim::ConstantTable& table,
                                 const Knowledge& knowledge);

/// The step with its 80 % interval, in s; what a calibration measured is not unsure any more.
sim::Range step_range(const sim::StepWork& work, const World& world);

/// What the event simulation takes over what the closed form says, on as many micro-batches as
/// are worth it.
double event_factor(const sim::StepWork& work, const sim::Constants& constants);

}  // namespace epwise::advise
