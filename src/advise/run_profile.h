#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::advise {

/// The kind of a kernel, as far as its name shows.
enum class KernelKind : std::uint8_t { other, product, exchange, setup, communication };

/// Classifies the kernel names of NCCL, DeepEP, HybridEP, cuBLAS, CUTLASS and Triton:
///   kind_of("ncclDevKernel_SendRecv(…)") → exchange        tokens on their way
///   kind_of("deep_ep::internode::notify_dispatch<…>") → setup    before one
///   kind_of("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(…)") → communication
///   kind_of("nvjet_tst_128x256_…") → product               a matrix product
KernelKind kind_of(std::string_view name);

/// One GPU's part of a recorded run; times in ns of the profiler's clock.
struct RunProfile {
  struct Kernel {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int32_t name = 0;    // index of `names`
    std::int32_t stream = 0;  // on the GPU; each communicator of a framework has its own
  };

  struct Range {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::string text;
  };

  std::string device;  // "NVIDIA H100 80GB HBM3"; may be empty
  std::vector<std::string> names;
  std::vector<Kernel> kernels;  // by start
  std::vector<Range> ranges;    // NVTX ranges that may be steps, by start
  bool hidden_graphs = false;   // whole CUDA graphs were recorded, without their kernels
};

/// NCCL SendRecv kernels of one stream: token exchange or pipeline activations.
struct SendStream {
  std::int32_t stream = 0;
  double per_step = 0;  // long kernels; the short ones only prepare them
  double seconds = 0;   // one of them, including its preparation
};

/// Results as medians over the steps.
struct RunFigures {
  int steps = 0;
  std::string found_by;           // "NVTX ranges `iteration`", "repeating kernels"
  double step = 0;                // s
  double exchange = 0;            // s, one exchange of tokens by a library's kernels; 0: none seen
  std::vector<SendStream> sends;  // the same by NCCL, per stream; pipelines use them too
  double exposed = 0;             // share of the step in which only communication runs
  double products = 0;            // share of the step in which GEMMs run
  double idle = 0;                // share of the step without any kernel
  std::string problem;            // why there are no figures; empty on success
};

/// Steps are NVTX ranges with a common name such as `iteration`, or else repetitions: kernels whose
/// bursts recur at a regular interval. The first of three or more steps is ignored.
RunFigures figures_of(const RunProfile& profile);

/// Other traffic between ranks, and how often it occurs.
struct Traffic {
  double exchanges = 0;  // token exchanges, per step and GPU, at least
  double transfers = 0;  // pipeline sends, per step and GPU, at most; 0: no pipeline
  bool rings = false;    // context parallelism also passes keys and values on
};

/// The stream whose SendRecv kernels carry only tokens: either nothing else uses SendRecv, or the
/// counts per stream distinguish them. Null pointer if they cannot be distinguished.
const SendStream* exchange_stream(const std::vector<SendStream>& sends, const Traffic& traffic);

/// The start times of the steps of a recorded run.
struct RunSteps {
  std::vector<std::int64_t> bounds;  // start times; the last one is the end of the last step; ns
  std::string found_by;              // "NVTX ranges `iteration`", "repeating kernels"
};

/// Uses the longest series of NVTX ranges with one name, or else kernels whose bursts recur at a
/// regular interval. No bounds if neither exists.
RunSteps steps_of(const RunProfile& profile);

/// Whether the text of an NVTX range names a step: "iteration 12", "train_step", "ProfilerStep#7".
bool names_step(std::string_view text);

}  // namespace epwise::advise
