#include "commands/compare/report.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "advise/assessor.h"
#include "base/units/quantity.h"
#include "ui/columns.h"
#include "ui/findings/lint_report.h"
#include "ui/prediction_text.h"
#include "ui/style.h"

namespace epwise::report {

namespace {

class ComparisonText {
 public:
  explicit ComparisonText(const Style& style)
      : style_(style),
        paint_(style.colour, style.hyperlinks) {}

  std::string run(const ComparedRecipes& recipes) {
    const int width = std::max(shown_width(recipes.a), shown_width(recipes.b));
    const bool same = recipes.a.against == recipes.b.against;
    if (same) {
      line("on " + printable(recipes.a.against, style_.unicode));
    }
    side('A', recipes.a, width, same);
    side('B', recipes.b, width, same);
    if (recipes.comparison) {
      verdict(*recipes.comparison);
      cautions(recipes);
      causes(*recipes.comparison);
    }
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + '\n'; }

  std::string shown(const SimulatedRecipe& recipe) const {
    return printable(recipe.path, style_.unicode);
  }

  int shown_width(const SimulatedRecipe& recipe) const { return display_width(shown(recipe)); }

  void side(char letter, const SimulatedRecipe& recipe, int width, bool same_target) {
    const std::string path = shown(recipe);
    std::string text = fmt::format("{}  ", letter) + paint_(Role::strong, path);
    if (recipe.prediction) {
      const sim::Range& step = recipe.prediction->step_time;
      const auto gap = static_cast<std::size_t>(width - display_width(path));
      text += fmt::format("{}  {:>9}  ", std::string(gap, ' '), seconds_text(step.value)) +
              paint_(Role::dim,
                     fmt::format("{} to {}", seconds_text(step.low), seconds_text(step.high)));
    }
    line(text);
    if (!same_target) {
      line("   on " + printable(recipe.against, style_.unicode));
    }
    if (recipe.lint_errors > 0) {
      line(paint_(Role::error,
                  fmt::format("   lint finds {}: it would not run as written",
                              counted(recipe.lint_errors, "error"))));
    }
    memory(recipe);
    if (!recipe.accepted.empty()) {
      line(paint_(Role::warning, "   " + printable(recipe.accepted, style_.unicode)));
    }
    for (const text::Diagnostic& each : recipe.missing) {
      line("   missing: " + printable(missing_text(each), style_.unicode));
    }
  }

  void memory(const SimulatedRecipe& recipe) {
    if (!recipe.prediction || recipe.prediction->memory_limit <= 0 ||
        recipe.prediction->out_of_memory <= advise::kMostMemoryRisk) {
      return;
    }
    constexpr double kLikely = 0.5;
    line(paint_(recipe.prediction->out_of_memory > kLikely ? Role::error : Role::warning,
                fmt::format("   needs {} GiB of {}: {:.0f} % probability of running out of memory",
                            count_text(recipe.prediction->needed_memory.value / units::kGiB),
                            count_text(recipe.prediction->memory_limit / units::kGiB),
                            100 * recipe.prediction->out_of_memory)));
  }

  void verdict(const sim::Comparison& comparison) {
    if (comparison.is_equal()) {
      line("\n" + paint_(Role::strong, "no difference") + ": both take the same time");
      return;
    }
    const sim::Range& speedup = comparison.speedup;
    const std::string range =
        fmt::format("{} = {:.3f}, {:.3f} to {:.3f} with 80 %",
                    comparison.tokens == 1 ? "T(A)/T(B)" : "B's tokens per second over A's",
                    speedup.value,
                    speedup.low,
                    speedup.high);
    std::string what = "too close to call";
    if (comparison.verdict != sim::Verdict::too_close) {
      what = fmt::format("{} is faster", comparison.verdict == sim::Verdict::a ? 'A' : 'B');
    }
    line("\n" + paint_(Role::strong, what) + ": " + range +
         fmt::format("; B is faster in {:.0f} % of the draws", 100 * comparison.b_is_faster));
  }

