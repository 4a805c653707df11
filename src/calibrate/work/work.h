#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "perf/cost/parameters.h"

/// What calibration runs. A backend (calibrate/work/backend.h) turns it into kernels or generates
/// times; plans, statistics, fits and files know nothing else about a kernel.

namespace epwise::calibrate {

enum class Kernel : std::uint8_t {
  hbm_copy,         // bytes: read plus written; with sms > 0 by that many blocks
  hbm_read,         // bytes: read
  hbm_write,        // bytes: written
  gemm,             // C[m,n] = A[m,k] B[k,n], operands random
  grouped_gemm,     // `groups` GEMMs of m rows each, by `stage`
  permute,          // tokens × topk rows of `hidden` scattered to experts, own kernel
  unpermute,        // gathered back, weighted, summed in fp32
  swiglu,           // tokens × topk rows: [2 · inter] → [inter]
  router,           // logits [tokens, experts] → top-k, probabilities, map
  scan,             // routing map of `ranks` · tokens × experts → counts and offsets
  dispatch,         // token rows to the ranks of their experts, one copy per rank
  combine,          // and back, summed at the source
  copy_epilogue,    // all-SM second half of a dispatch: receive buffer → tensor
  reduce_epilogue,  // all-SM second half of a combine: sum of the copies
  occupier,         // occupies `sms` SMs without memory traffic; only useful in Request::beside
  launch,           // one empty kernel of a row of 64, launched eagerly
  graph_launch,     // one empty kernel of a graph of 64
  stream_hop,       // one stream waits for an event of another
  host_sync,        // counts (4 · experts bytes) to the host, which waits for them
  host_operation,   // the host's share of one framework operation (host_probe.h)
  all_to_all,       // NCCL; bytes: the whole send buffer of one rank, as nccl-tests counts
  all_gather,       // NCCL; bytes: the output of every rank
  reduce_scatter,   // NCCL; bytes: the input of every rank
  send_recv,        // NCCL; bytes: of one message, every rank to its partner and back at once
  peer_copy         // copy engine or `sms` blocks to the next rank; bytes: in one direction
};

/// Dispatch or combine.
bool is_exchange(Kernel kernel);

/// NCCL collectives and copies between GPUs: a time as a function of bytes.
bool is_collective(Kernel kernel);

/// One GEMM or a group of them.
bool is_gemm(Kernel kernel);

/// The implementation of a dispatch or combine.
enum class Structure : std::uint8_t {
  direct,     // one warp per token, directly into the peer's memory
  pipelined,  // load and store warps around a queue in shared memory, chunks of 64 tokens
  staged      // half of the blocks fill rings, the other half drain them
};

enum class Stage : std::uint8_t { forward, data_gradient, weight_gradient };

/// Location of a kernel's peers.
enum class Scope : std::uint8_t {
  device,  // one GPU; an exchange runs in loopback, its ranks are regions of one allocation
  domain,  // ranks with access to each other's memory (NVLink)
  nodes    // ranks across domains
};

/// How a compute kernel is limited to a subset of the SMs.
enum class Placement : std::uint8_t {
  deployed,  // it is not limited: other streams occupy them
  target,    // the library is given an SM count
  partition  // a green context
};

/// Sizes; those that a kernel does not use stay 0.
struct Shape {
  double bytes = 0;
  std::int64_t m = 0;  // per group, if there are groups
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t groups = 0;
  std::int64_t tokens = 0;  // per rank
  std::int64_t hidden = 0;
  std::int64_t inter = 0;  // FFN hidden size of one expert
  std::int64_t experts = 0;
  std::int64_t topk = 0;
  std::int64_t ranks = 0;  // of the exchange, virtual ones in loopback

  bool operator==(const Shape&) const = default;
};

/// One kernel with everything that determines its time.
struct Work {
  Kernel kernel = Kernel::hbm_copy;
  Shape shape = {};
  cost::Format format = cost::Format::bf16;
  Structure structure = Structure::direct;
  Stage stage = Stage::forward;
  Placement placement = Placement::deployed;
  int sms = 0;      // that it may use, or that an exchange uses; 0: all, or the library's choice
  double pace = 0;  // loopback exchanges: limit of payload bytes/s; 0: none

  bool operator==(const Work&) const = default;
};

/// One point of a plan.
struct Request {
  std::string id;  // "dispatch.direct.t4096.bf16.k16": unique; the point's name in the file
  Work work = {};
  std::optional<Work> beside = std::nullopt;  // runs throughout on another stream
  Scope scope = Scope::device;
  std::uint64_t seed = 1;  // seed of inputs and routing
};

/// "dispatch", "data_gradient": the words of files and messages.
std::string_view to_string(Kernel kernel);
std::string_view to_string(Structure structure);
std::string_view to_string(Stage stage);
std::string_view to_string(Scope scope);
std::string_view to_string(Placement placement);

/// And back; nullopt for an unknown word.
std::optional<Kernel> kernel_of(std::string_view text);
std::optional<Structure> structure_of(std::string_view text);
std::optional<Stage> stage_of(std::string_view text);
std::optional<Scope> scope_of(std::string_view text);
std::optional<Placement> placement_of(std::string_view text);

}  // namespace epwise::calibrate
