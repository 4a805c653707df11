#include <cmath>

#include "report/calibration_words.h"
#include "report/prediction_json.h"
#include "report/simulate/writer.h"
#include "units/prefixes.h"

namespace epwise::report {
namespace {

Json inputs_json(const std::vector<model::Input>& inputs) {
  int assumed = 0;
  Json list = Json::array();
  for (const model::Input& input : inputs) {
    assumed += input.status == model::InputStatus::assumed ? 1 : 0;
    Json json = {
        {"name", input.key}, {"value", input.value}, {"status", model::to_string(input.status)}};
    if (!input.why.empty()) {
      json["why"] = input.why;
    }
    list.push_back(json);
  }
  return {{"measured", static_cast<int>(inputs.size()) - assumed},
          {"assumed", assumed},
          {"list", list}};
}

Json stage_json(const model::StageMemory& stage) {
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

Json memory_json(const sim::Prediction& prediction) {
  Json json = {{"peak_gib", range_json(prediction.peak_memory, units::kGiB)},
               {"needed_gib", range_json(prediction.needed_memory, units::kGiB)},
               {"fullest_stage", prediction.memory.fullest}};
  if (prediction.memory_limit > 0) {
    json["limit_gib"] = rounded(prediction.memory_limit / units::kGiB);
    json["out_of_memory"] = std::round(prediction.out_of_memory * 1000) / 1000;
  }
  Json stages = Json::array();
  for (const model::StageMemory& stage : prediction.memory.stages) {
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
  json["memory"] = memory_json(prediction);
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

std::string simulate_json(const std::vector<SimulatedRecipe>& recipes) {
  Json files = Json::array();
  for (const SimulatedRecipe& recipe : recipes) {
    Json json = {{"path", recipe.path},
                 {"framework", recipe.framework},
                 {"target", recipe.target},
                 {"lint_errors", recipe.lint_errors}};
    if (recipe.prediction) {
      add_prediction(json, recipe);
    } else {
      json["refused"] = recipe.missing.empty() ? "lint" : "missing";
      json["missing"] = missing_json(recipe.missing);
    }
    files.push_back(json);
  }
  return json_text({{"schema", "epwise.simulate/1"}, {"files", files}});
}

}  // namespace epwise::report
