#include "calibrate/fits/step_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text/count.h"
#include "calibrate/fits/least_squares.h"
#include "perf/sim/prediction/likeness.h"
#include "perf/sim/step/step.h"

namespace epwise::calibrate {

namespace {

constexpr double kFarthest = 0.7;   // logarithm of measured over predicted
constexpr double kContrary = 0.25;  // the same, between two runs of one class
constexpr double kOneClass = 0.7;   // likeness
constexpr double kLeastPower = 5e-3;
constexpr double kTold = 0.8;  // of the prior's deviation

/// Constants that one cause multiplies.
struct Cause {
  std::string_view name;
  double prior_sd = 0;
  std::array<std::string_view, 4> constants;
};

constexpr std::array<Cause, 3> kCauses = {
    {{"host", 0.3, {"host_x86", "host_arm"}},
     {"exchange", 0.15, {"flex_nvlink", "flex_nic", "alltoall_nvlink", "alltoall_nic"}},
     {"GEMM", 0.08, {"gemm_hopper", "gemm_blackwell"}}}};

using Factors = std::vector<double>;

sim::Constants with(const sim::Constants& constants, const Factors& factors) {
  sim::Constants result = constants;
  for (std::size_t i = 0; i < kCauses.size(); ++i) {
    for (const std::string_view name : kCauses[i].constants) {
      if (!name.empty()) {
        result.*sim::constant_member(name) *= factors[i];
      }
    }
  }
  return result;
}

/// The steps, lowered once.
class Steps {
 public:
  Steps(const std::vector<MeasuredStep>& steps, const sim::ConstantTable& table)
      : steps_(steps),
        table_(table) {
    for (const MeasuredStep& step : steps) {
      works_.push_back(sim::lower(*step.job, step.machine, table.values, step.stated));
      traits_.push_back(sim::traits_of(*step.job));
    }
    factor_ = sim::error_factor(traits_);
  }

  std::size_t count() const { return steps_.size(); }

  const MeasuredStep& step(std::size_t i) const { return steps_[i]; }

  const std::vector<sim::Traits>& traits() const { return traits_; }

  double predicted(std::size_t i, const Factors& factors) const {
    return sim::evaluate(works_[i], with(table_.values, factors), {}).step;
  }

  /// Logarithms of measured over predicted.
  std::vector<double> errors(const Factors& factors) const {
    std::vector<double> errors;
    for (std::size_t i = 0; i < count(); ++i) {
      errors.push_back(std::log(steps_[i].seconds / predicted(i, factors)));
    }
    return errors;
  }

  /// Independent, in standard deviations.
  std::vector<double> residuals(const Factors& factors) const {
    std::vector<double> errors = this->errors(factors);
    for (double& error : errors) {
      error /= sim::kSharedError;
    }
    return sim::forward_substituted(factor_, std::move(errors));
  }

  bool depends_on(std::size_t cause) const {
    constexpr double kStep = 0.05;
    const Factors usual(kCauses.size(), 1.0);
    Factors moved = usual;
    moved[cause] = 1 + kStep;
    for (std::size_t i = 0; i < count(); ++i) {
      if (std::abs(std::log(predicted(i, moved) / predicted(i, usual))) / kStep > kLeastPower) {
        return true;
      }
    }
    return false;
  }

