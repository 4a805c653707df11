#pragma once

#include <cstdint>

#include "perf/cost/table.h"

namespace epwise::cost {

/// Group-limited routing as in DeepSeek-V3: experts in `groups` groups, of which each token uses
/// the best `kept`. 0 groups: unlimited.
struct RoutingGroups {
  int groups = 0;
  int kept = 0;
};

/// The average number of `parts` equal parts of the experts (ranks or nodes) that one token reaches
/// if it picks `topk` of `experts` uniformly without repetition. Exact: a part is missed with the
/// hypergeometric probability C(n - n/parts, topk) / C(n, topk).
///   expected_parts(256, 8, 8, {}) → 5.3;  with {8, 4} groups at most 4
double expected_parts(double experts, int parts, int topk, const RoutingGroups& limit);

/// The backend that moves tokens to the ranks of their experts.
enum class Backend : std::uint8_t {
  deepep,
  deepep_v2,
  hybridep,
  low_latency,  // DeepEP's inference kernels
  nccl,         // all-to-all of every copy of a token
  nvlink_one_sided,
  nvlink_two_sided  // TensorRT-LLM, multi-node NVLink
};

/// One dispatch or combine with uniform routing.
struct Exchange {
  Direction direction = Direction::dispatch;
  Backend backend = Backend::deepep;
  double tokens = 0;  // per rank
  double hidden = 0;
  int topk = 0;
  double experts = 0;
  int ranks = 1;   // that exchange
  int slices = 1;  // ranks that share one expert and each need its tokens
  Format format = Format::bf16;
  double sms = 0;         // of the kernel; 0: the backend's default
  int nvlink_domain = 0;  // ranks connected by NVLink; 0: the chip's default
  RoutingGroups limit = {};
  bool framework = false;  // HybridEP: including the framework's call around the kernel
};

/// N tokens reach X ranks and Xn NVLink domains each (routing.h), hb bytes per copy, s SMs: (X is
/// `slices` times the groups of ranks that share an expert; NCCL's exchange runs among ranks with
/// the same slice, so it does not use it.)
///
///   t = a + an log2(domains) + p4(SMs, NVLink, NIC)
///   SMs     N [g0 + X (g1 + hb/r1)] / s^rho       DeepEP, one domain
///           N [g0 + X hb/rr + Xn hb/(1.5 rr)] / s DeepEP, several
///           N [X (g1 + hb/r1) + Xn hb/rn] / s     HybridEP (rn with several domains)
///   NVLink  N hb X (1 - 1/R) / Bn
///   NIC     N hb Xn (1 - 1/domains) / Bi
///
///   exchange(table, h100, {.tokens = 4096, .hidden = 7168, .topk = 8, .experts = 256, .ranks = 8})
///
/// Rows: 1024 to 131072 tokens, hidden 1536 to 8192; several domains on Hopper, up to 4 nodes.
/// Blackwell across domains, and machines without rows: prior. The format must have a wire size.
Cost exchange(const Table& table, const Chip& chip, const Exchange& call);

}  // namespace epwise::cost
