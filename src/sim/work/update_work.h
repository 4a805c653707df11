#pragma once

#include "sim/work/step_work.h"

namespace epwise::sim {

/// What a step does besides its micro-batches, on the stage that holds most parameters: gradients
/// reduced, states updated, weights gathered. With P dense and Q expert parameters of the rank,
/// replicated R and S times, and its S' = P/R + Q/S states:
///   rings      bytes (n − 1)/n / link over n replicas: FP32 gradients (4 B) and BF16 weights (2
///   B);
///              the link is the NIC as soon as the job leaves one NVLink domain
///   optimizer  (30 S' + 8 (P + Q)) B at memory speed: gradient, weight and moments of FP32 Adam
///   read
///              and written, and each parameter's buffer cleared, scaled and copied
///   on the host, the share of S' that stands there: 16 B a state at a tenth of PCIe
/// Counts of bytes, in s at nominal rates; `Constants::dp_ring` and `optimizer` hold what published
/// steps make of them. Source: Megatron-Core's distributed optimizer.
UpdateWork update_work(const model::Workload& job,
                       const Machine& machine,
                       const Constants& constants);

}  // namespace epwise::sim
