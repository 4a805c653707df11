#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::advise {

/// What a kernel does, as far as its name tells.
enum class KernelKind : std::uint8_t { other, product, exchange, setup, communication };

/// By the names that NCCL, DeepEP, HybridEP, cuBLAS, CUTLASS and Triton give their kernels:
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
    std::int32_t stream = 0;  // of the GPU; each communicator of a framework has its own
  };

  struct Range {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::string text;
  };

  std::string device;  // "NVIDIA H100 80GB HBM3"; may be empty
  std::vector<std::string> names;
  std::vector<Kernel> kernels;  // by start
  std::vector<Range> ranges;    // of NVTX, those that may be steps, by start
  bool hidden_graphs = false;   // whole CUDA graphs were recorded, without their kernels
};

/// NCCL's SendRecv kernels of one stream: tokens on their way, or a pipeline's activations.
struct SendStream {
  std::int32_t stream = 0;
  double per_step = 0;  // kernels that take long; short ones prepare them
  double seconds = 0;   // one of them, with what prepares it
};

/// What is measured in it, as medians over its steps.
struct RunFigures {
  int steps = 0;
  std::string found_by;           // "NVTX ranges `iteration`", "repeating kernels"
  double step = 0;                // s
  double exchange = 0;            // s, one exchange of tokens by a library's kernels; 0: none seen
  std::vector<SendStream> sends;  // by NCCL's instead, by stream; pipelines use them too
  double exposed = 0;             // share of the step in which only communication runs
  double products = 0;            // share of the step in which matrix products run
  double idle = 0;                // share of the step without any kernel
  std::string problem;            // why there are no figures; empty when all is well
};

/// Steps are the NVTX ranges of one name such as `iteration`, else what repeats: kernels whose
/// bursts come at one regular distance. The first of three or more steps is left out.
RunFigures figures_of(const RunProfile& profile);

/// What else a run sends from rank to rank, and how often.
struct Traffic {
  double exchanges = 0;  // of tokens, a step and GPU, at least
  double transfers = 0;  // between pipeline stages, a step and GPU, at most; 0: no pipeline
  bool rings = false;    // context parallelism passes keys and values on as well
};

/// The stream whose SendRecv kernels carry tokens, and no other ones: there is nothing else that
/// sends, or the counts of the streams tell the two apart. Null pointer: they can't be told apart.
const SendStream* exchange_stream(const std::vector<SendStream>& sends, const Traffic& traffic);

}  // namespace epwise::advise
