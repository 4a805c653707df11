#pragma once

#include "sim/step_work.h"

namespace epwise::sim {

/// What a step does besides its micro-batches, on the stage that holds most parameters: gradients
/// reduced, states updated, weights gathered.
UpdateWork update_work(const model::Workload& job,
                       const Machine& machine,
                       const Constants& constants);

}  // namespace epwise::sim
