#include "commands/simulate/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/units/quantity.h"
#include "ui/columns.h"
#include "ui/findings/lint_report.h"
#include "ui/prediction_text.h"
#include "ui/style.h"

namespace epwise::report {

namespace {

constexpr int kSimulationNameWidth = 18;
constexpr double kBarWidth = 40;

class SimulationText {
 public:
  explicit SimulationText(const Style& style)
      : style_(style),
        paint_(style.colour, style.hyperlinks) {}

  std::string run(const std::vector<SimulatedRecipe>& recipes) {
    for (const SimulatedRecipe& recipe : recipes) {
      if (!out_.empty()) {
        out_ += '\n';
      }
      show(recipe);
    }
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + '\n'; }

  void show(const SimulatedRecipe& recipe) {
    line(paint_(Role::strong, printable(recipe.path, style_.unicode)) + " on " +
         printable(recipe.against, style_.unicode));
    if (!recipe.prediction) {
      refuse(recipe);
      return;
    }
    if (recipe.lint_errors > 0) {
      line(paint_(Role::error,
                  fmt::format("  {} found by lint: this recipe would not run as written",
                              counted(recipe.lint_errors, "error"))));
    }
    if (!recipe.accepted.empty()) {
      line(paint_(Role::warning, "  " + printable(recipe.accepted, style_.unicode)));
    }
    figures(*recipe.prediction);
    utilisation(recipe);
    waterfall(*recipe.prediction);
    memory(*recipe.prediction);
    inputs(recipe.inputs);
    if (recipe.calibration) {
      calibration(*recipe.calibration);
    }
  }

  void calibration(const sim::CalibrationEffect& effect) {
    line("");
    line(printable(fmt::format("  calibration {} ({})", effect.path, effect.device),
                   style_.unicode));
    for (const std::string& each : calibration_lines(effect)) {
      line("  " + each);
    }
    if (style_.verbose) {
      for (const std::string& constant : effect.constants) {
        line("    " + constant);
      }
    }
    for (const std::string& note : effect.notes) {
      line(paint_(Role::warning, "  " + printable(note, style_.unicode)));
    }
  }

  void refuse(const SimulatedRecipe& recipe) {
    if (recipe.missing.empty()) {
      line(
          paint_(Role::error,
                 fmt::format("  not simulated: `epwise lint` finds {}; --force simulates it anyway",
                             counted(recipe.lint_errors, "error"))));
      return;
    }
    if (!recipe.takes_steps) {
      line(paint_(Role::dim, "  not simulated: " + missing_text(recipe.missing.front())));
      return;
    }
    line(paint_(Role::error, "  not simulated; missing facts:"));
    for (const text::Diagnostic& each : recipe.missing) {
      line("  - " + printable(missing_text(each), style_.unicode));
    }
  }

  void figure(std::string_view name, const std::string& value, const std::string& range) {
    line(fmt::format("  {:<{}}{:>10}   ", name, kSimulationNameWidth, value) +
         paint_(Role::dim, range));
  }

  void figures(const sim::Prediction& prediction) {
    const auto counts = [](const sim::Range& range, double unit) {
      return fmt::format("{} to {}", count_text(range.low / unit), count_text(range.high / unit));
    };
    const sim::Range& step = prediction.step_time;
    figure(
        "step time",
        seconds_text(step.value),
        fmt::format("{} to {} (80 % interval)", seconds_text(step.low), seconds_text(step.high)));
    figure("tokens/s/GPU",
           count_text(prediction.tokens_per_second.value),
           counts(prediction.tokens_per_second, 1));
    figure("TFLOP/s/GPU",
           count_text(prediction.flops_per_second.value / units::kTera),
           counts(prediction.flops_per_second, units::kTera));
  }

  void utilisation(const SimulatedRecipe& recipe) {
    const Utilisation& known = recipe.utilisation;
    if (known.bf16_peak <= 0) {
      return;
    }
    const double rate = recipe.prediction->flops_per_second.value;
    std::string of =
        fmt::format("of {} TFLOP/s, the peak in BF16", count_text(known.bf16_peak / units::kTera));
    if (known.own_peak > known.bf16_peak) {
      of += fmt::format("; {:.1f} % of {} in {}",
                        100 * rate / known.own_peak,
                        count_text(known.own_peak / units::kTera),
                        known.precision);
    }
    figure("MFU", fmt::format("{:.1f} %", 100 * rate / known.bf16_peak), of);
  }

  void waterfall(const sim::Prediction& prediction) {
    line("");
    const double step = prediction.step_time.value;
    for (const sim::WaterfallTerm& term : prediction.waterfall) {
      const double share = term.seconds / step;
      const auto length = static_cast<std::size_t>(std::max(0.0, std::round(share * kBarWidth)));
      std::string text = fmt::format("  {:<{}}{:>10}  {:>4.0f} %",
                                     term_title(term.name),
                                     kSimulationNameWidth,
                                     seconds_text(term.seconds),
                                     100 * share + 0.0);
      if (length > 0) {
        text += "  " + paint_(Role::frame, std::string(length, '#'));
      }
      line(text);
    }
  }

