#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "advise/assessor.h"
#include "advise/space.h"

namespace epwise::advise {

/// In what one combination can be better than another; less is better in each.
struct Standing {
  double step = 0;          // s
  double memory = 0;        // bytes
  std::size_t changes = 0;  // axes, and further changes that rules require
  lint::Tier tier = lint::Tier::neutral;
  Risk risk = Risk::low;
};

/// Of a usable candidate.
Standing standing_of(const Candidate& candidate, const Assessment& assessment, const Space& space);

/// Whether `a` is worse than `b` in nothing, and better by more than rounding in something.
bool dominates(const Standing& a, const Standing& b);

/// Whether `b` is not worth listing after `a`: it has at least as many changes, a risk and a tier at
/// least as high, and neither a step that is shorter by more than rounding nor 3 % less memory.
bool adds_nothing(const Standing& b, const Standing& a);

/// The axes that a candidate changes, without those that are chosen by rules of their own: SM counts
/// by their sweep, and a dispatcher that documents recommend.
std::vector<std::size_t> own_axes(const Candidate& candidate,
                                  const Space& space,
                                  std::string_view documented);

/// All combinations of the given axes' positions, the other axes as in `candidate`; if there are
/// more than `most`, those that differ in one or two of these axes, the nearest first.
std::vector<Candidate> combinations_of(const Candidate& candidate,
                                       const std::vector<std::size_t>& axes,
                                       const Space& space,
                                       std::size_t most);

}  // namespace epwise::advise
