#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/architecture.h"
#include "model/facts.h"
#include "model/pipeline_layout.h"
#include "text/diagnostic.h"

/// Everything that a prediction needs to know of one recipe on one target, as plain values.
namespace epwise::model {

enum class InputStatus : std::uint8_t {
  written,   // in the recipe, its overrides or its environment
  standard,  // the framework's default, or what its launch makes of the recipe
  profile,   // of the hardware profile, with a source
  assumed,   // nobody says it
};

std::string_view to_string(InputStatus status);  // "written", "default", "profile", "assumed"

/// An input that matters to the accuracy, for the report.
struct Input {
  std::string_view key;  // "routing", "cpu", "pipeline_layout": see workload_inputs.h
  std::string value;     // for people: "forced", "x86", "fp32 moments"
  InputStatus status = InputStatus::assumed;
  std::string why;  // assumed: by which reasoning, and what would settle it

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
  std::vector<Chunk> chunks;  // pipeline · virtual_stages

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

/// Whether the dispatcher sends one copy of a token to a rank or node that holds several of its
/// experts.
bool deduplicates(Dispatcher dispatcher);

struct Exchange {
  Dispatcher dispatcher = Dispatcher::alltoall;
  int sms = 0;  // of its kernels
  bool permute_fusion = false;
  bool overlap = false;  // 1F1B with expert-parallel communication hidden
  bool delayed_wgrad = false;
  bool shared_expert_overlap = false;  // on a stream of its own, beside the exchange
  bool wgrad_beside_dispatch = false;  // experts' weight gradients beside the backward dispatch
};

enum class Balance : std::uint8_t {
  forced,   // random routing of equal load
  dropped,  // tokens over the capacity are dropped and the rest is padded
  natural,
};

std::string_view to_string(Balance balance);

struct Routing {
  Balance balance = Balance::natural;
  double capacity = 0;       // of an expert, relative to its share; 0: no limit
  double rank_capacity = 1;  // of the static buffers of a rank; 1: none, sizes follow the tokens
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
};

/// Activations that wait in host memory between the forward and the backward pass.
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

/// Bytes of one parameter's state.
struct Optimizer {
  bool distributed = false;  // states are spread over the data-parallel ranks
  double weight = 2;         // of a matrix that is multiplied with: all its copies
  double gradient = 4;       // of the buffer that gradients are added up in
  double main_gradient = 4;  // that the optimizer reads
  double main_weight = 4;
  double moments = 8;        // both
  double host_fraction = 0;  // of the states that stands in host memory
  bool overlap_gradients = false;
  bool overlap_weights = false;
};

enum class Sharding : std::uint8_t { none, optimizer, gradients, weights };  // of Megatron-FSDP

enum class Cpu : std::uint8_t { x86, grace };

/// What of the machine decides counts and bytes.
struct Machine {
  int nvlink_domain = 8;  // GPUs of a job that share one
  int gpus_per_node = 8;
  double memory = 0;    // bytes of one GPU; 0: not known
  double nic_rate = 0;  // bytes a second of one GPU
  Cpu cpu = Cpu::x86;
};

struct Kernels {
  bool fused_softmax = false;  // learnable softmax inside the attention kernel
  bool fp8_attention = false;
  bool fused_experts = false;  // grouped MLP as one kernel chain with activation and quantisation
  bool fused_loss = false;     // TE's cross-entropy, which works in the logits' own memory
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
  std::vector<Input> inputs;  // what was said and what assumed, in a fixed order

  /// Tokens of one micro-batch that a tensor-parallel group holds, and that one of its ranks sends
  /// to the experts.
  double group_tokens() const;
  double tokens() const;

  const Input* input(std::string_view key) const;
};

/// A workload, or everything that keeps it from being one: fields without value and default, sizes
/// that don't divide. Nothing is invented.
struct WorkloadReading {
  Workload workload;  // meaningful only without problems
  std::vector<text::Diagnostic> problems;
};

/// Reads the facts as the launch left them (after lint::run_launch), for Bridge and Megatron-LM
/// alike. The knowledge's derived values (d.*) must be among the names.
WorkloadReading read_workload(const Facts& facts);

}  // namespace epwise::model
