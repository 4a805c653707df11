#include "sim/layer/node_costs.h"

namespace epwise::sim {

namespace {

using schedule::Node;

/// Share of the backward side's launches that belong to weight gradients.
double late_share(bool delayed_weights) {
  constexpr double kDelayedHost = 0.33;
  return delayed_weights ? kDelayedHost : 0;
}

}  // namespace

schedule::LayerCost node_costs(const LayerTimes& times, double host_factor, bool delayed_weights) {
  const double late = late_share(delayed_weights);
  schedule::LayerCost cost;
  const auto set = [&](Node node, double gpu, double launches) {
    cost[node].gpu = gpu;
    cost[node].host = launches * host_factor;
  };
  set(Node::attention_forward, times.a_forward, times.host_a_forward);
  set(Node::dispatch_forward, times.d_forward, times.host_d_forward);
  set(Node::experts_forward, times.m_forward, times.host_m_forward);
  set(Node::combine_forward, times.c_forward, times.host_c_forward);
  set(Node::combine_backward, times.c_backward, times.host_c_backward);
  set(Node::experts_backward, times.m_data, times.host_m_backward * (1 - late));
  set(Node::experts_wgrad, times.m_weights, times.host_m_backward * late);
  set(Node::dispatch_backward, times.d_backward, times.host_d_backward);
  set(Node::attention_backward, times.a_data, times.host_a_backward * (1 - late));
  set(Node::attention_wgrad, times.a_weights, times.host_a_backward * late);
  return cost;
}

schedule::LayerCost node_costs(const DenseTimes& times, double host_factor, bool delayed_weights) {
  const double late = late_share(delayed_weights);
  schedule::LayerCost cost;
  cost.exchanges = false;
  const auto set = [&](Node node, double gpu, double launches) {
    cost[node].gpu = gpu;
    cost[node].host = launches * host_factor;
  };
  set(Node::attention_forward, times.a_forward, times.host_a_forward);
  set(Node::experts_forward, times.m_forward, times.host_m_forward);
  set(Node::experts_backward, times.m_data + times.replay, times.host_m_backward * (1 - late));
  set(Node::experts_wgrad, times.m_weights, times.host_m_backward * late);
  set(Node::attention_backward, times.a_data, times.host_a_backward * (1 - late));
  set(Node::attention_wgrad, times.a_weights, times.host_a_backward * late);
  return cost;
}

schedule::IssueRules issue_rules(const LayerTimes& times, bool delayed_weights, double latency) {
  schedule::IssueRules rules;
  rules.delayed_wgrad = delayed_weights;
  rules.launch_latency = latency;
  if (times.stalls) {
    rules.sync = schedule::HostSync::before_dispatch;
    rules.sync_cost = times.stall;
  }
  return rules;
}

}  // namespace epwise::sim
