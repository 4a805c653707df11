#include "gpu/cuda/timing.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "calibrate/sampling/statistics.h"
#include "gpu/abi/exchange.h"
#include "gpu/cuda/agreement.h"

namespace epwise::cuda {

namespace {

constexpr double kGateLimit = 8;        // s; a gate that is still closed then hides a deadlock
constexpr double kOccupierLimit = 20;   // s
constexpr int kMostGateLaunches = 400;  // after one gate: a stream holds about a thousand
constexpr int kMostRoundRuns = 48;      // per round; exchanges keep stamps of more
constexpr std::size_t kOpen = 0;
constexpr std::size_t kLate = 1;
constexpr std::size_t kStop = 0;
constexpr std::size_t kRunning = 1;
constexpr int kMostOccupied = 512;

void sleep_for(double seconds) {
  const auto start = std::chrono::steady_clock::now();
  // Sleeping is too coarse for parts of a millisecond.
  while (std::chrono::steady_clock::now() - start < std::chrono::duration<double>(seconds)) {
  }
}

/// Opens gates at the end of a round, also after an exception: nothing remains blocked.
class Opening {
 public:
  explicit Opening(std::vector<Gate*> gates) : gates_(std::move(gates)) {}

  ~Opening() {
    for (Gate* gate : gates_) {
      gate->open();
    }
  }

  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

