#include "sim/paired_layer.h"

#include <algorithm>

#include "schedule/pair_period.h"

namespace epwise::sim {

namespace {

using schedule::Node;

constexpr double kDelayedHost = 0.33;  // share of backward launches that belong to weight gradients

/// The layer's nodes beside those of another micro-batch.
schedule::LayerCost side_by_side(const LayerTimes& times, const Pairing& by) {
  const double compute = by.compute_factor;
  const double exchange = by.exchange_factor;
  const double host = by.host_factor;
  const double late = by.delayed_weights ? kDelayedHost : 0;
  schedule::LayerCost cost;
  const auto set = [&](Node node, double gpu, double launches) {
    cost[node].gpu = gpu;
    cost[node].host = launches * host;
  };
  set(Node::attention_forward, times.a_forward * compute, times.host_a_forward);
  set(Node::dispatch_forward, times.d_forward * exchange, times.host_d_forward);
  set(Node::experts_forward, times.m_forward * compute, times.host_m_forward);
  set(Node::combine_forward, times.c_forward * exchange, times.host_c_forward);
  set(Node::combine_backward, times.c_backward * exchange, times.host_c_backward);
  set(Node::experts_backward, times.m_data * compute, times.host_m_backward * (1 - late));
  set(Node::experts_wgrad, times.m_weights * compute, times.host_m_backward * late);
  set(Node::dispatch_backward, times.d_backward * exchange, times.host_d_backward);
  set(Node::attention_backward, times.a_data * compute, times.host_a_backward * (1 - late));
  set(Node::attention_wgrad, times.a_weights * compute, times.host_a_backward * late);
  return cost;
}

schedule::IssueRules rules_of(const LayerTimes& times, const Pairing& pairing) {
  schedule::IssueRules rules;
  rules.delayed_wgrad = pairing.delayed_weights;
  rules.launch_latency = pairing.latency;
  if (times.stalls) {
    rules.sync = schedule::HostSync::before_dispatch;
    rules.sync_cost = times.stall;
  }
  return rules;
}

}  // namespace

Pairing pairing_of(const StepWork& work,
                   const LayerTimes& times,
                   const Constants& constants,
                   const Effects& effects,
                   double host_factor) {
  Pairing pairing;
  pairing.delayed_weights = work.job->exchange.delayed_wgrad;
  pairing.host_factor = host_factor;
  pairing.latency = constants.launch_latency;
  if (effects.contention) {
    constexpr double kNothing = 1e-12;
    const double taken = work.job->exchange.sms;
    const double share = std::min(1.0, times.exchange() / std::max(times.compute(), kNothing));
    pairing.exchange_factor = constants.overlap_exchange;
    pairing.compute_factor = 1 + taken / (work.machine.sms - taken) * constants.overlap_sms * share;
    pairing.loss = constants.overlap_loss;
  }
  return pairing;
}

double paired_layer(const LayerTimes& times, const Pairing& pairing) {
  const double period =
      schedule::pair_period(side_by_side(times, pairing), rules_of(times, pairing));
  const double serial = times.compute() + times.exchange();
  return std::max(period, period + pairing.loss * (serial - period)) + times.replayed_exchange;
}

}  // namespace epwise::sim
