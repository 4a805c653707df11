#include "calibrate/fits/law_forms.h"

#include <algorithm>
#include <cmath>

namespace epwise::calibrate {

namespace {

constexpr double kMicro = 1e-6;
constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;

double line_value(const Parameters& p, const Query& query) {
  return p[0] * kMicro + query.bytes / (p[1] * kGiga);
}

double two_lines_value(const Parameters& p, const Query& query) {
  const double near = std::min(query.bytes, p[2]);
  return p[0] * kMicro + near / (p[1] * kGiga) + (query.bytes - near) / (p[3] * kGiga);
}

double curve_value(const Parameters& p, const Query& query) {
  const double power = 1 / p[3];
  const double by_sms = p[1] * kGiga * query.sms;
  const double plateau = p[2] * kGiga;
  // The smaller rate stands in front, so that powers stay near 1.
  const double slow = std::min(by_sms, plateau);
  const double ratio = slow / std::max(by_sms, plateau);
  const double rate = slow * std::pow(1 + std::pow(ratio, power), -p[3]);
  return p[0] * kMicro + query.bytes / rate;
}

double contention_value(const Parameters& p, const Query& query) {
  if (query.of_exchange) {
    return p[2];
  }
  const double left = std::max(query.total_sms - query.sms, 1.0);
  return (1 + p[0] * query.sms / left) * (1 + p[1] * query.memory_share);
}

double padded(double size) {
  constexpr double kTile = 64;
  return std::ceil(size / kTile) * kTile;
}

double surface_value(const Parameters& p, const Query& query) {
  const double work = 2 * padded(query.m) * padded(query.n) * query.k * std::max(query.groups, 1.0);
  return p[0] * kMicro + work * (1 + p[2] / query.k) / (p[1] * kTera);
}

std::vector<Parameters> line_starts(const std::vector<Sample>& samples) {
  const double least = extreme_of(samples, &Query::bytes, false).value / kMicro;
  return {{0.7 * least, best_rate(samples)}, {0.1 * least, best_rate(samples)}};
}

std::vector<Parameters> bent_starts(const std::vector<Sample>& samples) {
  std::vector<Parameters> starts = line_starts(samples);
  for (Parameters& start : starts) {
    start.push_back(1);
    start.push_back(start[1]);
  }
  return starts;
}

std::vector<Parameters> curve_starts(const std::vector<Sample>& samples) {
  const Sample& few = extreme_of(samples, &Query::sms, false);
  const double slope = few.query.bytes / few.value / kGiga / few.query.sms;
  const double best = best_rate(samples);
  const double delay = 0.05 * extreme_of(samples, &Query::bytes, false).value / kMicro;
  return {{delay, slope, best, 0.2},
          {delay, 1.1 * slope, 1.1 * best, 0.5},
          {0.1 * delay, slope, 3 * best, 0.2},
          {2 * delay, 1.2 * slope, best, 0.1}};
}

std::vector<Parameters> contention_starts(const std::vector<Sample>& samples) {
  double exchange = 1.1;
  for (const Sample& sample : samples) {
    exchange = sample.query.of_exchange ? sample.value : exchange;
  }
  return {{1.0, 0.3, exchange}, {0.5, 0.05, exchange}};
}

std::vector<Parameters> surface_starts(const std::vector<Sample>& samples) {
  double rate = 1e-9;
  double least = samples.front().value;
  for (const Sample& sample : samples) {
    rate = std::max(rate, surface_value({0, 1, 0}, sample.query) / sample.value);
    least = std::min(least, sample.value);
  }
  return {{0.1 * least / kMicro, rate, 100}, {0.01 * least / kMicro, rate, 10}};
}

const std::vector<Form>& forms() {
  static const std::vector<Form> all = {
      {"message_line",
       {"alpha_us", "rate_gbs"},
       {1e-4, 1e-6},
       {1e9, 1e6},
       {{"bytes", &Query::bytes}},
       4,
       line_value,
       line_starts},
      {"sm_curve",
       {"alpha_us", "slope_gbs_per_sm", "plateau_gbs", "roundness"},
       {1e-4, 1e-6, 1e-6, 0.02},
       {1e9, 1e5, 1e6, 1.0},
       {{"sms", &Query::sms}, {"bytes", &Query::bytes}},
       5,
       curve_value,
       curve_starts},
      {"contention",
       {"sm_weight", "memory_weight", "exchange_slowdown"},
       {1e-3, 1e-3, 0.5},
       {20, 20, 20},
       {{"sms", &Query::sms}},
       4,
       contention_value,
       contention_starts},
      {"gemm_surface",
       {"launch_us", "rate_tflops", "depth"},
       {1e-3, 1e-6, 1e-2},
       {1e6, 1e6, 1e5},
       {{"m", &Query::m}, {"n", &Query::n}, {"k", &Query::k}},
       5,
       surface_value,
       surface_starts}};
  return all;
}

}  // namespace

const Sample& extreme_of(const std::vector<Sample>& samples, Axis axis, bool largest) {
  const auto less = [axis](const Sample& a, const Sample& b) {
    return a.query.*axis < b.query.*axis;
  };
  return largest ? *std::max_element(samples.begin(), samples.end(), less)
                 : *std::min_element(samples.begin(), samples.end(), less);
}

double best_rate(const std::vector<Sample>& samples) {
  double best = 1e-9;
  for (const Sample& sample : samples) {
    best = std::max(best, sample.query.bytes / sample.value / kGiga);
  }
  return best;
}

const Form* find_form(std::string_view name) {
  for (const Form& form : forms()) {
    if (form.name == name) {
      return &form;
    }
  }
  return nullptr;
}

Form bent_line(double knot) {
  return {"message_line",
          {"alpha_us", "rate_gbs", "knot_bytes", "rate_far_gbs"},
          {1e-4, 1e-6, knot, 1e-6},
          {1e9, 1e6, knot, 1e6},
          {{"bytes", &Query::bytes}},
          6,
          two_lines_value,
          bent_starts};
}

}  // namespace epwise::calibrate