 private:
  const std::vector<MeasuredStep>& steps_;
  const sim::ConstantTable& table_;
  std::vector<sim::StepWork> works_;
  std::vector<sim::Traits> traits_;
  std::vector<std::vector<double>> factor_;
};

std::string too_far(const MeasuredStep& step, double predicted) {
  return fmt::format(
      "{}: measured {:.4g} s, predicted {:.4g} s, {:.2g} times as long{}; check the unit, the "
      "recipe, the hardware and the number of GPUs",
      step.name,
      step.seconds,
      predicted,
      std::max(step.seconds / predicted, predicted / step.seconds),
      step.seconds < predicted ? " as measured" : " as predicted");
}

/// Why a step cannot be true; "" if all can.
std::string impossible(const Steps& steps) {
  const Factors usual(kCauses.size(), 1.0);
  const std::vector<double> errors = steps.errors(usual);
  for (std::size_t i = 0; i < steps.count(); ++i) {
    if (!(std::abs(errors[i]) <= kFarthest)) {
      return too_far(steps.step(i), steps.predicted(i, usual));
    }
  }
  return {};
}

/// Two runs of one class that the causes do not reconcile; "" if there are none.
std::string contradiction(const Steps& steps, const Factors& factors) {
  const std::vector<double> errors = steps.errors(factors);
  for (std::size_t i = 0; i < steps.count(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double alike = sim::likeness(steps.traits()[i], steps.traits()[j]);
      if (alike > kOneClass && std::abs(errors[i] - errors[j]) > kContrary) {
        return fmt::format(
            "{} and {} are {} and contradict each other: {:.4g} and {:.4g} times the predicted "
            "step; no constant explains both",
            steps.step(j).name,
            steps.step(i).name,
            alike >= 1 ? "one recipe" : "alike",
            std::exp(errors[j]),
            std::exp(errors[i]));
      }
    }
  }
  return {};
}

FitProblem problem_of(const Steps& steps, const std::vector<std::size_t>& free, double host) {
  constexpr double kWidest = 4;
  FitProblem problem;
  for (const std::size_t cause : free) {
    problem.start.push_back(kCauses[cause].name == "host" ? host : 1);
    problem.low.push_back(1 / kWidest);
    problem.high.push_back(kWidest);
  }
  problem.residuals = [&steps, &free](const std::vector<double>& values) {
    Factors factors(kCauses.size(), 1.0);
    for (std::size_t i = 0; i < free.size(); ++i) {
      factors[free[i]] = values[i];
    }
    std::vector<double> residuals = steps.residuals(factors);
    for (std::size_t i = 0; i < free.size(); ++i) {
      residuals.push_back(std::log(values[i]) / kCauses[free[i]].prior_sd);
    }
    return residuals;
  };
  return problem;
}

FitSolution best_of(const Steps& steps, const std::vector<std::size_t>& free) {
  std::optional<FitSolution> best;
  for (const double host : {1.0, 0.5, 1.5, 2.2}) {
    FitSolution solution = minimise(problem_of(steps, free, host));
    if (!best || solution.loss < best->loss) {
      best = std::move(solution);
    }
  }
  return *best;
}

/// Fills in what the steps say of the causes.
void learn_causes(const Steps& steps, std::vector<LearntCause>& causes) {
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (causes[i].matters) {
      free.push_back(i);
    }
  }
  const auto differs = [&](const sim::Traits& one) { return one != steps.traits().front(); };
  if (free.empty() || std::none_of(steps.traits().begin(), steps.traits().end(), differs)) {
    return;
  }
  const FitSolution solution = best_of(steps, free);
  for (std::size_t i = 0; i < free.size(); ++i) {
    LearntCause& cause = causes[free[i]];
    // Steps that happen to fit too well do not narrow the interval below their stated error.
    const double scale = std::max(std::min(solution.scale, 1.0), 1e-6);
    const double sd = std::sqrt(std::max(solution.covariance[i][i], 0.0)) / scale;
    cause.told = sd < kTold * cause.prior_sd;
    if (cause.told) {
      cause.factor = solution.parameters[i];
      cause.log_sd = sd;
    }
  }
}

std::vector<StepConstant> constants_of(const Steps& steps,
                                       const std::vector<LearntCause>& causes,
                                       const sim::ConstantTable& table) {
  std::vector<StepConstant> constants;
  const bool grace = steps.step(0).machine.grace;
  const bool blackwell = steps.step(0).machine.blackwell;
  const std::string_view other_host = grace ? "host_x86" : "host_arm";
  const std::string_view other_gemm = blackwell ? "gemm_hopper" : "gemm_blackwell";
  for (std::size_t i = 0; i < causes.size(); ++i) {
    for (const std::string_view name : kCauses[i].constants) {
      if (causes[i].told && !name.empty() && name != other_host && name != other_gemm) {
        constants.push_back({std::string(name),
                             table.values.*sim::constant_member(name) * causes[i].factor,
                             causes[i].log_sd,
                             text::counted(steps.count(), "measured step")});
      }
    }
  }
  return constants;
}

}  // namespace

StepFit fit_step_constants(const std::vector<MeasuredStep>& steps,
                           const sim::ConstantTable& table) {
  StepFit result;
  const Steps known(steps, table);
  result.refusal = impossible(known);
  if (!result.refusal.empty()) {
    return result;
  }
  Factors factors(kCauses.size(), 1.0);
  const Factors usual = factors;
  for (std::size_t i = 0; i < kCauses.size(); ++i) {
    const Cause& cause = kCauses[i];
    result.causes.push_back(
        {std::string(cause.name), cause.prior_sd, 1, cause.prior_sd, known.depends_on(i), false});
  }
  learn_causes(known, result.causes);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    factors[i] = result.causes[i].factor;
  }
  if (std::string why = contradiction(known, factors); !why.empty()) {
    result = {};
    result.refusal = std::move(why);
    return result;
  }
  result.constants = constants_of(known, result.causes, table);
  const std::vector<double> left = known.errors(factors);
  std::vector<sim::LearntRun> runs;
  for (std::size_t i = 0; i < known.count(); ++i) {
    runs.push_back({known.traits()[i], left[i]});
    result.runs.push_back({steps[i].name, runs.back(), steps[i].seconds});
  }
  for (std::size_t i = 0; i < known.count(); ++i) {
    const sim::Level level = sim::level_of(runs, known.traits()[i]);
    result.steps.push_back({steps[i].name,
                            steps[i].seconds,
                            known.predicted(i, usual),
                            known.predicted(i, factors) * std::exp(level.log_factor)});
  }
  return result;
}

}  // namespace epwise::calibrate
