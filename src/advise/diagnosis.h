#pragma once

#include "advise/advice.h"

namespace epwise::advise {

/// Which wall binds the recipe's step: memory where it probably doesn't fit, else the first of the
/// known walls whose share of the step reaches its threshold and which is the largest of those. How
/// sure: the share of draws of the constants in which the same wall binds.
Diagnosis diagnose(const Prospect& present,
                   const sim::ConstantTable& constants,
                   const Knowledge& knowledge);

}  // namespace epwise::advise
