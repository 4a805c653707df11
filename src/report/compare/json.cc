#include "report/compare/writer.h"
#include "report/prediction_json.h"

namespace epwise::report {
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

}  // namespace

std::string compare_json(const ComparedRecipes& recipes) {
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
  }
  return json_text(json);
}

}  // namespace epwise::report
