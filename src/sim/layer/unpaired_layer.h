#pragma once

#include "sim/layer/layer_times.h"

namespace epwise::sim {

/// How long one direction takes on the GPU's and on the host's side.
struct Direction {
  double forward = 0;
  double backward = 0;
};

/// The larger of two times that can't quite hide each other: (a^8 + b^8)^(1/8).
double soft_max(double a, double b);

/// A layer whose nodes run one after the other, in s (source: derived here; the power 8 stands for
/// what published host-bound steps lose where both sides are close); `host_factor` weighs its
/// launches. Forward, when a dispatch waits for sizes, the host has lost its lead there and each
/// node from then on can start no earlier than its launch:
///   F = max(GPU, host, max over j of (launches up to node j + GPU from node j on)) + stall
/// Backward the host runs ahead: B = soft_max(GPU, host).
Direction unpaired_layer(const LayerTimes& times, double host_factor);

}  // namespace epwise::sim
