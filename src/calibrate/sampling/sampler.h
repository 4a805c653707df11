#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/file/calibration.h"
#include "calibrate/ranks/ranks.h"
#include "calibrate/work/backend.h"

namespace epwise::calibrate {

/// Seconds since an arbitrary moment. Tests and replays supply their own.
using Clock = std::function<double()>;

/// Reasons for points that are not measured but that a later run can still measure: as in
/// Point::reason.
constexpr const char* kInterrupted = "interrupted";
constexpr const char* kBudgetSpent = "the budget was spent";

/// When a point has been repeated often enough.
struct Stopping {
  double tight = 0.01;  // half width of the median's 95 % interval, relative
  int least_rounds = 10;
  int most_rounds = 100;
  double most_seconds = 1.5;  // of one point
  int warm_up = 3;            // discarded rounds
};

/// ±1 %, 10 to 100 rounds, 1.5 s; quick: ±2 %, 10 to 30 rounds, 0.3 s.
Stopping stopping_rule(bool quick);

/// Points that are measured together: a curve over SMs, or a pair with both of its parts alone.
struct Sweep {
  std::string name;
  std::vector<Request> requests;
};

/// The sampler's callbacks.
struct SamplerSettings {
  Stopping stopping = {};
  std::uint64_t seed = 1;
  Clock clock = {};
  double deadline = 0;                        // by the clock; 0: none
  std::function<bool()> is_interrupted = {};  // Ctrl-C
  // called for each point as soon as it is finished
  std::function<void(const Point&)> on_point = {};
};

/// Prepares, checks and times the points of one sweep. Rounds visit the points in shuffled order,
/// so that clock drift does not appear as a trend over SMs. Every rank calls it with the same
/// sweep; the slowest rank determines a round's time. Points that are unavailable end as not
/// measured, with a reason; those interrupted by the deadline or Ctrl-C keep their rounds if these
/// are enough to bound the median.
class Sampler {
 public:
  Sampler(Backend& backend, Ranks& ranks, SamplerSettings settings);

  /// The points in the order of the requests.
  std::vector<Point> measure(const Sweep& sweep);

  bool is_fatal() const { return !fatal_.empty(); }  // the device is lost; see fatal_reason

  const std::string& fatal_reason() const { return fatal_; }

 private:
  Backend& backend_;
  Ranks& ranks_;
  SamplerSettings settings_;
  std::string fatal_;
  friend class SweepRun;
};

}  // namespace epwise::calibrate
