#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units/quantity.h"
#include "commands/simulate/page.h"
#include "ui/findings/lint_report.h"
#include "ui/prediction_text.h"

namespace epwise::report {
namespace {

std::string tile(std::string_view what, const std::string& value, const std::string& range) {
  return fmt::format(
      "<div class=\"tile\"><span>{}</span><b>{}</b><span>{}</span></div>\n", what, value, range);
}

std::string counts(const sim::Range& range, double unit) {
  return fmt::format(
      "{} to {} (80 % interval)", count_text(range.low / unit), count_text(range.high / unit));
}

std::string simulation_tiles(const sim::Prediction& prediction) {
  const sim::Range& step = prediction.step_time;
  std::string memory = counts(prediction.needed_memory, units::kGiB);
  if (prediction.memory_limit > 0) {
    memory = fmt::format("of {} GiB; {:.0f} % probability of running out",
                         count_text(prediction.memory_limit / units::kGiB),
                         100 * prediction.out_of_memory);
  }
  return "<div class=\"tiles\">\n" +
         tile("step time",
              seconds_text(step.value),
              fmt::format(
                  "{} to {} (80 % interval)", seconds_text(step.low), seconds_text(step.high))) +
         tile("tokens/s/GPU",
              count_text(prediction.tokens_per_second.value),
              counts(prediction.tokens_per_second, 1)) +
         tile("model TFLOP/s/GPU",
              count_text(prediction.flops_per_second.value / units::kTera),
              counts(prediction.flops_per_second, units::kTera)) +
         tile("peak memory of the fullest GPU",
              count_text(prediction.needed_memory.value / units::kGiB) + " GiB",
              memory) +
         "</div>\n";
}

std::string refusal(const SimulatedRecipe& recipe) {
  if (recipe.missing.empty()) {
    return fmt::format(
        "<section><p class=\"bad\">Not simulated: <code>epwise lint</code> finds {}; --force "
        "simulates it anyway.</p></section>\n",
        counted(recipe.lint_errors, "error"));
  }
  if (!recipe.takes_steps) {
    return fmt::format("<section><p>Not simulated: {}</p></section>\n",
                       escaped(missing_text(recipe.missing.front())));
  }
  std::string out = "<section><p class=\"bad\">Not simulated; missing facts:</p><ul>";
  for (const text::Diagnostic& each : recipe.missing) {
    out += "<li>" + escaped(missing_text(each)) + "</li>";
  }
  return out + "</ul></section>\n";
}

std::string simulation_body(const PageRecipe& recipe) {
  const SimulatedRecipe& simulated = recipe.simulated;
  std::string out = fmt::format("<header><h1>{}</h1><p class=\"sub\">on {}</p></header>\n",
                                escaped(simulated.path),
                                escaped(simulated.against));
  if (!simulated.prediction) {
    return out + refusal(simulated);
  }
  if (simulated.lint_errors > 0) {
    out +=
        fmt::format("<p class=\"bad\">Lint finds {}: this recipe would not run as written.</p>\n",
                    counted(simulated.lint_errors, "error"));
  }
  out += simulation_tiles(*simulated.prediction) + waterfall_section(*simulated.prediction) +
         timeline_section(recipe.layers) + sweep_section(recipe) +
         memory_section(*simulated.prediction) + inputs_section(simulated.inputs);
  if (recipe.event_step > 0) {
    out += fmt::format(
        "<footer>The figures come from the closed-form model, whose constants are fitted to "
        "published runs. The event simulation of the same step gives {}.</footer>\n",
        seconds_text(recipe.event_step));
  }
  return out;
}

}  // namespace

std::string inputs_section(const std::vector<workload::Input>& inputs) {
  std::vector<workload::Input> sorted = inputs;
  std::stable_partition(sorted.begin(), sorted.end(), [](const workload::Input& each) {
    return each.status == workload::InputStatus::assumed;
  });
  const auto assumed =
      std::ranges::count(inputs, workload::InputStatus::assumed, &workload::Input::status);
  std::string out = fmt::format(
      "<section><h2>Inputs</h2><p class=\"note\">{} inputs are known, {} assumed; stating more "
      "inputs narrows the interval.</p>\n<div "
      "class=\"scroll\"><table><tr><th>input</th><th>value</th><th>from</th><th>why</th></tr>\n",
      static_cast<std::ptrdiff_t>(inputs.size()) - assumed,
      assumed);
  for (const workload::Input& input : sorted) {
    out += fmt::format("<tr{}><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                       input.status == workload::InputStatus::assumed ? " class=\"assumed\"" : "",
                       escaped(input.key),
                       escaped(input.value),
                       workload::to_string(input.status),
                       escaped(input.why));
  }
  return out + "</table></div></section>\n";
}

std::string simulate_html(const std::vector<PageRecipe>& recipes) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<title>{}</title>\n<style>{}</style></"
      "head>\n"
      "<body><main>\n",
      recipes.size() == 1 ? escaped(recipes.front().simulated.path) + " - epwise simulate"
                          : "epwise simulate",
      page_style());
  for (const PageRecipe& recipe : recipes) {
    out += simulation_body(recipe);
  }
  return out + "</main></body></html>\n";
}

}  // namespace epwise::report
