#include "calibrate/fits/laws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "calibrate/fits/law_forms.h"
#include "calibrate/fits/least_squares.h"
#include "calibrate/fits/sm_table.h"

namespace epwise::calibrate {

namespace {

/// What no law gets right: below it a point weighs no more.
constexpr double kModelError = 0.005;
/// What all points of one run share (its clock, outliers that only ever take longer) and what more
/// points don't average away.
constexpr double kShared = 0.002;

/// Standard deviations to weigh by. A few rounds tell their own deviation badly, and weights that
/// are noise themselves make intervals too narrow: three parts of four are what all points say.
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

/// Two lines with the knot at the size that leaves least over, where that is worth two parameters.
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
      row[2] = 0;  // the knot is chosen, not fitted
    }
    return *bent;
  }
  return best;
}

/// The plateau counts as seen when the last step in SMs gained less than half of what it would have
/// gained in proportion.
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

double value_of(const Fit& fit, const Parameters& values, const Query& query) {
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
      return fmt::format("{} {:g} is outside {:g} to {:g}, where {} was measured",
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
  const double value = value_of(fit, fit.values, query);
  if (!(value > 0) || !std::isfinite(value)) {
    result.reason = fmt::format("{} says nothing of it", fit.id);
    return result;
  }
  constexpr double kStep = 1e-4;
  std::vector<double> slope(fit.values.size(), 0);
  for (std::size_t i = 0; i < slope.size(); ++i) {
    Parameters moved = fit.values;
    moved[i] *= 1 + kStep;
    slope[i] = (value_of(fit, moved, query) / value - 1) / kStep;
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

}  // namespace epwise::calibrate