 private:
  std::vector<Gate*> gates_;
};

}  // namespace

Gate::Gate(Gpu& gpu)
    : gpu_(gpu),
      words_(gpu.driver(), 2),
      opened_(std::make_unique<Memory>(gpu.driver(), 16)) {}

void Gate::close(Stream stream, double timeout) {
  ++epoch_;
  abi::GateArguments arguments = {};
  arguments.open = words_.on_device(kOpen);
  arguments.late = words_.on_device(kLate);
  arguments.opened = opened_->as<std::uint64_t>();
  arguments.timeout = static_cast<std::uint64_t>(timeout * 1e9);
  arguments.epoch = epoch_;
  gpu_.launch(stream, "epwise_gate", {1, 32}, arguments);
}

void Gate::open() {
  words_[kOpen] = epoch_;
}

double Gate::opened_at() const {
  return static_cast<double>(gpu_.download<std::uint64_t>(opened_->address(), 1).front()) * 1e-9;
}

/// Runs of one job on one stream, with an event before the first and after each.
struct Timer::Track {
  Job& job;
  Stream stream;
  int runs;
  std::vector<Event> events = {};
  std::vector<StampedRun> stamps = {};
};

Timer::Timer(JobContext& context, Monitor& monitor)
    : context_(context),
      gpu_(context.gpu),
      monitor_(monitor),
      gate_(context.gpu),
      second_gate_(context.gpu),
      occupier_(context.gpu.driver(), kRunning + kMostOccupied),
      sm_of_block_(std::make_unique<Memory>(context.gpu.driver(), 4096)),
      scratch_(std::make_unique<Memory>(
          context.gpu.driver(),
          2 * static_cast<std::size_t>(std::max(context.gpu.attribute(kL2Bytes), 1 << 20)))) {}

Timer::~Timer() {
  for (const Event made : events_) {
    gpu_.driver().cuEventDestroy_v2(made);
  }
}

Event Timer::event(std::size_t number) {
  while (events_.size() <= number) {
    Event made = nullptr;
    check(gpu_.driver(), gpu_.driver().cuEventCreate(&made, kEventDefault), "cuEventCreate");
    events_.push_back(made);
  }
  return events_[number];
}

/// The caches contain no inputs afterwards.
void Timer::flush(Stream stream) {
  gpu_.set_bytes(stream, *scratch_, 0);
}

double Timer::elapsed(Event from, Event to) const {
  float milliseconds = 0;
  check(gpu_.driver(),
        gpu_.driver().cuEventElapsedTime(&milliseconds, from, to),
        "cuEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

void Timer::queue_runs(Job& job, Stream stream, int runs, bool together) {
  flush(stream);
  gate_.close(stream, kGateLimit);
  if (together) {
    job.queue(stream, 0);  // ranks leave it at the same moment, however late some gates open
  }
  check(gpu_.driver(), gpu_.driver().cuEventRecord(event(0), stream), "cuEventRecord");
  for (int run = 0; run < runs; ++run) {
    job.queue(stream, run);
  }
  check(gpu_.driver(), gpu_.driver().cuEventRecord(event(1), stream), "cuEventRecord");
}

void Timer::await_runs(Stream stream) {
  gate_.open();
  gpu_.wait(stream, context_.timeout);
  if (gate_.was_late()) {
    throw DeviceError("the launches took longer than the gate kernel waits", false);
  }
}

double Timer::seconds_of(Job& job, Stream stream, int runs, bool together) {
  const Opening opening({&gate_});
  if (together) {
    // No gate opens before every rank has queued its share, and no rank continues alone.
    in_step(context_.ranks, [&] { queue_runs(job, stream, runs, true); });
    in_step(context_.ranks, [&] { await_runs(stream); });
  } else {
    queue_runs(job, stream, runs, false);
    await_runs(stream);
  }
  return elapsed(event(0), event(1)) / runs;
}

void Timer::queue_track(Track& track, std::size_t first_event) {
  track.events.push_back(event(first_event));
  check(gpu_.driver(),
        gpu_.driver().cuEventRecord(track.events.back(), track.stream),
        "cuEventRecord");
  for (int run = 0; run < track.runs; ++run) {
    track.job.queue(track.stream, run);
    track.events.push_back(event(first_event + 1 + static_cast<std::size_t>(run)));
    check(gpu_.driver(),
          gpu_.driver().cuEventRecord(track.events.back(), track.stream),
          "cuEventRecord");
  }
}

/// Seconds of the runs of `track` that began and ended while `other` was running. A stamped run
/// counts from its first block to its last, excluding the wait for SMs before it.
std::vector<double> Timer::inside(const Track& track, const Track& other, Event zero) const {
  const double begin = elapsed(zero, other.events.front());
  const double end = elapsed(zero, other.events.back());
  std::vector<double> seconds;
  for (std::size_t run = 0; run + 1 < track.events.size(); ++run) {
    const double from = elapsed(zero, track.events[run]);
    const double to = elapsed(zero, track.events[run + 1]);
    if (from >= begin && to <= end) {
      const bool stamped =
          run < track.stamps.size() && track.stamps[run].last_end > track.stamps[run].first_start;
      seconds.push_back(stamped ? track.stamps[run].last_end - track.stamps[run].first_start
                                : to - from);
    }
  }
  return seconds;
}

Timer::Pair Timer::pair_of(
    Job& work, Job& beside, bool work_is_exchange, double work_alone, double beside_alone) {
  constexpr double kRunsOfLonger = 5;
  constexpr double kLeastSpan = 1e-3;
  constexpr double kLonger = 1.6;  // the concurrent job must cover the work, which it slows down
  const double span = std::max(kRunsOfLonger * std::max(work_alone, beside_alone), kLeastSpan);
  const auto runs = [](double target, double alone, const Job& job) {
    const int most =
        std::max(std::min(kMostRoundRuns, kMostGateLaunches / std::max(job.launches(), 1)), 3);
    return std::clamp(static_cast<int>(std::ceil(target / std::max(alone, 1e-6))), 3, most);
  };
  // Communication uses the high-priority stream, whichever side it is on.
  Track first = {work,
                 work_is_exchange ? gpu_.other_stream() : gpu_.work_stream(),
                 runs(span, work_alone, work)};
  Track second = {beside,
                  work_is_exchange ? gpu_.work_stream() : gpu_.other_stream(),
                  runs(kLonger * span, beside_alone, beside)};
  work.clear_stamps(first.stream);
  beside.clear_stamps(second.stream);
  flush(second.stream);
  gpu_.wait(second.stream, context_.timeout);
  const Event zero = event(0);
  const Opening opening({&gate_, &second_gate_});
  constexpr std::size_t kFirst = 1;
  constexpr std::size_t kSecond = kFirst + 2 + kMostRoundRuns;
  second_gate_.close(first.stream, kGateLimit);
  queue_track(first, kFirst);
  gate_.close(second.stream, kGateLimit);
  check(gpu_.driver(), gpu_.driver().cuEventRecord(zero, second.stream), "cuEventRecord");
  queue_track(second, kSecond);
  gate_.open();
  // The work arrives in the middle of a run of the other: its first blocks must wait for SMs.
  sleep_for(0.4 * beside_alone);
  second_gate_.open();
  gpu_.wait(first.stream, context_.timeout);
  gpu_.wait(second.stream, context_.timeout);
  if (gate_.was_late() || second_gate_.was_late()) {
    throw DeviceError("the launches took longer than the gate kernel waits", false);
  }
  first.stamps = work.stamps();
  second.stamps = beside.stamps();
  const auto of_work = inside(first, second, zero);
  const auto of_beside = inside(second, first, zero);
  if (of_work.empty() || of_beside.empty()) {
    throw DeviceError("the two kernels never overlapped completely", false);
  }
  Pair pair = {calibrate::median_of(of_work), calibrate::median_of(of_beside), {}};
  if (!first.stamps.empty() && first.stamps.front().last_end > 0) {
    pair.start_delay = std::max(first.stamps.front().first_start - second_gate_.opened_at(), 0.0);
  }
  return pair;
}

bool Timer::is_occupied(int sms) {
  for (int block = 0; block < sms; ++block) {
    if (occupier_[kRunning + static_cast<std::size_t>(block)] != occupation_) {
      return false;
    }
  }
  return true;
}

double Timer::seconds_beside_occupier(Job& job, int sms, int runs) {
  if (sms > kMostOccupied) {
    throw DeviceError("the occupier holds up to " + std::to_string(kMostOccupied) + " SMs", false);
  }
  ++occupation_;
  abi::OccupyArguments arguments = {};
  arguments.stop = occupier_.on_device(kStop);
  arguments.running = occupier_.on_device(kRunning);
  arguments.sm_of_block = sm_of_block_->as<std::uint32_t>();
  arguments.timeout = static_cast<std::uint64_t>(kOccupierLimit * 1e9);
  arguments.epoch = occupation_;
  LaunchShape shape = {sms, 32, gpu_.shared_limit(), true, 1};
  shape.cluster = gpu_.capability() >= 90 && sms % 2 == 0 ? 2 : 1;
  gpu_.launch(gpu_.other_stream(), "epwise_occupy", shape, arguments);
  const auto start = std::chrono::steady_clock::now();
  while (!is_occupied(sms) && gpu_.driver().cuStreamQuery(gpu_.other_stream()) == kNotReady &&
         std::chrono::steady_clock::now() - start < std::chrono::duration<double>(kOccupierLimit)) {
    std::this_thread::yield();
  }
  const bool held = is_occupied(sms);
  double seconds = 0;
  std::optional<DeviceError> problem;
  try {
    seconds = held ? seconds_of(job, gpu_.work_stream(), runs, false) : 0;
  } catch (const DeviceError& error) {
    problem = error;
  }
  const bool was_running = gpu_.driver().cuStreamQuery(gpu_.other_stream()) == kNotReady;
  occupier_[kStop] = occupation_;
  gpu_.wait(gpu_.other_stream(), context_.timeout);
  const auto places =
      gpu_.download<std::uint32_t>(sm_of_block_->address(), static_cast<std::size_t>(sms));
  const auto occupied =
      static_cast<int>(std::set<std::uint32_t>(places.begin(), places.end()).size());
  if (problem) {
    throw DeviceError(*problem);
  }
  if (!held || !was_running || occupied != sms) {
    throw DeviceError("the occupier did not hold " + std::to_string(sms) + " SMs throughout",
                      false);
  }
  return seconds;
}

namespace {

using calibrate::Kernel;
using calibrate::Round;
using calibrate::Scope;

constexpr double kShort = 50e-6;  // s: shorter work runs several times between two events
constexpr double kSpan = 200e-6;
constexpr int kMostPointRuns = 64;
constexpr int kMostPointLaunches = 400;

}  // namespace

TimedPoint::TimedPoint(JobContext& context,
                       Timer& timer,
                       std::unique_ptr<Job> work,
                       std::unique_ptr<Job> beside,
                       const calibrate::Request& request)
    : context_(context),
      timer_(timer),
      work_(std::move(work)),
      beside_(std::move(beside)),
      request_(request),
      check_(work_->verify()),
      together_(request.scope != Scope::device && context.ranks.size() > 1) {
  if (beside_ != nullptr && check_.result == calibrate::Check::Result::passed) {
    const calibrate::Check other = beside_->verify();
    if (other.result != calibrate::Check::Result::passed) {
      check_ = other;
    }
  }
}

/// All ranks must run equally often: exchanges count their runs.
double TimedPoint::slowest(double seconds) const {
  if (!together_) {
    return seconds;
  }
  double most = seconds;
  for (const std::string& theirs : context_.ranks.all_gather(fmt::format("{:.9g}", seconds))) {
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
  const int most =
      std::max(std::min(kMostPointRuns, kMostPointLaunches / std::max(job.launches(), 1)), 1);
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
  const Stream stream = context_.gpu.work_stream();
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
