#include <nlohmann/json.hpp>

#include "report/compare/writer.h"
#include "report/json_number.h"
#include "report/json_text.h"

namespace epwise::report {
namespace {

using Json = nlohmann::ordered_json;

Json side_json(const SimulatedRecipe& side) {
  Json json = {{"path", side.path}, {"lint_errors", side.lint_errors}};
  if (side.prediction) {
    const sim::Range& step = side.prediction->step_time;
    json["step_time_s"] = {
        {"value", rounded(step.value)}, {"low", rounded(step.low)}, {"high", rounded(step.high)}};
    return json;
  }
  Json missing = Json::array();
  for (const text::Diagnostic& each : side.missing) {
    missing.push_back({{"message", each.message}, {"help", each.help}});
  }
  json["missing"] = missing;
  return json;
}

}  // namespace

std::string compare_json(const ComparedRecipes& recipes) {
  Json json = {{"schema", "epwise.compare/1"},
               {"target", recipes.a.target},
               {"a", side_json(recipes.a)},
               {"b", side_json(recipes.b)}};
  if (recipes.comparison) {
    const sim::Comparison& comparison = *recipes.comparison;
    json["speedup"] = {{"value", rounded(comparison.speedup.value)},
                       {"low", rounded(comparison.speedup.low)},
                       {"high", rounded(comparison.speedup.high)}};
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
  }
  return json_text(json);
}

}  // namespace epwise::report
