#pragma once

#include <vector>

#include "advise/comparison_tables.h"

namespace epwise::advise {

/// Candidates from which a search is worth starting: the positions of Megatron-Bridge's own recipes
/// for a model of the same sizes on the same GPU, and what documents recommend for the hardware.
/// Only positions that the space allows; without duplicates.
std::vector<Candidate> starting_points(const Study& study, const Freedom& freedom);

}  // namespace epwise::advise
