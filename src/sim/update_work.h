#pragma once

#include "sim/step_work.h"

namespace epwise::sim {

/// What a step does besides its micro-batches, on the stage with most expert layers: gradients
/// reduced, states updated, weights gathered.
UpdateWork update_work(const model::Workload& job, const StepWork& work, const Constants& constants);

}  // namespace epwise::sim
