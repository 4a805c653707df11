#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/file/calibration.h"

/// The forms that measurements are fitted with. Times in the parameters' names: us, GB/s, TFLOP/s.
///
///   message_line   t = alpha + n / rate, beyond the knot n / rate_far; two lines where one is off
///                  by more than 3 %
///   sm_curve       t = alpha + n / ((slope k)^-p + plateau^-p)^(-1/p), p = 1 / roundness, k SMs
///   sm_table       medians by SMs left, made monotone, linear between them
///   contention     compute: (1 + sm_weight k / (N - k)) (1 + memory_weight x), x the exchange's
///                  share of the memory's rate; exchange: exchange_slowdown
///   gemm_surface   t = launch + F (1 + depth / k) / rate, F = 2 m n k with partial 64-tiles full
namespace epwise::calibrate {

/// What a law is asked for. What a form has no use for stays 0.
struct Query {
  double bytes = 0;
  double sms = 0;        // k; of a table: left to the kernel
  double total_sms = 0;  // N
  double memory_share = 0;
  bool of_exchange = false;  // contention: the exchange's slowdown, else the compute's
  double m = 0;
  double n = 0;
  double k = 0;
  double groups = 1;
};

/// One point as a fit sees it: seconds, or a ratio for contention.
struct Sample {
  std::string point;
  Query query;
  double value = 0;
  double relative_sd = 0;
};

/// A law fitted to samples; nullopt when there are fewer of them than the form needs.
std::optional<Fit> fit_law(std::string_view form,
                           std::string id,
                           const std::vector<Sample>& samples);

/// What a fit says of a query, or why it doesn't.
struct Estimate {
  std::optional<double> value;  // s, or a ratio
  double relative_sd = 0;       // of the law, not of one call
  std::string reason;           // "sms 128 is outside 2 to 64, where dispatch.direct was measured"
};

Estimate estimate(const Fit& fit, const Query& query);

}  // namespace epwise::calibrate
