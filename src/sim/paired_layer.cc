#include "sim/paired_layer.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace epwise::sim {

namespace {

/// Clocks of the streams, of the host, and of the last event of each micro-batch.
class Lanes {
 public:
  explicit Lanes(double latency) : latency_(latency) {}

  double compute = 0;
  double exchange = 0;
  double forward = 0;
  double backward = 0;
  double host = 0;

  /// Launches a kernel on a stream behind an event; both move to its end.
  void run(double& stream, double& event, double seconds, double launches) {
    stream = event = finish(stream, event, seconds, launches);
  }

  /// The same behind the stream alone.
  void run(double& stream, double seconds, double launches) {
    stream = finish(stream, 0, seconds, launches);
  }

 private:
  double finish(double stream, double event, double seconds, double launches) {
    const double start = std::max({stream, event, host + latency_});
    host += launches;
    return std::max(start + seconds, host + latency_);
  }

  double latency_;
};

constexpr double kDelayedHost = 0.33;  // share of backward launches that belong to weight gradients

void run_pair(Lanes& lanes, const LayerTimes& times, const Pairing& by) {
  const double compute = by.compute_factor;
  const double exchange = by.exchange_factor;
  const double host = by.host_factor;
  const bool delayed = by.delayed_weights;
  const double late = delayed ? kDelayedHost : 0;
  lanes.run(
      lanes.exchange, lanes.backward, times.c_backward * exchange, times.host_c_backward * host);
  lanes.run(lanes.compute, lanes.forward, times.a_forward * compute, times.host_a_forward * host);
  lanes.run(lanes.compute,
            lanes.backward,
            (times.m_data + (delayed ? 0 : times.m_weights)) * compute,
            times.host_m_backward * host * (1 - late));
  if (times.stalls) {
    lanes.host = std::max(lanes.host, lanes.forward) + times.stall;
  }
  lanes.run(lanes.exchange, lanes.forward, times.d_forward * exchange, times.host_d_forward * host);
  if (delayed) {
    lanes.run(lanes.compute, times.m_weights * compute, times.host_m_backward * host * late);
  }
  lanes.run(
      lanes.exchange, lanes.backward, times.d_backward * exchange, times.host_d_backward * host);
  lanes.run(lanes.compute, lanes.forward, times.m_forward * compute, times.host_m_forward * host);
  lanes.run(lanes.exchange, lanes.forward, times.c_forward * exchange, times.host_c_forward * host);
  lanes.run(lanes.compute,
            lanes.backward,
            (times.a_data + (delayed ? 0 : times.a_weights)) * compute,
            times.host_a_backward * host * (1 - late));
  if (delayed) {
    lanes.run(lanes.compute, times.a_weights * compute, times.host_a_backward * host * late);
  }
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
  constexpr std::size_t kPairs = 8;
  constexpr std::size_t kAveraged = 4;
  std::array<double, kPairs> ends{};
  Lanes lanes(pairing.latency);
  for (double& end : ends) {
    run_pair(lanes, times, pairing);
    end = std::max(lanes.compute, lanes.exchange);
  }
  const double period = (ends[kPairs - 1] - ends[kPairs - 1 - kAveraged]) / kAveraged;
  const double serial = times.compute() + times.exchange();
  return std::max(period, period + pairing.loss * (serial - period)) + times.replayed_exchange;
}

}  // namespace epwise::sim
