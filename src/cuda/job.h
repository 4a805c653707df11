#pragma once

#include <memory>
#include <string>
#include <vector>

#include "calibrate/work/backend.h"
#include "cuda/driver.h"

namespace epwise::cuda {

/// When a run began and ended on the device's own timer, for kernels that stamp it.
struct StampedRun {
  double first_start = 0;  // s; of the first block
  double last_start = 0;
  double last_end = 0;
};

/// Work that can be queued again and again, its inputs made and its memory taken. A job never waits
/// while it queues.
class Job {
 public:
  virtual ~Job() = default;

  /// One run. Of several runs in one round each has its number, from 0.
  virtual void queue(Stream stream, int run) = 0;

  /// Runs it once with its outputs poisoned, and compares.
  virtual calibrate::Check verify() = 0;

  virtual double memory_bytes() const { return 0; }

  virtual double payload_bytes() const { return 0; }

  /// Launches of one run: streams hold about a thousand before the host waits.
  virtual int launches() const { return 1; }

  /// How many units of the work one run is (64 launches): its time is divided.
  virtual double units() const { return 1; }

  /// Seconds of one unit when the host measures it by itself; 0: the device does.
  virtual double host_seconds() { return 0; }

  /// Whether runs are stamped, and the stamps of the last round's.
  virtual bool is_stamped() const { return false; }

  virtual void clear_stamps(Stream /*stream*/) {}

  virtual std::vector<StampedRun> stamps() { return {}; }

  /// What went wrong on the device since the last call: "rank 3 is silent"; empty: nothing.
  virtual std::string trouble() { return {}; }
};

/// A job, or why there is none.
struct MadeJob {
  std::unique_ptr<Job> job;
  std::string reason;
};

}  // namespace epwise::cuda
