#include "calibrate/fits/step_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/text/count.h"
#include "calibrate/fits/least_squares.h"
#include "perf/sim/step/step.h"

namespace epwise::calibrate {

namespace {

constexpr std::array<std::string_view, 10> kRefitted = {"host_x86",
                                                        "host_arm",
                                                        "overlap_exchange",
                                                        "overlap_sms",
                                                        "flex_nvlink",
                                                        "flex_nic",
                                                        "alltoall_nvlink",
                                                        "alltoall_nic",
                                                        "gemm_hopper",
                                                        "gemm_blackwell"};
// of a step time that the model would otherwise predict correctly
constexpr double kStepError = 0.03;
// sensitivity of the step to a constant below which it is omitted
constexpr double kLeastPower = 5e-3;

/// A constant during the fit.
struct Free {
  std::string name;
  double sim::Constants::*member = nullptr;
  double prior = 0;
  double log_sd = 0;
};

double step_time(const MeasuredStep& step, const sim::Constants& constants) {
  return sim::evaluate(sim::lower(*step.job, step.machine, constants, step.stated), constants, {})
      .step;
}

/// Sensitivity of the step to the constant, maximum over all steps.
double power_of(const std::vector<MeasuredStep>& steps,
                const sim::Constants& constants,
                double sim::Constants::*member) {
  constexpr double kStep = 0.05;
  sim::Constants moved = constants;
  moved.*member *= 1 + kStep;
  double power = 0;
  for (const MeasuredStep& step : steps) {
    const double ratio = step_time(step, moved) / step_time(step, constants);
    power = std::max(power, std::abs(std::log(ratio)) / kStep);
  }
  return power;
}

std::vector<Free> free_constants(const std::vector<MeasuredStep>& steps,
                                 const sim::ConstantTable& table) {
  std::vector<Free> free;
  for (const sim::ConstantNote& note : table.notes) {
    const bool wanted = std::find(kRefitted.begin(), kRefitted.end(), note.name) != kRefitted.end();
    double sim::Constants::*const member = sim::constant_member(note.name);
    if (wanted && member != nullptr && note.log_sd > 0 &&
        power_of(steps, table.values, member) > kLeastPower) {
      free.push_back({note.name, member, note.value, note.log_sd});
    }
  }
  return free;
}

sim::Constants with(const sim::Constants& constants,
                    const std::vector<Free>& free,
                    const std::vector<double>& values) {
  sim::Constants result = constants;
  for (std::size_t i = 0; i < free.size(); ++i) {
    result.*free[i].member = values[i];
  }
  return result;
}

FitProblem step_problem(const std::vector<MeasuredStep>& steps,
                        const sim::Constants& constants,
                        const std::vector<Free>& free) {
  FitProblem problem;
  for (const Free& one : free) {
    constexpr double kFarthest = 5;
    problem.start.push_back(one.prior);
    problem.low.push_back(one.prior / kFarthest);
    problem.high.push_back(one.prior * kFarthest);
  }
  problem.residuals = [&steps, &constants, &free](const std::vector<double>& values) {
    const sim::Constants tried = with(constants, free, values);
    std::vector<double> residuals;
    for (const MeasuredStep& step : steps) {
      residuals.push_back(std::log(step_time(step, tried) / step.seconds) / kStepError);
    }
    for (std::size_t i = 0; i < free.size(); ++i) {
      residuals.push_back(std::log(values[i] / free[i].prior) / free[i].log_sd);
    }
    return residuals;
  };
  return problem;
}

}  // namespace

StepFit fit_step_constants(const std::vector<MeasuredStep>& steps,
                           const sim::ConstantTable& table) {
  StepFit result;
  const std::vector<Free> free = free_constants(steps, table);
  sim::Constants fitted = table.values;
  if (!free.empty()) {
    const FitSolution solution = minimise(step_problem(steps, table.values, free));
    fitted = with(table.values, free, solution.parameters);
    // Steps that happen to fit too well do not narrow the interval below their stated error.
    const double scale = std::min(solution.scale, 1.0);
    for (std::size_t i = 0; i < free.size(); ++i) {
      const double sd = std::sqrt(std::max(solution.covariance[i][i], 0.0)) / std::max(scale, 1e-6);
      result.constants.push_back({free[i].name,
                                  solution.parameters[i],
                                  std::min(sd, free[i].log_sd),
                                  text::counted(steps.size(), "measured step")});
    }
  }
  for (const MeasuredStep& step : steps) {
    result.steps.push_back(
        {step.name, step.seconds, step_time(step, table.values), step_time(step, fitted)});
  }
  return result;
}

}  // namespace epwise::calibrate
