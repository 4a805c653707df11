#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "lint/facts/facts.h"
#include "perf/workload/architecture.h"
#include "perf/workload/pipeline_layout.h"

/// All inputs of a prediction for one recipe on one target, as plain values.
namespace epwise::workload {

enum class InputStatus : std::uint8_t {
  written,   // in the recipe, its overrides or its environment
  standard,  // the framework's default, or set by its launch
  profile,   // from the hardware profile, with a source
  assumed,   // not given
};

std::string_view to_string(InputStatus status);  // "written", "default", "profile", "assumed"

/// An input that affects the accuracy, for the report.
struct Input {
  std::string_view key;  // "routing", "cpu", "pipeline_layout": see workload_inputs.h
  std::string value;     // for display: "forced", "x86", "fp32 moments"
  InputStatus status = InputStatus::assumed;
  std::string why;  // assumed: the reasoning, and what would determine it

  bool operator==(const Input&) const = default;
};

struct Parallel {
  int gpus = 1;
  int tensor = 1;
  int pipeline = 1;
  int virtual_stages = 1;  // chunks of a stage
  int context = 1;
  int expert = 1;
  int expert_tensor = 1;
  int data = 1;           // of the dense parameters, without context parallelism
  int expert_data = 1;    // of the experts
  int chunk_group = 1;    // micro-batches that a chunk runs before the next one
  bool sequence = false;  // sequence parallelism
  bool tensor_overlap = false;
  bool transfers_overlap = true;  // between stages with virtual ones
  std::vector<Chunk> chunks;      // pipeline · virtual_stages

  /// Ranks that share one set of dense gradients: data times context.
  int dense_replicas() const { return data * context; }
};

struct Batch {
  int micro = 1;         // sequences
  int global = 1;        // sequences
  int microbatches = 1;  // of one step and data-parallel rank
};

enum class Precision : std::uint8_t { bf16, fp8_tensor, fp8_block, mxfp8, nvfp4 };

std::string_view to_string(Precision precision);  // "bf16", "fp8_cs", "fp8_block", "mxfp8", "nvfp4"

enum class Dispatcher : std::uint8_t { alltoall, allgather, deepep, hybridep, ncclep };

std::string_view to_string(Dispatcher dispatcher);

/// Whether the dispatcher sends a single copy of a token to a rank or node with several of its
/// experts.
bool deduplicates(Dispatcher dispatcher);

struct Exchange {
  Dispatcher dispatcher = Dispatcher::alltoall;
  int sms = 0;  // of its kernels
  bool permute_fusion = false;
  bool overlap = false;  // 1F1B with overlapped expert-parallel communication
  bool delayed_wgrad = false;
  bool shared_expert_overlap = false;  // on its own stream, concurrent with the exchange
  // experts' weight gradients concurrent with the backward dispatch
  bool wgrad_beside_dispatch = false;
  bool one_queue = false;  // CUDA_DEVICE_MAX_CONNECTIONS=1: kernels start in the order of issue
  int nvlink_ranks = 0;    // that HybridEP takes for one NVLink domain; 0: those of the machine
  double static_heap = 0;  // bytes that NVSHMEM reserves when it starts; 0: it grows with use
};

enum class Balance : std::uint8_t {
  forced,   // random routing with equal loads
  dropped,  // tokens over the capacity are dropped, and with padding every expert runs all of it
  natural,
};

std::string_view to_string(Balance balance);

struct Routing {
  Balance balance = Balance::natural;
  double capacity = 0;       // per expert, relative to its share; 0: no limit
  bool padded = false;       // every expert runs its whole capacity
  bool even = false;         // forced balancing beside a capacity
  double rank_capacity = 1;  // of the static buffers of a rank; 1: none, sizes follow the tokens
  double stash = 0;          // balanced rows that the pages of a paged stash hold; 0: no stash
  double imbalance = 0;      // stated: tokens of the most loaded rank over the mean; 0: not stated

  /// Whether random routing gives all experts equal loads, before a capacity drops any.
  bool is_forced() const { return even || balance == Balance::forced; }

  /// Rows that experts process, over those that the router sends: padding runs the whole capacity,
  /// without it at most the share remains.
  ///   capacity 1.25 → 1; padded → 1.25; capacity 0.8 → 0.8
  double kept_rows() const;

  /// The tokens of the most loaded rank over the mean, from those without a limit: a capacity bounds
  /// them, and padding makes all ranks equal.
  ///   limited(1.24), capacity 1.1 → 1.1; padded → 1; capacity 2 → 1.24
  double limited(double natural) const;
};

struct Graphs {
  bool full_iteration = false;
  bool whole_layers = false;
  bool attention = false;
  bool mamba = false;
  bool dense_mlp = false;
  bool experts = false;  // "moe": the whole expert layer
  bool router = false;
  bool preprocess = false;
  bool every_micro_batch = false;  // static buffers are not reused within a step

