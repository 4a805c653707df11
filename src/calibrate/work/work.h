#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cost/parameters.h"

/// What calibration runs. A backend (calibrate/work/backend.h) turns it into kernels or into
/// numbers of its own; plans, statistics, fits and files know no more of a kernel than this.
namespace epwise::calibrate {

enum class Kernel : std::uint8_t {
  hbm_copy,         // bytes: read plus written; with sms > 0 by that many blocks
  hbm_read,         // bytes: read
  hbm_write,        // bytes: written
  gemm,             // C[m,n] = A[m,k] B[k,n], operands random
  grouped_gemm,     // `groups` products of m rows each, by `stage`
  permute,          // tokens × topk rows of `hidden` scattered to experts, own kernel
  unpermute,        // gathered back, weighted, fp32 sum
  swiglu,           // tokens × topk rows: [2 · inter] → [inter]
  router,           // logits [tokens, experts] → top-k, probabilities, map
  scan,             // routing map of `ranks` · tokens × experts → counts and offsets
  dispatch,         // token rows to the ranks of their experts, one copy a rank
  combine,          // and back, summed at home
  copy_epilogue,    // all-SM second half of a dispatch: receive buffer → tensor
  reduce_epilogue,  // all-SM second half of a combine: sum of the copies
  occupier,         // holds `sms` SMs, no memory traffic; makes sense only in Request::beside
  launch,           // one empty kernel of a row of 64, launched eagerly
  graph_launch,     // one empty kernel of a graph of 64
  stream_hop,       // one stream waits for an event of another
  host_sync,        // counts (4 · experts bytes) to the host, and the host waits
  host_operation,   // the host's share of one framework operation (host_probe.h)
  all_to_all,       // NCCL; bytes: the whole send buffer of one rank, as nccl-tests counts
  all_gather,       // NCCL; bytes: what every rank ends with
  reduce_scatter,   // NCCL; bytes: what every rank starts with
  send_recv,        // NCCL; bytes: of one message, every rank to its partner and back at once
  peer_copy         // copy engine or `sms` blocks to the next rank; bytes: of one direction
};

/// Dispatch or combine.
bool is_exchange(Kernel kernel);

/// Whatever NCCL does, and copies between GPUs: a time by bytes.
bool is_collective(Kernel kernel);

/// One product or a group.
bool is_gemm(Kernel kernel);

/// How a dispatch or combine is built.
enum class Structure : std::uint8_t {
  direct,     // a warp a token, straight into the peer's memory
  pipelined,  // load and store warps around a queue in shared memory, chunks of 64 tokens
  staged      // half of the blocks push into rings, half drain them
};

enum class Stage : std::uint8_t { forward, data_gradient, weight_gradient };

/// Where a kernel's peers are.
enum class Scope : std::uint8_t {
  device,  // one GPU; an exchange runs in loopback, its ranks are regions of one allocation
  domain,  // ranks that reach each other's memory (NVLink)
  nodes    // ranks across domains
};

/// How a compute kernel is kept off SMs.
enum class Placement : std::uint8_t {
  deployed,  // it isn't: other streams hold them
  target,    // the library is told a number of SMs
  partition  // a green context
};

/// Sizes; what a kernel has no use for stays 0.
struct Shape {
  double bytes = 0;
  std::int64_t m = 0;  // of a group, where there are groups
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t groups = 0;
  std::int64_t tokens = 0;  // of one rank
  std::int64_t hidden = 0;
  std::int64_t inter = 0;  // width of one expert
  std::int64_t experts = 0;
  std::int64_t topk = 0;
  std::int64_t ranks = 0;  // of the exchange, virtual ones in loopback

  bool operator==(const Shape&) const = default;
};

/// One kernel with everything that decides its time.
struct Work {
  Kernel kernel = Kernel::hbm_copy;
  Shape shape = {};
  cost::Format format = cost::Format::bf16;
  Structure structure = Structure::direct;
  Stage stage = Stage::forward;
  Placement placement = Placement::deployed;
  int sms = 0;      // it may use, or an exchange takes; 0: all, or the library's choice
  double pace = 0;  // loopback exchanges: payload bytes/s that they are held to; 0: none

  bool operator==(const Work&) const = default;
};

/// One point of a plan.
struct Request {
  std::string id;  // "dispatch.direct.t4096.bf16.k16": unique, the point's name in the file
  Work work = {};
  std::optional<Work> beside = std::nullopt;  // runs all the while on another stream
  Scope scope = Scope::device;
  std::uint64_t seed = 1;  // of inputs and routing
};

/// "dispatch", "data_gradient": the words of files and messages.
std::string_view to_string(Kernel kernel);
std::string_view to_string(Structure structure);
std::string_view to_string(Stage stage);
std::string_view to_string(Scope scope);
std::string_view to_string(Placement placement);

/// And back; nullopt for a word that nobody knows.
std::optional<Kernel> kernel_of(std::string_view text);
std::optional<Structure> structure_of(std::string_view text);
std::optional<Stage> stage_of(std::string_view text);
std::optional<Scope> scope_of(std::string_view text);
std::optional<Placement> placement_of(std::string_view text);

}  // namespace epwise::calibrate
