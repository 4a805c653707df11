#pragma once

#include "perf/schedule/layer_pair.h"
#include "perf/sim/constants/constants.h"
#include "perf/sim/layer/layer_times.h"
#include "perf/sim/layer/prices.h"
#include "perf/sim/work/step_work.h"

/// Layers as input of schedules: GPU and host seconds per node.

namespace epwise::sim {

/// An expert layer. `host_factor` scales its launches. If weight gradients are not delayed, all
/// launches of the backward side are attributed to its data gradients.
schedule::LayerCost node_costs(const LayerTimes& times, double host_factor, bool delayed_weights);

/// A layer with a dense MLP, without exchanges.
schedule::LayerCost node_costs(const DenseTimes& times, double host_factor, bool delayed_weights);

/// How the nodes of a recipe are issued.
schedule::IssueRules issue_rules(const LayerTimes& times, bool delayed_weights, double latency);

/// A forward and a backward layer of different micro-batches under combined 1F1B.
struct Pairing {
  bool delayed_weights = false;
  double host_factor = 1;      // factor on all launches
  double exchange_factor = 1;  // exchange concurrent with compute over exchange alone
  double compute_factor = 1;   // compute concurrent with exchange over compute alone
  double loss = 0;             // share of the hidden time lost to contention
  double latency = 0;          // s, from a launch to its kernel
  bool one_queue = false;      // kernels start in the order of issue
};

/// Factor on all launches under combined 1F1B; layers outside a pair get half of the surcharge. 1
/// without it.
double overlap_host_factor(const workload::Exchange& exchange, const Constants& constants);

/// The pairing of a recipe: the mutual effects of its streams.
Pairing pairing_of(const StepWork& work,
                   const LayerTimes& times,
                   const Constants& constants,
                   const Effects& effects,
                   double host_factor);

/// Steady period of such pairs, in s (perf/schedule/layer_pair.h), with the share of hidden time
/// that contention takes back: period + loss (serial - period).
double paired_layer(const LayerTimes& times, const Pairing& pairing);

/// The duration of one direction on the GPU's and on the host's side.
struct Direction {
  double forward = 0;
  double backward = 0;
};

/// A smooth maximum of two times that cannot hide each other completely: (a^8 + b^8)^(1/8).
double soft_max(double a, double b);

/// A layer whose nodes run one after another, in s (source: derived here; the power 8 models the
/// loss of published host-bound steps if both sides are close); `host_factor` scales its launches.
/// Forward, if a dispatch waits for sizes, the host has lost its lead there and each later node can
/// start no earlier than its launch:
///   F = max(GPU, host, max over j of (launches up to node j + GPU from node j on)) + stall
/// . Backward the host runs ahead: B = soft_max(GPU, host).
Direction unpaired_layer(const LayerTimes& times, double host_factor);

/// Durations of a layer, or of a chunk or stage of layers, for one micro-batch, in s.
struct Passes {
  double forward = 0;
  double backward = 0;
  double both = 0;  // a concurrent forward and backward pass of different micro-batches

  void add(const Passes& other, double times);
};

/// The building blocks of a recipe's chunks, in s.
struct LayerPasses {
  Passes dense;
  Passes moe;         // including the cost of offloading
  Passes prediction;  // one MTP depth with its layer and its head
  Passes head;        // output layer and cross-entropy
  Passes embedding;
  Passes offload;          // part of `moe`: the cost of moving activations to host memory and back
  double host_excess = 0;  // of `moe` and `dense`: the largest share of a pass added by launches
};

/// The layers of a step by closed form (unpaired_layer.h, paired_layer.h).
LayerPasses layer_passes(const StepWork& work,
                         const Constants& constants,
                         const Prices& prices,
                         const Effects& effects);

}  // namespace epwise::sim