  bool any() const {
    return full_iteration || whole_layers || attention || mamba || dense_mlp || experts || router ||
           preprocess;
  }
};

struct Recompute {
  bool full = false;   // whole layers
  int interval = 1;    // full: layers between two checkpoints ("uniform") …
  bool block = false;  // … or the layers of a stage that are recomputed
  bool core_attention = false;
  bool norms = false;
  bool latent_projections = false;  // mla_up_proj
  bool expert_activation = false;   // moe_act
  bool experts = false;             // moe
  bool dense_mlp = false;           // mlp
  bool shared_expert = false;
  bool inputs_stay = false;  // of recomputed experts, until the next forward pass: see memory.h
};

/// Activations kept in host memory between the forward and the backward pass.
struct ActivationOffload {
  bool attention_norm = false;
  bool core_attention = false;
  bool attention_projection = false;
  bool feed_forward_norm = false;
  bool expert_input = false;       // expert_fc1
  bool expert_activation = false;  // moe_act
  bool queries_keys_values = false;
  int whole_layers = 0;  // cpu_offloading_num_layers

  bool any() const {
    return attention_norm || core_attention || attention_projection || feed_forward_norm ||
           expert_input || expert_activation || queries_keys_values || whole_layers > 0;
  }

  bool operator==(const ActivationOffload&) const = default;
};

/// State bytes per parameter.
struct Optimizer {
  bool distributed = false;  // states are sharded over the data-parallel ranks
  double weight = 2;         // of a GEMM matrix: all its copies
  double gradient = 4;       // of the gradient accumulation buffer
  double main_gradient = 4;  // read by the optimizer
  double main_weight = 4;
  double moments = 8;         // both
  double host_fraction = 0;   // share of the states in host memory
  bool host_overlap = false;  // copies to and from it beside their updates
  double trained = 1;         // share of the parameters; with adapters, theirs
  bool open = false;          // a library recipe decides on types: FP32 moments are an assumption
  bool overlap_gradients = false;
  bool overlap_weights = false;
};

enum class Sharding : std::uint8_t { none, optimizer, gradients, weights };  // of Megatron-FSDP

enum class Cpu : std::uint8_t { x86, grace };

/// Machine properties that affect counts and bytes.
struct Machine {
  int nvlink_domain = 8;  // GPUs of a job in the same domain
  int gpus_per_node = 8;
  double memory = 0;    // bytes per GPU; 0: unknown
  double nic_rate = 0;  // bytes per second per GPU
  Cpu cpu = Cpu::x86;
};

/// Bytes for each score of a query and a key where attention runs without a fused kernel.
struct StoredScores {
  double kept = 0;       // from the forward to the backward pass; 0: fused, no score is stored
  double transient = 0;  // in addition, during either pass of one layer

  bool operator==(const StoredScores&) const = default;
};

struct Kernels {
  bool fused_softmax = false;  // learnable softmax inside the attention kernel
  StoredScores scores;
  bool fp8_attention = false;
  bool fused_experts = false;  // grouped MLP as one kernel chain with activation and quantisation
  bool fused_loss = false;     // TE's cross-entropy, which works in place on the logits
  bool compiled_loss = true;   // otherwise: its element-wise passes are fused
  bool fused_router = false;   // scores, top-k, map and losses as three kernels
  bool fused_rope = true;
  bool fused_residual = true;
  bool fused_activation = true;
  bool fused_accumulation = true;  // weight gradients are added inside their GEMMs
  bool grouped_experts = true;     // local experts in one call, otherwise one after the other
  bool copies_padding = false;     // rows of an expert are copied to a multiple of the format's
  bool separate_allocations =
      false;                      // Transformer Engine allocates each part of a quantised tensor
  bool separate_swizzle = false;  // … and rearranges the scales of each expert on its own

  bool operator==(const Kernels&) const = default;
};

struct Workload {
  Architecture architecture;
  Parallel parallel;
  Batch batch;
  Precision precision = Precision::bf16;
  Exchange exchange;
  Routing routing;
  Graphs graphs;
  Recompute recompute;
  ActivationOffload offload;
  Optimizer optimizer;
  Sharding sharding = Sharding::none;
  Machine machine;
  Kernels kernels;
  std::vector<Input> inputs;  // stated and assumed inputs, in a fixed order

  /// Tokens per micro-batch of a tensor-parallel group, and those that one of its ranks sends to
  /// the experts.
  double group_tokens() const;
  double tokens() const;

  const Input* input(std::string_view key) const;
};

/// A workload, or all reasons why there is none: fields without value and default, sizes that do
/// not divide. Nothing is made up.
struct WorkloadReading {
  Workload workload;  // only meaningful without problems
  std::vector<text::Diagnostic> problems;
};

/// Reads the facts as left by the launch (after lint::run_launch), for Bridge and Megatron-LM
/// alike. The names must include the knowledge's derived values (d.*). Without `unpriced`, the inputs
/// do not list the settings that a prediction ignores: listing them takes longer than the rest.
WorkloadReading read_workload(const facts::Facts& facts, bool unpriced = true);

}  // namespace epwise::workload
