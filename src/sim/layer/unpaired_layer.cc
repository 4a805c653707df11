#include "sim/layer/unpaired_layer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace epwise::sim {

namespace {

constexpr std::size_t kNodes = 4;  // D, M, C, and the next layer's A

double forward_time(const LayerTimes& times, double host_factor) {
  // What of a node's GPU time hides behind its own launches; the A node's first kernels are short.
  constexpr double kOverlapped = 0.5;
  constexpr double kOverlappedA = 0.7;
  const std::array<double, kNodes> gpu = {
      times.d_forward, times.m_forward, times.c_forward, times.a_forward};
  const std::array<double, kNodes> host = {times.host_d_forward * host_factor,
                                           times.host_m_forward * host_factor,
                                           times.host_c_forward * host_factor,
                                           times.host_a_forward * host_factor};
  double busy = 0;
  double launches = 0;
  for (std::size_t j = 0; j < kNodes; ++j) {
    busy += gpu[j];
    launches += host[j];
  }
  if (!times.stalls) {
    return std::max(busy, launches);
  }
  double longest = busy;
  double launched = 0;
  double left = busy;
  for (std::size_t j = 0; j < kNodes; ++j) {
    launched += host[j];
    const double hidden =
        j + 1 == kNodes ? kOverlappedA * gpu[j] : kOverlapped * std::min(gpu[j], host[j]);
    longest = std::max(longest, launched + left - hidden);
    left -= gpu[j];
  }
  return std::max(longest, launches) + times.stall;
}

}  // namespace

double soft_max(double a, double b) {
  const double most = std::max(a, b);
  if (most <= 0) {
    return 0;
  }
  const auto eighth = [](double x) {
    const double square = x * x;
    return square * square * square * square;
  };
  return most * std::pow(eighth(a / most) + eighth(b / most), 1.0 / 8);
}

Direction unpaired_layer(const LayerTimes& times, double host_factor) {
  const double busy = times.gpu_backward();
  const double launches = (times.host_c_backward + times.host_m_backward + times.host_d_backward +
                           times.host_a_backward) *
                          host_factor;
  return {forward_time(times, host_factor), soft_max(busy, launches)};
}

}  // namespace epwise::sim
