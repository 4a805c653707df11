#pragma once

#include <memory>
#include <vector>

#include "calibrate/work/backend.h"
#include "gpu/cuda/gpu.h"
#include "gpu/cuda/job.h"
#include "gpu/cuda/nvml.h"

namespace epwise::cuda {

/// A stream that the host blocks while it queues work: a single-thread kernel waits for a word.
/// Nothing may be launched for the first time after it: the driver then loads a kernel and may wait
/// for the device (a deadlock seen with nvbench). Every job has already run once, in `verify`.
class Gate {
 public:
  explicit Gate(Gpu& gpu);

  /// Blocks `stream` from here on, at most `timeout` seconds.
  void close(Stream stream, double timeout);

  void open();

  /// Whether it timed out before it was opened: timings after it are void.
  bool was_late() { return words_[1] == epoch_; }

  /// When it opened, s on the device's timer; valid after waiting for the stream.
  double opened_at() const;

 private:
  Gpu& gpu_;
  HostWords words_;
  std::unique_ptr<Memory> opened_;
  std::uint32_t epoch_ = 0;
};

/// Times runs of jobs: shared by all measurements of a backend.
class Timer {
 public:
  Timer(JobContext& context, Monitor& monitor);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Mean seconds of `runs` consecutive runs, with caches flushed before. `together`: all ranks at
  /// once.
  double seconds_of(Job& job, Stream stream, int runs, bool together);

  /// Seconds per run of each job while both run repeatedly and concurrently; only runs completely
  /// inside a run of the other count.
  struct Pair {
    double work = 0;
    double beside = 0;
    std::optional<double> start_delay = {};
  };

  /// `work_alone` and `beside_alone`: seconds per run without the other.
  Pair pair_of(
      Job& work, Job& beside, bool work_is_exchange, double work_alone, double beside_alone);

  /// Seconds per run while `sms` SMs are occupied.
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

  JobContext& context_;
  Gpu& gpu_;
  Monitor& monitor_;
  Gate gate_;
  Gate second_gate_;
  HostWords occupier_;  // stop, then one word per block
  std::uint32_t occupation_ = 0;
  std::unique_ptr<Memory> sm_of_block_;
  std::unique_ptr<Memory> scratch_;
  std::vector<Event> events_;
};

/// One point: its jobs created and checked.
class TimedPoint : public calibrate::Measurement {
 public:
  TimedPoint(JobContext& context,
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

  JobContext& context_;
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