  void memory(const sim::Prediction& prediction) {
    const sim::Range& needed = prediction.needed_memory;
    std::string text = fmt::format("{} GiB, {} to {} (80 % interval)",
                                   count_text(needed.value / units::kGiB),
                                   count_text(needed.low / units::kGiB),
                                   count_text(needed.high / units::kGiB));
    if (prediction.memory_limit > 0) {
      text += fmt::format(", of {}; {:.0f} % probability of running out",
                          count_text(prediction.memory_limit / units::kGiB),
                          100 * prediction.out_of_memory);
    }
    constexpr double kLikely = 0.5;
    line(fmt::format("\n  {:<{}}", "memory", kSimulationNameWidth) +
         paint_(prediction.out_of_memory > kLikely ? Role::error : Role::plain, text));
    for (std::size_t i = 0; i < prediction.memory.stages.size(); ++i) {
      const workload::StageMemory& stage = prediction.memory.stages[i];
      const std::string name =
          prediction.memory.stages.size() == 1 ? "" : fmt::format("  stage {}", i);
      line(fmt::format("  {:<{}}", name, kSimulationNameWidth) +
           paint_(Role::dim,
                  fmt::format(
                      "weights {}, gradients {}, optimizer {}, activations {}, other {}",
                      count_text(stage.weights / units::kGiB),
                      count_text(stage.gradients / units::kGiB),
                      count_text(stage.optimizer / units::kGiB),
                      count_text(stage.activations / units::kGiB),
                      count_text((stage.loss + stage.transient + stage.graphs + stage.buffers) /
                                 units::kGiB))));
    }
    const double beside = needed.value - prediction.peak_memory.value;
    if (beside > 0) {
      line(fmt::format("  {:<{}}", "", kSimulationNameWidth) +
           paint_(Role::dim,
                  fmt::format("fragmentation, CUDA context and communicators of the fullest GPU {}",
                              count_text(beside / units::kGiB))));
    }
  }

  void inputs(const std::vector<workload::Input>& inputs) {
    const auto assumed =
        std::ranges::count(inputs, workload::InputStatus::assumed, &workload::Input::status);
    line(fmt::format("\n  {} inputs are known, {} assumed{}",
                     static_cast<std::ptrdiff_t>(inputs.size()) - assumed,
                     assumed,
                     assumed > 0 ? ":" : ""));
    for (const workload::Input& input : inputs) {
      const bool shown = input.status == workload::InputStatus::assumed || style_.verbose;
      if (!shown) {
        continue;
      }
      std::string text =
          fmt::format("  {:<{}} {}", input.key, kSimulationNameWidth - 1, input.value);
      const std::string why =
          input.why.empty() ? std::string(workload::to_string(input.status)) : input.why;
      line(printable(text, style_.unicode) + "  " +
           paint_(Role::dim, printable(why, style_.unicode)));
    }
  }

