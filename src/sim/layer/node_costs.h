#pragma once

#include "schedule/layer_pair.h"
#include "sim/constants/constants.h"
#include "sim/layer/layer_times.h"

/// Layers as schedules take them: a node's GPU and host seconds.
namespace epwise::sim {

/// An expert layer. `host_factor` weighs its launches. Where weight gradients are not delayed, all
/// launches of the backward side stand at its data gradients.
schedule::LayerCost node_costs(const LayerTimes& times, double host_factor, bool delayed_weights);

/// A layer with a dense MLP, which exchanges nothing.
schedule::LayerCost node_costs(const DenseTimes& times, double host_factor, bool delayed_weights);

/// How the nodes of a recipe are issued.
schedule::IssueRules issue_rules(const LayerTimes& times, bool delayed_weights, double latency);

}  // namespace epwise::sim
