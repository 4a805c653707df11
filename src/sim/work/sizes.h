#pragma once

#include "model/workload.h"

namespace epwise::sim {

/// What several pieces of a layer count with.
struct Sizes {
  double group_tokens = 0;  // of one micro-batch in one tensor-parallel group
  double rank_tokens = 0;   // that one rank dispatches (sequence parallel)
  double sent = 0;          // rows that one rank sends: a copy an expert
  double rows = 0;          // that one rank's experts work on, balanced: of all its slices' ranks
  double expert_width = 0;  // of a token at the experts
  double expert_ffn = 0;    // of one expert on one rank
  double local_experts = 1;
  double rows_per_expert = 0;
  double halves = 2;      // first products of an MLP: gate and up, or up alone
  double moe_layers = 0;  // layers with experts
  double dense_layers = 0;
};

Sizes sizes_of(const model::Workload& job);

}  // namespace epwise::sim
