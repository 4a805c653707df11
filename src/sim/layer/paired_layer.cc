#include "sim/layer/paired_layer.h"

#include <algorithm>
#include <cstddef>

#include "schedule/pair_period.h"
#include "sim/layer/node_costs.h"

namespace epwise::sim {

namespace {

/// The layer's nodes beside those of another micro-batch.
schedule::LayerCost side_by_side(const LayerTimes& times, const Pairing& by) {
  schedule::LayerCost cost = node_costs(times, by.host_factor, by.delayed_weights);
  for (std::size_t node = 0; node < schedule::kNodeCount; ++node) {
    cost.nodes[node].gpu *= schedule::is_exchange(static_cast<schedule::Node>(node))
                                ? by.exchange_factor
                                : by.compute_factor;
  }
  return cost;
}

}  // namespace

double overlap_host_factor(const model::Exchange& exchange, const Constants& constants) {
  if (!exchange.overlap) {
    return 1;
  }
  return constants.host_overlap * (exchange.delayed_wgrad ? constants.host_delayed_wgrad : 1);
}

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
  const double period = schedule::pair_period(
      side_by_side(times, pairing), issue_rules(times, pairing.delayed_weights, pairing.latency));
  const double serial = times.compute() + times.exchange();
  return std::max(period, period + pairing.loss * (serial - period)) + times.replayed_exchange;
}

}  // namespace epwise::sim
