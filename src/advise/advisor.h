#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "advise/advice.h"
#include "advise/anchor.h"
#include "advise/moves.h"

namespace epwise::advise {

/// A recipe to hold the plans against, lowered by who gives it.
struct Contender {
  std::string name;
  std::shared_ptr<const sim::StepWork> work;
};

struct Request {
  Goal goal = Goal::speed;
  Freedom freedom;
  std::size_t top = 5;
  Measured measured;
  std::optional<sim::CalibrationEffect> calibration;  // what is known of the file; nullopt: none
  std::vector<Contender> contenders;
  std::size_t workers = 1;
  double seconds = 60;  // of search; usually a few
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t planned)> progress;
};

/// Everything about one recipe: repaired where lint finds errors, diagnosed, compared with its own
/// variants, and the plans that lint clean and fit. `strangers` gets the words of the freedom that
/// mean nothing; the advice is then empty.
Advice advise(const World& world,
              const Knowledge& knowledge,
              const Request& request,
              std::vector<std::string>& strangers);

/// What keeps one field from having a value, or what that would cost.
WhyNot why_not(const World& world, const Knowledge& knowledge, const Edit& edit);

/// The names of groups, axes and fields that a freedom may name.
std::vector<std::string> words_of(const Knowledge& knowledge);

}  // namespace epwise::advise
