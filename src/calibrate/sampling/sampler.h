#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/file/calibration.h"
#include "calibrate/ranks/ranks.h"
#include "calibrate/work/backend.h"

namespace epwise::calibrate {

/// Seconds since some moment. Tests and replays have one of their own.
using Clock = std::function<double()>;

/// Why points are not measured that a later run still can: as Point::reason has it.
constexpr const char* kInterrupted = "interrupted";
constexpr const char* kBudgetSpent = "the budget was spent";

/// When a point has been repeated often enough.
struct Stopping {
  double tight = 0.01;  // the median's 95 % interval, half, relative
  int least_rounds = 10;
  int most_rounds = 100;
  double most_seconds = 1.5;  // of one point
  int warm_up = 3;            // rounds thrown away
};

/// ±1 %, 10 to 100 rounds, 1.5 s; quick: ±2 %, 10 to 30 rounds, 0.3 s.
Stopping stopping_rule(bool quick);

/// Points that are measured side by side: a curve over SMs, a pair with both of its sides alone.
struct Sweep {
  std::string name;
  std::vector<Request> requests;
};

/// What the sampler asks of the outside.
struct SamplerSettings {
  Stopping stopping = {};
  std::uint64_t seed = 1;
  Clock clock = {};
  double deadline = 0;                              // by the clock; 0: none
  std::function<bool()> is_interrupted = {};        // Ctrl-C
  std::function<void(const Point&)> on_point = {};  // each as soon as it is finished
};

/// Prepares, checks and times the points of one sweep. Rounds go around the points in shuffled
/// order, so that a drifting clock is no trend over SMs. Every rank calls it with the same sweep;
/// a round counts as long as the slowest rank took. Points that can't be had end as not measured,
/// with the reason; those that the deadline or Ctrl-C cuts short keep what they have, if that
/// bounds a median at all.
class Sampler {
 public:
  Sampler(Backend& backend, Ranks& ranks, SamplerSettings settings);

  /// The points in the order of the requests.
  std::vector<Point> measure(const Sweep& sweep);

  bool is_fatal() const { return !fatal_.empty(); }  // the device is lost; so says fatal_reason

  const std::string& fatal_reason() const { return fatal_; }

 private:
  Backend& backend_;
  Ranks& ranks_;
  SamplerSettings settings_;
  std::string fatal_;
  friend class SweepRun;
};

}  // namespace epwise::calibrate
