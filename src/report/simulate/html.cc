#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/duration_text.h"
#include "report/lint/tally.h"
#include "report/page/parts.h"
#include "units/prefixes.h"

namespace epwise::report {
namespace {

std::string tile(std::string_view what, const std::string& value, const std::string& range) {
  return fmt::format(
      "<div class=\"tile\"><span>{}</span><b>{}</b><span>{}</span></div>\n", what, value, range);
}

std::string counts(const sim::Range& range, double unit) {
  return fmt::format(
      "{} to {} with 80 %", count_text(range.low / unit), count_text(range.high / unit));
}

std::string tiles(const sim::Prediction& prediction) {
  const sim::Range& step = prediction.step_time;
  std::string memory = counts(prediction.needed_memory, units::kGiB);
  if (prediction.memory_limit > 0) {
    memory = fmt::format("of {} GiB; {:.0f} % that it runs out",
                         count_text(prediction.memory_limit / units::kGiB),
                         100 * prediction.out_of_memory);
  }
  return "<div class=\"tiles\">\n" +
         tile("step time",
              seconds_text(step.value),
              fmt::format("{} to {} with 80 %", seconds_text(step.low), seconds_text(step.high))) +
         tile("tokens/s/GPU",
              count_text(prediction.tokens_per_second.value),
              counts(prediction.tokens_per_second, 1)) +
         tile("model TFLOP/s/GPU",
              count_text(prediction.flops_per_second.value / units::kTera),
              counts(prediction.flops_per_second, units::kTera)) +
         tile("memory of the fullest GPU",
              count_text(prediction.needed_memory.value / units::kGiB) + " GiB",
              memory) +
         "</div>\n";
}

std::string refusal(const SimulatedRecipe& recipe) {
  if (recipe.missing.empty()) {
    return fmt::format(
        "<section><p class=\"bad\">Not simulated: <code>epwise lint</code> finds {} in it; "
        "--force simulates it all the same.</p></section>\n",
        counted(recipe.lint_errors, "error"));
  }
  std::string out = "<section><p class=\"bad\">Not simulated, facts are missing:</p><ul>";
  for (const text::Diagnostic& each : recipe.missing) {
    out += "<li>" + escaped(missing_text(each)) + "</li>";
  }
  return out + "</ul></section>\n";
}

std::string body(const PageRecipe& recipe) {
  const SimulatedRecipe& simulated = recipe.simulated;
  std::string out = fmt::format("<header><h1>{}</h1><p class=\"sub\">on {}</p></header>\n",
                                escaped(simulated.path),
                                escaped(simulated.target));
  if (!simulated.prediction) {
    return out + refusal(simulated);
  }
  if (simulated.lint_errors > 0) {
    out +=
        fmt::format("<p class=\"bad\">Lint finds {}: this recipe would not run as it stands.</p>\n",
                    counted(simulated.lint_errors, "error"));
  }
  out += tiles(*simulated.prediction) + waterfall_section(*simulated.prediction) +
         timeline_section(recipe.layers) + sweep_section(recipe) +
         memory_section(*simulated.prediction) + inputs_section(simulated.inputs);
  if (recipe.event_step > 0) {
    out += fmt::format(
        "<footer>The figures are the closed form's, whose constants are fitted to published runs. "
        "The event simulation of the same step takes {}.</footer>\n",
        seconds_text(recipe.event_step));
  }
  return out;
}

}  // namespace

std::string inputs_section(const std::vector<model::Input>& inputs) {
  std::vector<model::Input> sorted = inputs;
  std::stable_partition(sorted.begin(), sorted.end(), [](const model::Input& each) {
    return each.status == model::InputStatus::assumed;
  });
  const auto assumed =
      std::ranges::count(inputs, model::InputStatus::assumed, &model::Input::status);
  std::string out = fmt::format(
      "<section><h2>What it rests on</h2><p class=\"note\">{} inputs are known, {} assumed; an "
      "interval shrinks with what is stated.</p>\n<div class=\"scroll\"><table><tr><th>input</th>"
      "<th>value</th><th>from</th><th>why</th></tr>\n",
      static_cast<std::ptrdiff_t>(inputs.size()) - assumed,
      assumed);
  for (const model::Input& input : sorted) {
    out += fmt::format("<tr{}><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                       input.status == model::InputStatus::assumed ? " class=\"assumed\"" : "",
                       escaped(input.key),
                       escaped(input.value),
                       model::to_string(input.status),
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
    out += body(recipe);
  }
  return out + "</main></body></html>\n";
}

}  // namespace epwise::report
