#pragma once

#include "model/workload.h"

/// What dispatch and combine put on the links.
namespace epwise::model {

/// Expected number of distinct groups that k choices without replacement among n things hit, which
/// stand in m groups of equal size: m(1 − C(n − n/m, k)/C(n, k)), between 1 and min(m, k).
///   distinct_groups(128, 16, 8) → 6.60   (Qwen3-30B on 16 ranks)
///   distinct_groups(128, 2, 8) → 1.99    (… on two nodes)
double distinct_groups(int things, int groups, int choices);

/// The same where only the things of `kept` of `limits` groups can be chosen, as group-limited
/// routers do it; `groups` divides `limits` or the other way round.
///   distinct_groups_limited(256, 8, 8, 8, 4) → 3.79   (DeepSeek-V3: 4 of 8 groups, 8 nodes)
double distinct_groups_limited(int things, int groups, int choices, int limits, int kept);

/// How the ranks that exchange tokens lie in NVLink domains.
struct ExchangeSpan {
  int ranks = 1;    // that a token can go to: the expert-parallel size
  int domains = 1;  // NVLink domains that they span
  double ranks_per_domain = 1;
};

ExchangeSpan exchange_span(const Workload& workload);

/// Bytes that leave one rank, to other ranks of its NVLink domain and to other domains, in one
/// direction of one layer and micro-batch, under equal loads.
struct LinkBytes {
  double nvlink = 0;
  double nic = 0;

  double total() const { return nvlink + nic; }
};

/// Bytes of a dispatch with `element` bytes a value on the wire (2 for BF16); a combine returns the
/// same. N tokens of width h, R ranks in ν domains of g:
///   all-to-all   NIC N·k·h·b(1 − 1/ν), NVLink N·k·h·b/ν·(1 − 1/g): a copy an expert; and where t
///                ranks slice an expert NVLink N·k·h·b(t − 1): each then has the tokens of all t
///   de-duplicating (DeepEP, HybridEP, NCCL-EP)   NIC N·h·b·e_ν(1 − 1/ν), sent once a domain, then
///                NVLink N·h·b·t·e_R(1 − 1/(t·g)): a copy a rank; e_m = distinct_groups(E, m, k)
///   all-gather   every token to every rank: NVLink N·h·b(t·R − 1), NIC N·h·b·t(R − g)/(t·g),
///   spread
///                over the NICs of a domain
/// Zero where a rank holds all experts, whole. (simulator.md §3.5)
LinkBytes dispatch_bytes(const Workload& workload, double element = 2);

/// Copies of a token that arrive somewhere: at ranks for de-duplicating dispatchers, at experts
/// otherwise.
double copies_per_token(const Workload& workload);

}  // namespace epwise::model
