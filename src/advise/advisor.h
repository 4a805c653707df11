#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "advise/advice.h"
#include "advise/measurement.h"
#include "advise/moves.h"

namespace epwise::advise {

/// A recipe to compare with the plans, already lowered by the caller.
struct Contender {
  std::string name;
  std::shared_ptr<const sim::StepWork> work;
  std::string warning = {};  // why it would not run as it is
};

struct Request {
  Goal goal = Goal::speed;
  Freedom freedom;
  std::size_t top = 5;
  Measured measured;
  // what is known about the file; nullopt: nothing
  std::optional<sim::CalibrationEffect> calibration;
  std::vector<Contender> contenders;
  std::size_t workers = 1;
  double seconds = 60;  // duration of the search; usually a few seconds
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t planned)> progress;
};

/// Analyses one recipe: fixes it if lint finds errors, diagnoses it, compares it with its own
/// variants, and returns the plans that lint clean and fit in memory. Unknown names in the freedom
/// have no effect: `strangers_of` returns them (space.h).
Advice advise(const World& world, const Knowledge& knowledge, const Request& request);

/// The dispatchers of a recipe with everything else equal, and which of them to take: the fastest,
/// and of those that are too close to call the documents' first choice.
Advice which_dispatcher(const World& given, const Knowledge& knowledge);

/// What prevents one field from having a value, or what that value would cost; and what could
/// change around it, as far as the request allows.
WhyNot why_not(const World& world,
               const Knowledge& knowledge,
               const Edit& edit,
               Request request = {});

/// The names of groups, axes and fields that a freedom may contain.
std::vector<std::string> words_of(const Knowledge& knowledge);

}  // namespace epwise::advise
