#pragma once

#include <memory>
#include <vector>

#include "calibrate/work/backend.h"
#include "cuda/gpu.h"
#include "cuda/job.h"
#include "cuda/nvml.h"
#include "cuda/workshop.h"

namespace epwise::cuda {

/// A stream that the host holds shut while it queues: a kernel of one thread that waits for a word.
/// Nothing may be launched behind it for the first time: the driver loads a kernel then, and may
/// wait for the device meanwhile (a lock-up that nvbench met). Every job has run once before, in
/// `verify`.
class Gate {
 public:
  explicit Gate(Gpu& gpu);

  /// Holds `stream` from here on, `timeout` seconds at most.
  void close(Stream stream, double timeout);

  void open();

  /// Whether it gave up before it was opened: what was timed behind it is void.
  bool was_late() { return words_[1] == epoch_; }

  /// When it let go, s on the device's timer; after the stream was waited for.
  double opened_at() const;

 private:
  Gpu& gpu_;
  HostWords words_;
  std::unique_ptr<Memory> opened_;
  std::uint32_t epoch_ = 0;
};

/// Times runs of jobs: what all measurements of a backend share.
class Timer {
 public:
  Timer(Workshop& shop, Monitor& monitor);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Mean seconds of `runs` runs in a row, caches flushed before. `together`: all ranks at once.
  double seconds_of(Job& job, Stream stream, int runs, bool together);

  /// Seconds of a run of each beside the other, both over and over; only runs that lie wholly
  /// inside the other's count.
  struct Pair {
    double work = 0;
    double beside = 0;
    std::optional<double> start_delay = {};
  };

  /// `work_alone` and `beside_alone`: seconds of a run without the other.
  Pair pair_of(
      Job& work, Job& beside, bool work_is_exchange, double work_alone, double beside_alone);

  /// Seconds of a run while `sms` SMs are held.
  double seconds_beside_occupier(Job& job, int sms, int runs);

  calibrate::State state() { return monitor_.state(); }

 private:
  struct Track;

  Event event(std::size_t number);
  void flush(Stream stream);
  void queue_runs(Job& job, Stream stream, int runs, bool together);
  void await_runs(Stream stream);
  bool is_occupied(int sms);
  double elapsed(Event from, Event to) const;
  void queue_track(Track& track, std::size_t first_event);
  std::vector<double> inside(const Track& track, const Track& other, Event zero) const;

  Workshop& shop_;
  Gpu& gpu_;
  Monitor& monitor_;
  Gate gate_;
  Gate second_gate_;
  HostWords occupier_;  // stop, then a word for each block
  std::uint32_t occupation_ = 0;
  std::unique_ptr<Memory> sm_of_block_;
  std::unique_ptr<Memory> scratch_;
  std::vector<Event> events_;
};

/// One point: its jobs made and checked.
class TimedPoint : public calibrate::Measurement {
 public:
  TimedPoint(Workshop& shop,
             Timer& timer,
             std::unique_ptr<Job> work,
             std::unique_ptr<Job> beside,
             const calibrate::Request& request);

  const calibrate::Check& check() const override { return check_; }

  double memory_bytes() const override { return work_->memory_bytes(); }

  double payload_bytes() const override { return work_->payload_bytes(); }

  calibrate::Round round() override;

 private:
  void time_round(calibrate::Round& round);
  int runs_for(double seconds, const Job& job) const;
  double slowest(double seconds) const;

  Workshop& shop_;
  Timer& timer_;
  std::unique_ptr<Job> work_;
  std::unique_ptr<Job> beside_;
  calibrate::Request request_;
  calibrate::Check check_;
  bool together_;
  int runs_ = 0;
  double alone_ = 0;
  double beside_alone_ = 0;
};

}  // namespace epwise::cuda
