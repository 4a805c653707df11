#include "advise/dominance.h"

#include <algorithm>
#include <set>
#include <utility>

namespace epwise::advise {

namespace {

constexpr double kRounding = 1.005;  // of steps and bytes: less is no difference

/// The candidate with each position of the first axis, each of these with each of the second, …
std::vector<Candidate> product_of(const Candidate& candidate,
                                  const std::vector<std::size_t>& axes,
                                  const Space& space) {
  std::vector<Candidate> all{candidate};
  for (const std::size_t axis : axes) {
    std::vector<Candidate> more;
    for (const Candidate& each : all) {
      for (const Position position : space.dimensions()[axis].positions) {
        more.push_back(each);
        more.back()[axis] = position;
      }
    }
    all = std::move(more);
  }
  return all;
}

}  // namespace

Standing standing_of(const Candidate& candidate, const Assessment& assessment, const Space& space) {
  Standing standing;
  standing.step = assessment.step;
  standing.memory = assessment.needed_memory;
  const std::vector<std::size_t> changed = space.changed(candidate);
  standing.changes = changed.size() + assessment.companions.size();
  for (const std::size_t axis : changed) {
    standing.tier = std::max(standing.tier, space.dimensions()[axis].axis->tier);
    standing.risk = std::max(standing.risk, space.move(candidate, axis)->risk);
  }
  return standing;
}

bool dominates(const Standing& a, const Standing& b) {
  const bool worse = a.step > b.step || a.memory > b.memory || a.changes > b.changes ||
                     a.tier > b.tier || a.risk > b.risk;
  const bool better = kRounding * a.step < b.step || kRounding * a.memory < b.memory ||
                      a.changes < b.changes || a.tier < b.tier || a.risk < b.risk;
  return !worse && better;
}

bool adds_nothing(const Standing& b, const Standing& a) {
  constexpr double kNotable = 1.03;  // of memory
  return b.changes >= a.changes && b.tier >= a.tier && b.risk >= a.risk &&
         kRounding * b.step >= a.step && kNotable * b.memory >= a.memory;
}

std::vector<std::size_t> own_axes(const Candidate& candidate,
                                  const Space& space,
                                  std::string_view documented) {
  std::vector<std::size_t> axes = space.changed(candidate);
  std::erase_if(axes, [&](std::size_t axis) {
    const Axis& of = *space.dimensions()[axis].axis;
    return of.sweep || (of.name == "dispatcher" && space.move(candidate, axis)->name == documented);
  });
  return axes;
}

std::vector<Candidate> combinations_of(const Candidate& candidate,
                                       const std::vector<std::size_t>& axes,
                                       const Space& space,
                                       std::size_t most) {
  std::size_t count = 1;
  for (const std::size_t axis : axes) {
    count = std::min(most + 1, count * space.dimensions()[axis].positions.size());
  }
  std::vector<Candidate> all;
  if (count <= most) {
    all = product_of(candidate, axes, space);
  } else {
    for (const std::size_t axis : axes) {
      const std::vector<Candidate> more = product_of(candidate, {axis}, space);
      all.insert(all.end(), more.begin(), more.end());
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const std::vector<Candidate> more = product_of(candidate, {axes[j], axes[i]}, space);
        all.insert(all.end(), more.begin(), more.end());
      }
    }
  }
  std::vector<Candidate> distinct;
  std::set<Candidate> seen{candidate};
  for (Candidate& each : all) {
    Candidate plain = space.canonical(std::move(each));
    if (distinct.size() < most && seen.insert(plain).second) {
      distinct.push_back(std::move(plain));
    }
  }
  return distinct;
}

}  // namespace epwise::advise
