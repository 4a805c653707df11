#pragma once

#include <vector>

#include "advise/advice.h"
#include "advise/comparison_tables.h"

namespace epwise::advise {

/// Which wall limits the recipe's step: memory if the recipe probably does not fit, otherwise the
/// one with the largest share of the step, without the model's arithmetic at the GPU's peak rate,
/// which nothing removes. Certainty is the share of draws of the constants in which the same wall
/// binds.
Diagnosis diagnose(const Prospect& present,
                   const sim::ConstantTable& constants,
                   const Knowledge& knowledge,
                   const hw::Profile& hw);

/// The way from the recipe to a plan, one knob at a time in bring-up order; the sizes of the layout
/// are one knob, and one that is not valid alone waits for the next.
std::vector<TuningStep> tuning_steps(const Study& study, const Candidate& plan);

}  // namespace epwise::advise
