#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::cost {

/// What the laws' numbers are multiplied with to be in seconds and bytes: 12 us are 12 * kMicro.
inline constexpr double kMicro = 1e-6;
inline constexpr double kGiga = 1e9;

/// How close a law's prediction is to measurements, best first.
enum class Status : std::uint8_t {
  fitted,        // measurements of this chip, within their range
  interpolated,  // the same architecture, another format or shape
  extrapolated,  // outside the measured range
  prior          // scaled from a similar chip, or assumed
};

/// The basis of a set of parameters.
struct Basis {
  std::string name;  // "gemm h100 bf16 torch"
  std::string source;
  std::string date;  // "2026-11"
  Status status = Status::prior;
  double relative_sd = 0;  // relative, of the time; two of them cover 95 % of the rows
  std::string rows;        // number of rows, their source, and the quality of the fit
  std::vector<std::string> measured_on;  // chips with measurements
  std::vector<std::string> carried_to;   // chips close enough to interpolate

  bool is_measured_on(std::string_view chip) const;
  bool is_carried_to(std::string_view chip) const;
};

struct Interval {
  double low = 0;
  double high = 0;
};

/// The duration of one kernel or collective. The uncertainty belongs to the law, not to one call:
/// it is the same for every layer and must not be averaged down over calls.
struct Cost {
  double seconds = 0;
  double relative_sd = 0;  // 0 if nothing runs
  Status status = Status::prior;
  const Basis* basis = nullptr;  // points into the table; null pointer: nothing runs

  /// The 80 % interval of the true time, log-normal: 100 us with relative_sd 0.1 → 88.0 to 113.6
  /// us.
  Interval interval() const;
};

/// The weaker of two statuses.
Status worse(Status a, Status b);

std::string_view to_string(Status status);

/// The meaning of a status for people: "measurements of this chip, within their range".
std::string_view meaning_of(Status status);

/// Half width of an 80 % interval of the normal distribution, in standard deviations: the 0.9
/// quantile.
inline constexpr double kNineTenths = 1.2815515655446004;

/// (x^4 + y^4 + …)^(1/4): close to the largest of several limits, slightly above it if two are
/// close.
///   power_sum({3, 4}) → 4.285;  power_sum({10, 1}) → 10.0002
/// No overflow for any finite, non-negative terms.
double power_sum(std::initializer_list<double> terms);

}  // namespace epwise::cost
