#include "perf/sim/prediction/measured_constants.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "perf/cost/cost.h"
#include "perf/sim/step/step.h"

namespace epwise::sim {

namespace {

constexpr double kLeastPower = 2e-3;  // below it a constant does not matter to a step
/// Residual error of calibrated predictions (step-model notes: 4 to 5 % in the sample).
constexpr double kLeastBase = 0.05;

bool is_width(const std::string& name) {
  return name.starts_with("width_");
}

/// The power of a constant in the step time.
double power_of(const StepWork& work, const Constants& constants, double Constants::*member) {
  constexpr double kStep = 0.02;
  Constants more = constants;
  more.*member *= 1 + kStep;
  Constants less = constants;
  less.*member /= 1 + kStep;
  const double up = evaluate(work, more, {}).step;
  const double down = evaluate(work, less, {}).step;
  return std::log(up / down) / (2 * std::log(1 + kStep));
}

const ConstantNote* note_of(const ConstantTable& table, const std::string& name) {
  const auto found = std::find_if(table.notes.begin(),
                                  table.notes.end(),
                                  [&name](const ConstantNote& note) { return note.name == name; });
  return found == table.notes.end() ? nullptr : &*found;
}

/// The class of uncertainty to which a constant's error belongs.
double Uncertainty::*class_of(const std::string& name) {
  if (name.starts_with("host_")) {
    return &Uncertainty::host;
  }
  if (name.starts_with("overlap_")) {
    return &Uncertainty::overlap;
  }
  return name == "tensor_parallel" ? &Uncertainty::tensor_parallel : &Uncertainty::base;
}

/// The share of a step's kernel and exchange times with measured constants: the uncertainty of a
/// GPU without published steps is reduced by it.
double kernels_covered(const StepWork& work,
                       const Constants& constants,
                       const std::vector<MeasuredConstant>& measured) {
  constexpr std::array<std::string_view, 9> kKernels = {"gemm_hopper",
                                                        "gemm_blackwell",
                                                        "grouped_gemm",
                                                        "attention",
                                                        "memory_kernels",
                                                        "flex_nic",
                                                        "flex_nvlink",
                                                        "alltoall_nic",
                                                        "alltoall_nvlink"};
  double all = 0;
  double covered = 0;
  for (const std::string_view name : kKernels) {
    const double power = std::abs(power_of(work, constants, constant_member(name)));
    all += power;
    const bool known = std::any_of(
        measured.begin(), measured.end(), [name](const auto& one) { return one.name == name; });
    covered += known ? power : 0;
  }
  return all > 0 ? covered / all : 0;
}

}  // namespace

ConstantTable with_measured(const ConstantTable& table,
                            const std::vector<MeasuredConstant>& measured) {
  ConstantTable result = table;
  for (const MeasuredConstant& one : measured) {
    double Constants::*const member = constant_member(one.name);
    if (member == nullptr) {
      continue;
    }
    result.values.*member = one.value;
    for (ConstantNote& note : result.notes) {
      if (note.name == one.name) {
        note.value = one.value;
        note.log_sd = one.log_sd;
        note.status = cost::Status::fitted;
        note.source = "calibration: " + one.basis;
      }
    }
  }
  return result;
}

void prefer_measured(const std::vector<MeasuredConstant>& measured,
                     workload::Cpu cpu,
                     StatedInputs& stated) {
  const std::string_view host = cpu == workload::Cpu::grace ? "host_arm" : "host_x86";
  const bool known = std::any_of(
      measured.begin(), measured.end(), [host](const auto& one) { return one.name == host; });
  if (known && !stated.host_measured) {
    stated.host_operation = 0;
  }
}

Uncertainty narrowed(const Uncertainty& uncertainty,
                     const StepWork& work,
                     const ConstantTable& before,
                     const std::vector<MeasuredConstant>& measured) {
  Uncertainty result = uncertainty;
  const Constants after = with_measured(before, measured).values;
  for (const MeasuredConstant& one : measured) {
    double Constants::*const member = constant_member(one.name);
    const ConstantNote* const note = note_of(before, one.name);
    if (member == nullptr || note == nullptr || note->log_sd <= one.log_sd) {
      continue;
    }
    const double power = power_of(work, after, member);
    const double known = cost::kNineTenths * cost::kNineTenths * power * power *
                         (note->log_sd * note->log_sd - one.log_sd * one.log_sd);
    double Uncertainty::*const part = class_of(one.name);
    const double least = part == &Uncertainty::base ? std::min(kLeastBase, uncertainty.base) : 0;
    result.*part = std::sqrt(std::max(result.*part * result.*part - known, least * least));
  }
  result.hardware *= 1 - kernels_covered(work, after, measured);
  return result;
}

Prediction predict_measured(const workload::Workload& job,
                            const Machine& machine,
                            const ConstantTable& table,
                            const std::vector<MeasuredConstant>& measured,
                            const StatedInputs& stated,
                            CalibrationEffect& effect) {
  return predict_measured(
      job, machine, table, with_measured(table, measured), measured, stated, effect);
}

Prediction predict_measured(const workload::Workload& job,
                            const Machine& machine,
                            const ConstantTable& table,
                            const ConstantTable& known,
                            const std::vector<MeasuredConstant>& measured,
                            const StatedInputs& stated,
                            CalibrationEffect& effect) {
  Prediction prediction = predict(job, machine, known.values, stated);
  const StepWork work = lower(job, machine, known.values, stated);
  StatedInputs unlearnt = stated;
  unlearnt.level = 1;
  unlearnt.level_known = 0;
  effect.half_width_before =
      uncertainty_of(lower(job, machine, table.values, unlearnt), table.values).half_width();
  effect.level = stated.level;
  effect.level_known = stated.level_known;
  prediction.uncertainty = narrowed(prediction.uncertainty, work, table, measured);
  effect.half_width = prediction.uncertainty.half_width();
  const auto widen = [&effect](Range& range) { range = around(range.value, effect.half_width); };
  widen(prediction.step_time);
  widen(prediction.tokens_per_second);
  widen(prediction.flops_per_second);
  for (const ConstantNote& note : table.notes) {
    double Constants::*const member = constant_member(note.name);
    if (is_width(note.name) || member == nullptr || known.values.*member <= 0 ||
        std::abs(power_of(work, known.values, member)) < kLeastPower) {
      continue;
    }
    ++effect.mattering;
    const bool now = std::any_of(measured.begin(), measured.end(), [&note](const auto& one) {
      return one.name == note.name;
    });
    effect.bound_before += note.status == cost::Status::fitted ? 1 : 0;
    effect.measured += now || note.status == cost::Status::fitted ? 1 : 0;
    if (now) {
      effect.constants.push_back(note.name);
    }
  }
  return prediction;
}

void settle_inputs(const std::vector<std::string>& replaced,
                   double host_operation,
                   std::vector<workload::Input>& inputs) {
  const auto has = [&replaced](std::string_view constant) {
    return std::find(replaced.begin(), replaced.end(), constant) != replaced.end();
  };
  for (workload::Input& input : inputs) {
    const bool host = input.key == "host" && (has("host_x86") || has("host_arm"));
    const bool network = input.key == "nic_rate" && (has("flex_nic") || has("alltoall_nic"));
    if (input.status == workload::InputStatus::assumed && (host || network)) {
      input.status = workload::InputStatus::written;
      input.why = "measured: --calibration";
      if (host) {
        input.value = fmt::format("{:.3g} us per operation", host_operation * 1e6);
      }
    }
  }
}

}  // namespace epwise::sim
