#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "report/calibration_words.h"
#include "report/columns.h"
#include "report/duration_text.h"
#include "report/lint/tally.h"
#include "report/simulate/writer.h"
#include "report/style.h"
#include "units/prefixes.h"

namespace epwise::report {
namespace {

constexpr int kNameWidth = 18;
constexpr double kBarWidth = 40;

class Text {
 public:
  explicit Text(const Style& style) : style_(style), paint_(style.colour, style.hyperlinks) {}

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
    line(paint_(Role::strong, printable(recipe.path, style_.unicode)) +
         (recipe.target.empty() ? "" : " on " + printable(recipe.target, style_.unicode)));
    if (!recipe.prediction) {
      refuse(recipe);
      return;
    }
    if (recipe.lint_errors > 0) {
      line(paint_(Role::error,
                  fmt::format("  {} that lint finds: this recipe would not run as it stands",
                              counted(recipe.lint_errors, "error"))));
    }
    figures(*recipe.prediction);
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
      line(paint_(Role::error,
                  fmt::format("  not simulated: `epwise lint` finds {} in it; --force simulates it "
                              "all the same",
                              counted(recipe.lint_errors, "error"))));
      return;
    }
    line(paint_(Role::error, "  not simulated, facts are missing:"));
    for (const text::Diagnostic& each : recipe.missing) {
      line("  - " + printable(missing_text(each), style_.unicode));
    }
  }

  void figure(std::string_view name, const std::string& value, const std::string& range) {
    line(fmt::format("  {:<{}}{:>10}   ", name, kNameWidth, value) + paint_(Role::dim, range));
  }

  void figures(const sim::Prediction& prediction) {
    const auto counts = [](const sim::Range& range, double unit) {
      return fmt::format("{} to {}", count_text(range.low / unit), count_text(range.high / unit));
    };
    const sim::Range& step = prediction.step_time;
    figure("step time",
           seconds_text(step.value),
           fmt::format("{} to {} with 80 %", seconds_text(step.low), seconds_text(step.high)));
    figure("tokens/s/GPU",
           count_text(prediction.tokens_per_second.value),
           counts(prediction.tokens_per_second, 1));
    figure("TFLOP/s/GPU",
           count_text(prediction.flops_per_second.value / units::kTera),
           counts(prediction.flops_per_second, units::kTera));
  }

  void waterfall(const sim::Prediction& prediction) {
    line("");
    const double step = prediction.step_time.value;
    for (const sim::WaterfallTerm& term : prediction.waterfall) {
      const double share = term.seconds / step;
      const auto length = static_cast<std::size_t>(std::max(0.0, std::round(share * kBarWidth)));
      std::string text = fmt::format("  {:<{}}{:>10}  {:>4.0f} %",
                                     term_title(term.name),
                                     kNameWidth,
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
    std::string text = fmt::format("{} GiB, {} to {} with 80 %",
                                   count_text(needed.value / units::kGiB),
                                   count_text(needed.low / units::kGiB),
                                   count_text(needed.high / units::kGiB));
    if (prediction.memory_limit > 0) {
      text += fmt::format(", of {}; {:.0f} % that it is too much",
                          count_text(prediction.memory_limit / units::kGiB),
                          100 * prediction.out_of_memory);
    }
    constexpr double kLikely = 0.5;
    line(fmt::format("\n  {:<{}}", "memory", kNameWidth) +
         paint_(prediction.out_of_memory > kLikely ? Role::error : Role::plain, text));
    for (std::size_t i = 0; i < prediction.memory.stages.size(); ++i) {
      const model::StageMemory& stage = prediction.memory.stages[i];
      const std::string name =
          prediction.memory.stages.size() == 1 ? "" : fmt::format("  stage {}", i);
      line(fmt::format("  {:<{}}", name, kNameWidth) +
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
  }

  void inputs(const std::vector<model::Input>& inputs) {
    const auto assumed =
        std::ranges::count(inputs, model::InputStatus::assumed, &model::Input::status);
    line(fmt::format("\n  {} inputs are known, {} assumed{}",
                     static_cast<std::ptrdiff_t>(inputs.size()) - assumed,
                     assumed,
                     assumed > 0 ? ":" : ""));
    for (const model::Input& input : inputs) {
      const bool shown = input.status == model::InputStatus::assumed || style_.verbose;
      if (!shown) {
        continue;
      }
      std::string text = fmt::format("  {:<{}} {}", input.key, kNameWidth - 1, input.value);
      const std::string why =
          input.why.empty() ? std::string(model::to_string(input.status)) : input.why;
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
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTitles = {
      {{"dispatch", "exposed dispatch"},
       {"combine", "exposed combine"},
       {"data_parallel", "data parallel"},
       {"optimizer", "optimizer, fixed"}}};
  const auto* const found =
      std::ranges::find(kTitles, name, &std::pair<std::string_view, std::string_view>::first);
  return found == kTitles.end() ? name : found->second;
}

std::string simulate_text(const std::vector<SimulatedRecipe>& recipes, const Style& style) {
  return Text(style).run(recipes);
}

}  // namespace epwise::report
