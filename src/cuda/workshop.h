#pragma once

#include <cstdint>
#include <string>

#include "calibrate/work/backend.h"
#include "cuda/blas.h"
#include "cuda/gpu.h"
#include "cuda/job.h"
#include "cuda/nccl.h"
#include "cuda/peers.h"

namespace epwise::cuda {

/// What jobs are made from. Everything outlives the jobs.
struct Workshop {
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
MadeJob make_memory_job(Workshop& shop, const calibrate::Work& work, std::uint64_t seed);

/// Permute, unpermute, swiglu.
MadeJob make_row_job(Workshop& shop, const calibrate::Work& work, std::uint64_t seed);

/// Router and scan.
MadeJob make_routing_job(Workshop& shop, const calibrate::Work& work, std::uint64_t seed);

/// Dispatch, combine and their epilogues. `scope` says where the other ranks are.
MadeJob make_exchange_job(Workshop& shop,
                          const calibrate::Work& work,
                          calibrate::Scope scope,
                          std::uint64_t seed);

/// One product or a group of them.
MadeJob make_gemm_job(Workshop& shop, const calibrate::Work& work, std::uint64_t seed);

/// Launches, graph, streams, host: constants of a timeline.
MadeJob make_launch_job(Workshop& shop, const calibrate::Work& work);

/// Collectives of NCCL, and copies to the next rank. `scope` says among whom.
MadeJob make_collective_job(Workshop& shop,
                            const calibrate::Work& work,
                            calibrate::Scope scope,
                            std::uint64_t seed);

}  // namespace epwise::cuda