  const Style& style_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string missing_text(const text::Diagnostic& missing) {
  return missing.message + (missing.help.empty() ? "" : "; " + missing.help);
}

std::string_view term_title(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTitles = {
      {{"dispatch", "exposed dispatch"},
       {"combine", "exposed combine"},
       {"uneven_stages", "uneven stages"},
       {"data_parallel", "data parallel"},
       {"optimizer", "optimizer, fixed"}}};
  const auto* const found =
      std::ranges::find(kTitles, name, &std::pair<std::string_view, std::string_view>::first);
  return found == kTitles.end() ? name : found->second;
}

std::string simulate_text(const std::vector<SimulatedRecipe>& recipes, const Style& style) {
  return SimulationText(style).run(recipes);
}

namespace {

Json inputs_json(const std::vector<workload::Input>& inputs) {
  int assumed = 0;
  Json list = Json::array();
  for (const workload::Input& input : inputs) {
    assumed += input.status == workload::InputStatus::assumed ? 1 : 0;
    Json json = {
        {"name", input.key}, {"value", input.value}, {"status", workload::to_string(input.status)}};
    if (!input.why.empty()) {
      json["why"] = input.why;
    }
    list.push_back(json);
  }
  return {{"measured", static_cast<int>(inputs.size()) - assumed},
          {"assumed", assumed},
          {"list", list}};
}

Json stage_json(const workload::StageMemory& stage) {
  return {{"weights_gib", rounded(stage.weights / units::kGiB)},
          {"gradients_gib", rounded(stage.gradients / units::kGiB)},
          {"optimizer_gib", rounded(stage.optimizer / units::kGiB)},
          {"activations_gib", rounded(stage.activations / units::kGiB)},
          {"loss_gib", rounded(stage.loss / units::kGiB)},
          {"transient_gib", rounded(stage.transient / units::kGiB)},
          {"graphs_gib", rounded(stage.graphs / units::kGiB)},
          {"buffers_gib", rounded(stage.buffers / units::kGiB)},
          {"chunks_in_flight", stage.chunks_in_flight}};
}

Json predicted_memory_json(const sim::Prediction& prediction) {
  Json json = {{"peak_gib", range_json(prediction.peak_memory, units::kGiB)},
               {"needed_gib", range_json(prediction.needed_memory, units::kGiB)},
               {"fullest_stage", prediction.memory.fullest}};
  if (prediction.memory_limit > 0) {
    json["limit_gib"] = rounded(prediction.memory_limit / units::kGiB);
    json["out_of_memory"] = std::round(prediction.out_of_memory * 1000) / 1000;
  }
  Json stages = Json::array();
  for (const workload::StageMemory& stage : prediction.memory.stages) {
    stages.push_back(stage_json(stage));
  }
  json["stages"] = stages;
  return json;
}

void add_prediction(Json& json, const SimulatedRecipe& recipe) {
  const sim::Prediction& prediction = *recipe.prediction;
  json["step_time_s"] = range_json(prediction.step_time);
  json["tokens_per_s_per_gpu"] = range_json(prediction.tokens_per_second);
  json["tflops_per_gpu"] = range_json(prediction.flops_per_second, units::kTera);
  if (recipe.utilisation.bf16_peak > 0) {
    const Utilisation& known = recipe.utilisation;
    json["mfu"] = range_json(prediction.flops_per_second, known.bf16_peak);
    if (known.own_peak > known.bf16_peak) {
      json["mfu_of_precision"] = range_json(prediction.flops_per_second, known.own_peak);
    }
  }
  json["memory"] = predicted_memory_json(prediction);
  Json breakdown = Json::array();
  for (const sim::WaterfallTerm& term : prediction.waterfall) {
    breakdown.push_back({{"name", term.name}, {"seconds", rounded(term.seconds)}});
  }
  json["breakdown"] = breakdown;
  json["inputs"] = inputs_json(recipe.inputs);
  if (recipe.calibration) {
    json["calibration"] = effect_json(*recipe.calibration);
  }
}

}  // namespace

std::string simulate_json(const std::vector<SimulatedRecipe>& recipes,
                          const std::vector<session::NewerRelease>& newer) {
  Json files = Json::array();
  for (const SimulatedRecipe& recipe : recipes) {
    Json json = {{"path", recipe.path},
                 {"framework", recipe.framework},
                 {"target", recipe.target},
                 {"lint_errors", recipe.lint_errors}};
    if (recipe.prediction) {
      if (!recipe.accepted.empty()) {
        json["accepted"] = recipe.accepted;
      }
      add_prediction(json, recipe);
    } else {
      json["refused"] = recipe.missing.empty() ? "lint"
                        : recipe.takes_steps   ? "missing"
                                               : "no_steps";
      json["missing"] = missing_json(recipe.missing);
    }
    files.push_back(json);
  }
  Json json = {{"schema", "epwise.simulate/1"}};
  add_newer_releases(newer, json);
  json["files"] = std::move(files);
  return json_text(json);
}

namespace {

/// RFC 4180: quoted where it must be, quotes doubled.
std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char sign : text) {
    quoted += sign;
    if (sign == '"') {
      quoted += '"';
    }
  }
  return quoted + '"';
}

std::string range_cells(const sim::Range& range, double unit) {
  return fmt::format(
      ",{:.6g},{:.6g},{:.6g}", range.value / unit, range.low / unit, range.high / unit);
}

}  // namespace

std::string simulate_csv(const std::vector<SimulatedRecipe>& recipes) {
  constexpr std::size_t kRanges = 15;
  std::string out =
      "path,hw,lint_errors,step_time_s,step_time_low_s,step_time_high_s,tokens_per_s_per_gpu,"
      "tokens_low,tokens_high,tflops_per_gpu,tflops_low,tflops_high,"
      "peak_gib,peak_low,peak_high,needed_gib,needed_low,needed_high";
  for (const std::string_view name : sim::kWaterfallNames) {
    out += fmt::format(",{}_s", name);
  }
  out += '\n';
  for (const SimulatedRecipe& recipe : recipes) {
    out += fmt::format("{},{},{}",
                       cell(printable(recipe.path, true)),
                       cell(printable(recipe.hw, true)),
                       recipe.lint_errors);
    if (!recipe.prediction) {
      out += std::string(kRanges + sim::kWaterfallNames.size(), ',') + '\n';
      continue;
    }
    const sim::Prediction& prediction = *recipe.prediction;
    out += range_cells(prediction.step_time, 1);
    out += range_cells(prediction.tokens_per_second, 1);
    out += range_cells(prediction.flops_per_second, units::kTera);
    out += range_cells(prediction.peak_memory, units::kGiB);
    out += range_cells(prediction.needed_memory, units::kGiB);
    for (const sim::WaterfallTerm& term : prediction.waterfall) {
      out += fmt::format(",{:.6g}", term.seconds);
    }
    out += '\n';
  }
  return out;
}

}  // namespace epwise::report
