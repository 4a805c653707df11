#pragma once

#include "model/workload.h"

/// Rows that experts compute on, and how unevenly they fall.
namespace epwise::model {

struct ExpertLoad {
  int local_experts = 0;  // of one rank
  double rows = 0;  // that a rank's experts work on in one micro-batch: tokens() · topk, times
                    // the ranks that slice an expert, which all take all of its tokens
  double rows_per_expert = 0;
  double padded_rows = 0;  // with a static capacity: what buffers and kernels hold
};

/// Under equal loads.
///   Qwen3-30B (128 experts, topk 8), 4096 tokens a rank, EP 16 → 8 local experts, 32768 rows,
///   4096 an expert
ExpertLoad expert_load(const Workload& workload);

}  // namespace epwise::model
