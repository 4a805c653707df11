#pragma once

#include <string>
#include <vector>

#include "advise/comparison_tables.h"

namespace epwise::advise {

/// One of Megatron-Bridge's own recipes for a model of the same sizes, as moves on the recipe at hand.
struct Precedent {
  std::string name;     // of its function
  Candidate candidate;  // on axes that are not known: unchanged
  // whether the space has its setting; SM counts never
  std::vector<bool> known;
  std::string precision;  // a move of the axis `precision`, or empty
  bool special = false;   // a variant for development or another purpose: only a start of a search
  bool same_gpu = false;  // otherwise documents give both GPUs the same advice
};

/// The likest first: of the same GPU, of the recipe's precision, then of the nearest number of GPUs.
/// Empty for other frameworks and unknown models.
std::vector<Precedent> precedents_of(const Study& study, const Freedom& freedom);

/// Candidates from which a search is worth starting: precedents on the same GPU, and what documents
/// recommend for the hardware. Only positions that the space allows; without duplicates.
std::vector<Candidate> starting_points(const Study& study,
                                       const std::vector<Precedent>& precedents);

}  // namespace epwise::advise
