#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cuda/timing.h"

namespace epwise::cuda {

namespace {

using calibrate::Kernel;
using calibrate::Round;
using calibrate::Scope;

constexpr double kShort = 50e-6;  // s: shorter work runs several times between two events
constexpr double kSpan = 200e-6;
constexpr int kMostRuns = 64;
constexpr int kMostLaunches = 400;

}  // namespace

TimedPoint::TimedPoint(Workshop& shop,
                       Timer& timer,
                       std::unique_ptr<Job> work,
                       std::unique_ptr<Job> beside,
                       const calibrate::Request& request)
    : shop_(shop),
      timer_(timer),
      work_(std::move(work)),
      beside_(std::move(beside)),
      request_(request),
      check_(work_->verify()),
      together_(request.scope != Scope::device && shop.ranks.size() > 1) {
  if (beside_ != nullptr && check_.result == calibrate::Check::Result::passed) {
    const calibrate::Check other = beside_->verify();
    if (other.result != calibrate::Check::Result::passed) {
      check_ = other;
    }
  }
}

/// All ranks must run as often: exchanges count their runs.
double TimedPoint::slowest(double seconds) const {
  if (!together_) {
    return seconds;
  }
  double most = seconds;
  for (const std::string& theirs : shop_.ranks.all_gather(fmt::format("{:.9g}", seconds))) {
    double value = 0;
    std::from_chars(theirs.data(), theirs.data() + theirs.size(), value);
    most = std::max(most, value);
  }
  return most;
}

int TimedPoint::runs_for(double seconds, const Job& job) const {
  if (seconds >= kShort) {
    return 1;
  }
  const int most = std::max(std::min(kMostRuns, kMostLaunches / std::max(job.launches(), 1)), 1);
  return std::clamp(static_cast<int>(std::ceil(kSpan / std::max(seconds, 1e-7))), 1, most);
}

Round TimedPoint::round() {
  Round round;
  try {
    time_round(round);
    const std::string trouble = work_->trouble();
    if (!trouble.empty()) {
      round.failure = trouble;
    }
  } catch (const DeviceError& error) {
    round.failure = error.what();
    round.fatal = error.fatal();
  }
  round.state = timer_.state();
  return round;
}

void TimedPoint::time_round(Round& round) {
  const double host = work_->host_seconds();
  if (host > 0) {
    round.seconds = host;
    return;
  }
  const Stream stream = shop_.gpu.work_stream();
  if (runs_ == 0) {
    alone_ = slowest(timer_.seconds_of(*work_, stream, 1, together_));
    runs_ = runs_for(alone_, *work_);
    if (beside_ != nullptr) {
      beside_alone_ = timer_.seconds_of(*beside_, stream, 1, false);
    }
  }
  const bool occupied = request_.beside && request_.beside->kernel == Kernel::occupier;
  if (occupied) {
    round.seconds =
        timer_.seconds_beside_occupier(*work_, request_.beside->sms, runs_) / work_->units();
    return;
  }
  if (beside_ == nullptr) {
    round.seconds = timer_.seconds_of(*work_, stream, runs_, together_) / work_->units();
    return;
  }
  const Timer::Pair pair =
      timer_.pair_of(*work_,
                     *beside_,
                     is_exchange(request_.work.kernel) || is_collective(request_.work.kernel),
                     alone_,
                     beside_alone_);
  round.seconds = pair.work / work_->units();
  round.beside_seconds = pair.beside / beside_->units();
  round.start_delay = pair.start_delay;
  const std::string trouble = beside_->trouble();
  if (!trouble.empty()) {
    throw DeviceError(trouble, false);
  }
}

}  // namespace epwise::cuda
