#pragma once

#include "advise/advice.h"

namespace epwise::advise {

/// Which wall limits the recipe's step: memory if the recipe probably does not fit, otherwise the
/// largest of the known walls whose share of the step reaches its threshold. Certainty is the share
/// of draws of the constants in which the same wall binds.
Diagnosis diagnose(const Prospect& present,
                   const sim::ConstantTable& constants,
                   const Knowledge& knowledge);

}  // namespace epwise::advise
