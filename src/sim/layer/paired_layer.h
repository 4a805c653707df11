#pragma once

#include "sim/layer/layer_times.h"

namespace epwise::sim {

/// A forward and a backward layer of different micro-batches under combined 1F1B.
struct Pairing {
  bool delayed_weights = false;
  double host_factor = 1;      // of all launches
  double exchange_factor = 1;  // exchange beside compute over exchange alone
  double compute_factor = 1;   // compute beside exchange over compute alone
  double loss = 0;             // share of what is hidden that contention takes back
  double latency = 0;          // s, from a launch to its kernel
};

/// Of all launches under combined 1F1B; layers outside a pair carry half of the surcharge. 1
/// without it.
double overlap_host_factor(const model::Exchange& exchange, const Constants& constants);

/// The pairing of a recipe: what its streams do to each other.
Pairing pairing_of(const StepWork& work,
                   const LayerTimes& times,
                   const Constants& constants,
                   const Effects& effects,
                   double host_factor);

/// Steady period of such pairs, in s (schedule/pair_period.h), with the share of hidden time that
/// contention takes back: period + loss (serial - period).
double paired_layer(const LayerTimes& times, const Pairing& pairing);

}  // namespace epwise::sim
