#include "calibrate/fits/laws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "calibrate/file/calibration.h"
#include "calibrate/fits/least_squares.h"
#include "perf/cost/cost.h"

/// The smooth forms of laws.h as functions of parameters.

namespace epwise::calibrate {

using Parameters = std::vector<double>;
using Axis = double Query::*;

struct NamedAxis {
  std::string_view name;
  Axis axis;
};

struct Form {
  std::string_view name;
  std::vector<std::string> names;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<NamedAxis> axes;  // that the range is given for
  std::size_t least = 3;        // samples
  double (*value)(const Parameters& parameters, const Query& query) = nullptr;
  std::vector<Parameters> (*starts)(const std::vector<Sample>& samples) = nullptr;
};

/// Null pointer for a name that is not a smooth form.
const Form* find_form(std::string_view name);

/// A message line with a knot at this many bytes.
Form bent_line(double knot);

/// The sample with the smallest or largest value on an axis.
const Sample& extreme_of(const std::vector<Sample>& samples, Axis axis, bool largest);

/// The highest rate of all samples, GB/s.
double best_rate(const std::vector<Sample>& samples);

/// Times by SMs available to a kernel, as parameters "t96_us", "t132_us", …: more SMs never take
/// longer (violating neighbours are averaged). Tile waves make this a staircase, which no smooth
/// law fits. Nullopt for fewer than two SM counts.
std::optional<Fit> fit_sm_table(std::string id, const std::vector<Sample>& samples);

/// Seconds at `sms`, linear between knots, constant beyond the ends.
double sm_table_value(const std::vector<std::string>& names,
                      const std::vector<double>& values,
                      double sms);

namespace {

/// Error floor of every law: a point gets no more weight below it.
constexpr double kModelError = 0.005;
/// Errors shared by all points of one run (its clock, one-sided outliers), which more points do not
/// average away.
constexpr double kShared = 0.002;

/// Standard deviations used as weights. A few rounds estimate their own deviation poorly, and noisy
/// weights make intervals too narrow: three quarters come from all points together.
std::vector<double> deviations(const std::vector<Sample>& samples) {
  std::vector<double> own;
  own.reserve(samples.size());
  for (const Sample& sample : samples) {
    own.push_back(sample.relative_sd);
  }
  std::vector<double> sorted = own;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double usual = *middle;
  for (double& sd : own) {
    sd = std::hypot(std::sqrt((sd * sd + 3 * usual * usual) / 4), kModelError);
  }
  return own;
}

void describe_residuals(const Form& form,
                        const Parameters& parameters,
                        const std::vector<Sample>& samples,
                        Fit& fit) {
  double sum = 0;
  for (const Sample& sample : samples) {
    const double off = std::abs(form.value(parameters, sample.query) / sample.value - 1);
    sum += off * off;
    if (off >= fit.residual.largest) {
      fit.residual.largest = off;
      fit.residual.worst = sample.point;
    }
  }
  fit.residual.points = static_cast<int>(samples.size());
  fit.residual.degrees = std::max(fit.residual.points - static_cast<int>(parameters.size()), 1);
  fit.residual.rms = std::sqrt(sum / static_cast<double>(samples.size()));
  constexpr double kPoor = 0.1;
  if (fit.residual.rms > kPoor) {
    fit.flags.emplace_back("poor");
  }
  for (const NamedAxis& axis : form.axes) {
    fit.range[std::string(axis.name)] = {extreme_of(samples, axis.axis, false).query.*axis.axis,
                                         extreme_of(samples, axis.axis, true).query.*axis.axis};
  }
}

Fit fit_form(const Form& form, std::string id, const std::vector<Sample>& samples) {
  FitProblem problem;
  problem.low = form.low;
  problem.high = form.high;
  const std::vector<double> sds = deviations(samples);
  problem.residuals = [&form, &samples, &sds](const Parameters& parameters) {
    std::vector<double> residuals;
    residuals.reserve(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Sample& sample = samples[i];
      residuals.push_back(std::log(form.value(parameters, sample.query) / sample.value) / sds[i]);
    }
    return residuals;
  };
  std::optional<FitSolution> best;
  double least = 0;
  for (const Parameters& start : form.starts(samples)) {
    problem.start = start;
    for (std::size_t i = 0; i < start.size(); ++i) {
      problem.start[i] = std::clamp(start[i], form.low[i], form.high[i]);
    }
    FitSolution found = minimise(problem);
    if (!best || found.scale < least) {
      least = found.scale;
      best = std::move(found);
    }
  }
  Fit fit;
  fit.id = std::move(id);
  fit.form = form.name;
  fit.names = form.names;
  fit.values = best->parameters;
  fit.covariance = best->covariance;
  for (std::size_t i = 0; i < fit.names.size(); ++i) {
    fit.covariance[i][i] += kShared * kShared;
  }
  describe_residuals(form, best->parameters, samples, fit);
  return fit;
}

/// Two lines with the knot at the size with the smallest residual, if that justifies two more
/// parameters.
Fit best_lines(const Form& form, const std::string& id, const std::vector<Sample>& samples) {
  constexpr double kGoodEnough = 0.03;
  constexpr double kWorthIt = 0.7;  // of the residual of one line
  Fit best = fit_form(form, id, samples);
  constexpr std::size_t kLeast = 7;
  if (samples.size() < kLeast || best.residual.rms <= kGoodEnough) {
    return best;
  }
  std::vector<double> sizes;
  for (const Sample& sample : samples) {
    sizes.push_back(sample.query.bytes);
  }
  std::sort(sizes.begin(), sizes.end());
  std::optional<Fit> bent;
  for (std::size_t i = 2; i + 3 <= sizes.size(); ++i) {
    Fit found = fit_form(bent_line(sizes[i]), id, samples);
    if (!bent || found.residual.rms < bent->residual.rms) {
      bent = std::move(found);
    }
  }
  if (bent && bent->residual.rms < kWorthIt * best.residual.rms) {
    bent->covariance[2].assign(4, 0);
    for (std::vector<double>& row : bent->covariance) {
      row[2] = 0;  // the knot is selected, not fitted
    }
    return *bent;
  }
  return best;
}

/// The plateau counts as reached if the last increase in SMs gained less than half of a
/// proportional gain.
void judge_plateau(const std::vector<Sample>& samples, Fit& fit) {
  const double most = extreme_of(samples, &Query::sms, true).query.sms;
  const double largest = extreme_of(samples, &Query::bytes, true).query.bytes;
  double before = 0;
  for (const Sample& sample : samples) {
    if (sample.query.sms < most) {
      before = std::max(before, sample.query.sms);
    }
  }
  Query query;
  query.bytes = largest;
  query.sms = most;
  const Form& form = *find_form("sm_curve");
  const double at_most = form.value(fit.values, query);
  query.sms = before;
  const double at_before = before > 0 ? form.value(fit.values, query) : at_most;
  const double gain = at_before / at_most - 1;
  const double proportional = before > 0 ? most / before - 1 : 0;
  if (proportional <= 0 || gain > 0.5 * proportional) {
    fit.flags.emplace_back("plateau_not_reached");
    fit.values[2] = best_rate(samples);  // a lower bound, not an extrapolation
    fit.covariance[2][2] = FitSolution::kUnknown;
  }
}

double law_value(const Fit& fit, const Parameters& values, const Query& query) {
  static const Form bent = bent_line(1);
  if (fit.form == "sm_table") {
    return sm_table_value(fit.names, values, query.sms);
  }
  const Form* const form =
      fit.form == "message_line" && values.size() == 4 ? &bent : find_form(fit.form);
  return form == nullptr || form->names.size() != values.size() ? 0 : form->value(values, query);
}

std::string outside(const Fit& fit, const Query& query) {
  constexpr std::array<NamedAxis, 5> kAxes = {NamedAxis{"bytes", &Query::bytes},
                                              NamedAxis{"sms", &Query::sms},
                                              NamedAxis{"m", &Query::m},
                                              NamedAxis{"n", &Query::n},
                                              NamedAxis{"k", &Query::k}};
  for (const NamedAxis& axis : kAxes) {
    const auto range = fit.range.find(std::string(axis.name));
    if (range != fit.range.end() && !range->second.contains(query.*axis.axis)) {
      return fmt::format("{} {:g} is outside {:g} to {:g}, the range measured for {}",
                         axis.name,
                         query.*axis.axis,
                         range->second.low,
                         range->second.high,
                         fit.id);
    }
  }
  return {};
}

}  // namespace

std::optional<Fit> fit_law(std::string_view form,
                           std::string id,
                           const std::vector<Sample>& samples) {
  if (form == "sm_table") {
    return fit_sm_table(std::move(id), samples);
  }
  const Form* const found = find_form(form);
  if (found == nullptr || samples.size() < found->least) {
    return std::nullopt;
  }
  if (form == "message_line") {
    return best_lines(*found, id, samples);
  }
  Fit fit = fit_form(*found, std::move(id), samples);
  if (form == "sm_curve") {
    judge_plateau(samples, fit);
  }
  return fit;
}

Estimate estimate(const Fit& fit, const Query& query) {
  Estimate result;
  result.reason = outside(fit, query);
  if (!result.reason.empty()) {
    return result;
  }
  const double value = law_value(fit, fit.values, query);
  if (!(value > 0) || !std::isfinite(value)) {
    result.reason = fmt::format("{} does not cover it", fit.id);
    return result;
  }
  constexpr double kStep = 1e-4;
  std::vector<double> slope(fit.values.size(), 0);
  for (std::size_t i = 0; i < slope.size(); ++i) {
    Parameters moved = fit.values;
    moved[i] *= 1 + kStep;
    slope[i] = (law_value(fit, moved, query) / value - 1) / kStep;
  }
  double variance = 0;
  for (std::size_t i = 0; i < slope.size(); ++i) {
    for (std::size_t j = 0; j < slope.size(); ++j) {
      variance += slope[i] * fit.covariance[i][j] * slope[j];
    }
  }
  result.value = value;
  result.relative_sd = std::sqrt(std::max(variance, 0.0));
  return result;
}

namespace {

constexpr double kTera = 1e12;

double line_value(const Parameters& p, const Query& query) {
  return p[0] * cost::kMicro + query.bytes / (p[1] * cost::kGiga);
}

double two_lines_value(const Parameters& p, const Query& query) {
  const double near = std::min(query.bytes, p[2]);
  return p[0] * cost::kMicro + near / (p[1] * cost::kGiga) +
         (query.bytes - near) / (p[3] * cost::kGiga);
}

double curve_value(const Parameters& p, const Query& query) {
  const double power = 1 / p[3];
  const double by_sms = p[1] * cost::kGiga * query.sms;
  const double plateau = p[2] * cost::kGiga;
  // The smaller rate is factored out, so that powers stay close to 1.
  const double slow = std::min(by_sms, plateau);
  const double ratio = slow / std::max(by_sms, plateau);
  const double rate = slow * std::pow(1 + std::pow(ratio, power), -p[3]);
  return p[0] * cost::kMicro + query.bytes / rate;
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
  return p[0] * cost::kMicro + work * (1 + p[2] / query.k) / (p[1] * kTera);
}

std::vector<Parameters> line_starts(const std::vector<Sample>& samples) {
  const double least = extreme_of(samples, &Query::bytes, false).value / cost::kMicro;
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
  const double slope = few.query.bytes / few.value / cost::kGiga / few.query.sms;
  const double best = best_rate(samples);
  const double delay = 0.05 * extreme_of(samples, &Query::bytes, false).value / cost::kMicro;
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
  return {{0.1 * least / cost::kMicro, rate, 100}, {0.01 * least / cost::kMicro, rate, 10}};
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
    best = std::max(best, sample.query.bytes / sample.value / cost::kGiga);
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

namespace {

constexpr double kLeastSd = 1e-4;

/// Adjacent knots that move together.
struct Block {
  double log_time = 0;
  double weight = 0;
  std::size_t knots = 1;
};

struct Knot {
  double log_time = 0;  // mean of its samples, weighted
  double weight = 0;    // 1 / variance
  std::string point;
};

void add(Knot& knot, const Sample& sample) {
  const double sd = std::max(sample.relative_sd, kLeastSd);
  const double weight = 1 / (sd * sd);
  knot.log_time =
      (knot.log_time * knot.weight + std::log(sample.value) * weight) / (knot.weight + weight);
  knot.weight += weight;
  knot.point = sample.point;
}

/// Pool adjacent violators; `knots` by ascending SMs, times must not increase.
std::vector<Block> falling(const std::map<double, Knot>& knots) {
  std::vector<Block> blocks;
  for (const auto& [sms, knot] : knots) {
    blocks.push_back({knot.log_time, knot.weight, 1});
    while (blocks.size() > 1 && blocks.back().log_time > blocks[blocks.size() - 2].log_time) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& merged = blocks.back();
      merged.log_time = (merged.log_time * merged.weight + last.log_time * last.weight) /
                        (merged.weight + last.weight);
      merged.weight += last.weight;
      merged.knots += last.knots;
    }
  }
  return blocks;
}

double sms_of(const std::string& name) {
  return std::strtod(name.c_str() + 1, nullptr);  // "t96_us"
}

}  // namespace

std::optional<Fit> fit_sm_table(std::string id, const std::vector<Sample>& samples) {
  std::map<double, Knot> knots;
  for (const Sample& sample : samples) {
    add(knots[sample.query.sms], sample);
  }
  if (knots.size() < 2) {
    return std::nullopt;
  }
  std::vector<double> log_times;
  for (const Block& block : falling(knots)) {
    log_times.insert(log_times.end(), block.knots, block.log_time);
  }
  Fit fit;
  fit.id = std::move(id);
  fit.form = "sm_table";
  fit.covariance.assign(knots.size(), std::vector<double>(knots.size(), 0));
  double sum = 0;
  std::size_t at = 0;
  for (const auto& [sms, knot] : knots) {
    fit.names.push_back(fmt::format("t{:g}_us", sms));
    fit.values.push_back(std::exp(log_times[at]) / cost::kMicro);
    fit.covariance[at][at] = 1 / knot.weight;
    const double off = std::abs(log_times[at] - knot.log_time);
    sum += off * off;
    if (off >= fit.residual.largest) {
      fit.residual.largest = off;
      fit.residual.worst = knot.point;
    }
    ++at;
  }
  fit.residual.rms = std::sqrt(sum / static_cast<double>(knots.size()));
  constexpr int kMany = 1000;  // each knot's deviation comes from its own rounds
  fit.residual.points = static_cast<int>(samples.size());
  fit.residual.degrees = kMany;
  fit.range["sms"] = {knots.begin()->first, knots.rbegin()->first};
  return fit;
}

double sm_table_value(const std::vector<std::string>& names,
                      const std::vector<double>& values,
                      double sms) {
  if (names.empty() || names.size() != values.size()) {
    return 0;
  }
  std::size_t right = 0;
  while (right + 1 < names.size() && sms_of(names[right]) < sms) {
    ++right;
  }
  const std::size_t left = right == 0 ? 0 : right - 1;
  const double from = sms_of(names[left]);
  const double to = sms_of(names[right]);
  const double share = to > from ? std::clamp((sms - from) / (to - from), 0.0, 1.0) : 1;
  return (values[left] + share * (values[right] - values[left])) * cost::kMicro;
}

}  // namespace epwise::calibrate
