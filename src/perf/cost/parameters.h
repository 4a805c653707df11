#pragma once

#include <cstdint>
#include <string>

#include "perf/cost/cost.h"

/// The parameters of the laws, one struct per law table. Times in us, rates in GB/s (1e3 bytes/us)
/// and TFLOP/s (1e6 FLOP/us), as in the tables of hwprofiles/costlaws/, which document them.
namespace epwise::cost {

/// Number formats of operands and messages. fp16 counts as bf16, MXFP8 as block-scaled FP8.
enum class Format : std::uint8_t { bf16, fp8, fp8_block, nvfp4, w4a8 };

enum class Architecture : std::uint8_t { ampere, hopper, blackwell };

/// Machines that share the parameters of MoE forward and token exchange.
enum class Family : std::uint8_t { hopper, b200, gb200 };

enum class Direction : std::uint8_t { dispatch, combine };

enum class CollectiveKind : std::uint8_t {
  all_to_all,
  all_gather,
  reduce_scatter,
  all_reduce,
  point_to_point
};

/// The kernels of an inference MoE layer.
enum class MoeKernels : std::uint8_t { cutlass, sglang, deepgemm, trtllm_gen };

enum class MemoryKernel : std::uint8_t { copy, elementwise, norm, permute, cross_entropy };

struct Span {
  double low = 0;
  double high = 0;

  bool contains(double value) const { return low <= value && value <= high; }
};

struct Chip {
  Basis basis;
  std::string name;
  Architecture architecture = Architecture::hopper;
  Family family = Family::hopper;
  std::string neighbour;  // chip whose GEMM parameters are used instead
  double sms = 0;
  double peak_bf16 = 0;
  double peak_fp8 = 0;  // 0: the chip has no such mode
  double peak_fp4 = 0;
  double memory = 0;  // TB/s
  double nvlink = 0;  // per direction
  double nvlink_domain = 0;
  double nic = 0;  // per GPU and direction
};

struct FormatParameters {
  Basis basis;
  Format format = Format::bf16;
  double operand_bytes = 0;  // per element of a GEMM operand, scales included
  double wire_bytes = 0;     // per element of a message; 0: never sent
};

struct GemmParameters {
  Basis basis;
  std::string chip;
  Format format = Format::bf16;
  bool transformer_engine = false;
  double t0 = 0;
  double eff = 0;
  double k0 = 0;
  double pq = 0;
  Span m, n, k;
};

struct GroupedGemmParameters {
  Basis basis;
  double tg = 0;
  double eff = 0;
  double eff_w = 0;
  double cb = 0;
  double eff_reference = 0;
  double eff_cap = 0;
  double quantised_tg = 0;
  double elsewhere_sd = 0;
  Span rows_per_group;
};

struct PersistentGemmParameters {
  Basis basis;
  double t0 = 0;
  double k0 = 0;
  double cw = 0;
  double hopper_block_eff = 0;
};

struct MoeForwardParameters {
  Basis basis;
  Family family = Family::hopper;
  MoeKernels kernels = MoeKernels::cutlass;
  Format format = Format::bf16;
  double t0 = 0;
  double eff = 0;
  double k0 = 0;
  double cw = 0;
  double ct = 0;
  double ca = 0;
  Span rows_per_expert, hidden;
};

struct AttentionParameters {
  Basis basis;
  double ef = 0;
  double eb = 0;
  double xb = 0;
  double xf = 0;
  double k = 0;
  double tf = 0;
  double th = 0;
  double hopper_gain = 0;
  double eff_cap = 0;
  double elsewhere_sd = 0;
  Span seq;
};

/// Attention rate as a function of sequence length: 1/rate = 1/r + c/seq.
struct AttentionLine {
  Basis basis;
  Architecture architecture = Architecture::hopper;
  bool backward = false;
  double r = 0;
  double c = 0;
  double peak = 0;
  Span seq;
};

struct MemoryParameters {
  Basis basis;
  MemoryKernel kernel = MemoryKernel::copy;
  double share = 0;
};

struct CollectiveParameters {
  Basis basis;
  CollectiveKind kind = CollectiveKind::all_to_all;
  Architecture architecture = Architecture::hopper;
  double a0 = 0;
  double a1 = 0;
  double b = 0;
  double d = 0;
  double c = 0;
  double v0 = 0;
  double x = 0;
  double nvlink = 0;
  Span bytes, ranks;
};

/// DeepEP or HybridEP; parameters that a law does not use are 0.
struct ExchangeParameters {
  Basis basis;
  bool hybrid = false;
  Family family = Family::hopper;
  Direction direction = Direction::dispatch;
  double a = 0;
  double a_small = 0;
  double an = 0;
  double g0 = 0;
  double g1 = 0;
  double r1 = 0;
  double rho = 0;
  double rr = 0;
  double rn = 0;
  double bn = 0;
  double bi = 0;
  double api0 = 0;
  double api1 = 0;
  double nvlink = 0;
  double nic = 0;
  Span tokens, hidden, sms;
};

/// Low-latency kernels; `nic` is 0 if the rows have only one rate.
struct LowLatencyParameters {
  Basis basis;
  Family family = Family::hopper;
  bool several_domains = false;
  Direction direction = Direction::dispatch;
  double a = 0;
  double nvlink_rate = 0;
  double nic_rate = 0;
  double nic = 0;
  Span tokens;
};

/// TensorRT-LLM's exchange over multi-node NVLink.
struct NvlinkExchangeParameters {
  Basis basis;
  bool one_sided = false;
  Direction direction = Direction::dispatch;
  double a = 0;
  double c = 0;
  double rate = 0;
};

/// Assumptions shared by several laws, not determined by rows; documented in
/// hwprofiles/costlaws/forms.yaml.
struct FormParameters {
  Basis basis;
  double gemm_least_launch = 0;
  double gemm_memory_share = 0;
  double gemm_fill_power = 0;
  double gemm_least_fill = 0;
  double gemm_unquantised_launch = 0;
  double quantise_launch = 0;
  double kernel_launch = 0;
  double ampere_attention = 0;
  double collective_nic_share = 0;
  double collective_domain_latency = 0;
  double ring_domain_latency = 0;
  double p2p_nvlink_latency = 0;
  double p2p_nvlink_share = 0;
  double p2p_nic_latency = 0;
  double p2p_nic_share = 0;
  double node_copy_gain = 0;
  double small_tokens = 0;
  double hybrid_launch = 0;
  double v2_gain = 0;
  double deepep_sms = 0;
  double hybridep_sms = 0;
  double deepep_v2_sms = 0;
  double attention_block = 0;
  double attention_least_seq = 0;
  double hybridep_tokens = 0;
  double hybridep_hidden = 0;
  double deepep_most_domains = 0;
  double collective_least_share = 0;
};

/// Additional uncertainty away from the rows; documented in hwprofiles/costlaws/doubts.yaml.
struct DoubtParameters {
  Basis basis;
  double gemm_neighbour_factor = 0;
  double gemm_neighbour = 0;
  double gemm_unknown = 0;
  double gemm_outside_factor = 0;
  double gemm_unfilled = 0;
  double moe_elsewhere = 0;
  double attention_outside = 0;
  double attention_format = 0;
  double memory_elsewhere = 0;
  double collective_outside = 0;
  double collective_across = 0;
  double point_to_point = 0;
  double exchange_nccl_least = 0;
  double exchange_elsewhere = 0;
  double exchange_outside_factor = 0;
  double exchange_prior_least = 0;
};

}  // namespace epwise::cost
