#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/work/backend.h"
#include "gpu/cuda/blas.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/gpu.h"
#include "gpu/cuda/nccl.h"
#include "gpu/cuda/peers.h"

namespace epwise::cuda {

/// Start and end of a run on the device's own timer, for kernels that record it.
struct StampedRun {
  double first_start = 0;  // s; of the first block
  double last_start = 0;
  double last_end = 0;
};

/// Work that can be queued repeatedly, with inputs created and memory allocated. A job never waits
/// while queueing.
class Job {
 public:
  virtual ~Job() = default;

  /// One run. The runs of a round are numbered from 0.
  virtual void queue(Stream stream, int run) = 0;

  /// Runs it once with poisoned outputs, and compares.
  virtual calibrate::Check verify() = 0;

  virtual double memory_bytes() const { return 0; }

  virtual double payload_bytes() const { return 0; }

  /// Launches per run: streams accept about a thousand before the host blocks.
  virtual int launches() const { return 1; }

  /// Units of work per run (64 launches): the time is divided by it.
  virtual double units() const { return 1; }

  /// Seconds per unit if the host measures it itself; 0: the device does.
  virtual double host_seconds() { return 0; }

  /// Whether runs are stamped, and the stamps of the last round.
  virtual bool is_stamped() const { return false; }

  virtual void clear_stamps(Stream /*stream*/) {}

  virtual std::vector<StampedRun> stamps() { return {}; }

  /// Device failures since the last call: "rank 3 is silent"; empty: none.
  virtual std::string trouble() { return {}; }
};

/// A job, or why there is none.
struct MadeJob {
  std::unique_ptr<Job> job;
  std::string reason;
};

inline constexpr double kJobPatience = 20;  // seconds that one launch of a job may take

/// Inputs for creating jobs. Everything must outlive the jobs.
struct JobContext {
  Gpu& gpu;
  Pool& pool;
  calibrate::Ranks& ranks;
  Peers& peers;
  const Blas* blas = nullptr;                   // null pointers: see the reasons
  Communicator* communicator = nullptr;         // of all ranks
  Communicator* domain_communicator = nullptr;  // of this rank's domain; may be the same
  std::string blas_reason = {};
  std::string nccl_reason = {};
  double timeout = 60;
};

/// "dispatch: …" checks that failed or passed.
calibrate::Check bitwise(std::uint64_t wrong, const std::string& where);
calibrate::Check within(const std::string& kind, double error, double tolerance);

/// Copy, read, write of memory.
MadeJob make_memory_job(JobContext& context, const calibrate::Work& work, std::uint64_t seed);

/// Permute, unpermute, swiglu.
MadeJob make_row_job(JobContext& context, const calibrate::Work& work, std::uint64_t seed);

/// Router and scan.
MadeJob make_routing_job(JobContext& context, const calibrate::Work& work, std::uint64_t seed);

/// Dispatch, combine and their epilogues. `scope` is the location of the other ranks.
MadeJob make_exchange_job(JobContext& context,
                          const calibrate::Work& work,
                          calibrate::Scope scope,
                          std::uint64_t seed);

/// One GEMM or a group of them.
MadeJob make_gemm_job(JobContext& context, const calibrate::Work& work, std::uint64_t seed);

/// Launches, graph, streams, host: constants of a timeline.
MadeJob make_launch_job(JobContext& context, const calibrate::Work& work);

/// NCCL collectives, and copies to the next rank. `scope` gives the participants.
MadeJob make_collective_job(JobContext& context,
                            const calibrate::Work& work,
                            calibrate::Scope scope,
                            std::uint64_t seed);

}  // namespace epwise::cuda
