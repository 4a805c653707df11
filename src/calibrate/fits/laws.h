#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/file/calibration.h"

/// The forms fitted to measurements. Units are part of the parameter names: us, GB/s, TFLOP/s.
///
///   message_line   t = alpha + n / rate, beyond the knot n / rate_far; two lines where one is off
///                  by more than 3 %
///   sm_curve       t = alpha + n / ((slope k)^-p + plateau^-p)^(-1/p), p = 1 / roundness, k SMs
///   sm_table       medians by SMs left, made monotone, linear between them
///   contention     compute: (1 + sm_weight k / (N - k)) (1 + memory_weight x), x the exchange's
///                  share of the memory's rate; exchange: exchange_slowdown
///   gemm_surface   t = launch + F (1 + depth / k) / rate, F = 2 m n k with partial 64-tiles full

namespace epwise::calibrate {

/// The inputs of a law. Inputs that a form does not use stay 0.
struct Query {
  double bytes = 0;
  double sms = 0;        // k; for a table: SMs available to the kernel
  double total_sms = 0;  // N
  double memory_share = 0;
  bool of_exchange = false;  // contention: the exchange's slowdown, otherwise the compute's
  double m = 0;
  double n = 0;
  double k = 0;
  double groups = 1;
};

/// One point as input of a fit: seconds, or a ratio for contention.
struct Sample {
  std::string point;
  Query query;
  double value = 0;
  double relative_sd = 0;
};

/// A law fitted to samples; nullopt if there are fewer than the form needs.
std::optional<Fit> fit_law(std::string_view form,
                           std::string id,
                           const std::vector<Sample>& samples);

/// The prediction of a fit for a query, or why there is none.
struct Estimate {
  std::optional<double> value;  // s, or a ratio
  double relative_sd = 0;       // of the law, not of one call
  std::string reason;  // "sms 128 is outside 2 to 64, the range measured for dispatch.direct"
};

Estimate estimate(const Fit& fit, const Query& query);

}  // namespace epwise::calibrate