  void cautions(const ComparedRecipes& recipes) {
    if (recipes.tokens_ratio > 0) {
      line(
          fmt::format("a step of B has {:.3g} times the tokens of A's: per GPU, B processes {:.3f} "
                      "times as many tokens per second ({} and {}), and the table shows B's times "
                      "for A's tokens",
                      recipes.comparison->tokens,
                      recipes.tokens_ratio,
                      count_text(recipes.b.prediction->tokens_per_second.value),
                      count_text(recipes.a.prediction->tokens_per_second.value)));
    }
    for (const std::string& caution : recipes.cautions) {
      line(paint_(Role::warning, printable(caution, style_.unicode)));
    }
  }

  void causes(const sim::Comparison& comparison) {
    constexpr double kNothing = 5e-4;  // of the larger step
    double step = 0;
    for (const sim::CauseOfDifference& cause : comparison.causes) {
      step += std::max(cause.a, cause.b);
    }
    const auto is_nothing = [&](const sim::CauseOfDifference& cause) {
      return std::abs(cause.saved()) < kNothing * step;
    };
    if (std::ranges::all_of(comparison.causes, is_nothing)) {
      line("no part of the step differs");
      return;
    }
    line(fmt::format("\n  {:<18}{:>10}{:>11}{:>12}", "", "A", "B", "B saves"));
    for (const sim::CauseOfDifference& cause : comparison.causes) {
      if (is_nothing(cause)) {
        continue;
      }
      line(fmt::format("  {:<18}{:>10}{:>11}{:>12}",
                       term_title(cause.name),
                       seconds_text(cause.a),
                       seconds_text(cause.b),
                       seconds_text(cause.saved())));
    }
  }

  const Style& style_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string compare_text(const ComparedRecipes& recipes, const Style& style) {
  return ComparisonText(style).run(recipes);
}

namespace {

Json side_json(const SimulatedRecipe& side) {
  Json json = {{"path", side.path}, {"lint_errors", side.lint_errors}};
  if (side.prediction) {
    json["step_time_s"] = range_json(side.prediction->step_time);
    return json;
  }
  json["missing"] = missing_json(side.missing);
  return json;
}

Json comparison_json(const ComparedRecipes& recipes) {
  Json json = {{"schema", "epwise.compare/1"},
               {"target", recipes.a.target},
               {"a", side_json(recipes.a)},
               {"b", side_json(recipes.b)}};
  if (recipes.comparison) {
    const sim::Comparison& comparison = *recipes.comparison;
    json["speedup"] = range_json(comparison.speedup);
    json["b_is_faster"] = rounded(comparison.b_is_faster);
    json["verdict"] = sim::to_string(comparison.verdict);
    Json causes = Json::array();
    for (const sim::CauseOfDifference& cause : comparison.causes) {
      causes.push_back({{"name", cause.name},
                        {"a_seconds", rounded(cause.a)},
                        {"b_seconds", rounded(cause.b)},
                        {"saved_seconds", rounded(cause.saved())}});
    }
    json["causes"] = causes;
    if (recipes.tokens_ratio > 0) {
      json["tokens_per_s_ratio"] = rounded(recipes.tokens_ratio);
    }
    if (!recipes.cautions.empty()) {
      json["cautions"] = recipes.cautions;
    }
  }
  return json;
}

}  // namespace

std::string compare_json(const ComparedRecipes& recipes,
                         const std::vector<session::NewerRelease>& newer) {
  Json json = comparison_json(recipes);
  add_newer_releases(newer, json);
  return json_text(json);
}

std::string comparisons_json(const std::vector<ComparedRecipes>& all,
                             const std::vector<session::NewerRelease>& newer) {
  Json rows = Json::array();
  for (const ComparedRecipes& each : all) {
    rows.push_back(comparison_json(each));
  }
  Json json = {{"schema", "epwise.comparisons/1"}};
  add_newer_releases(newer, json);
  json["comparisons"] = std::move(rows);
  return json_text(json);
}

}  // namespace epwise::report
