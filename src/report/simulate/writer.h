#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/workload.h"
#include "report/lint/writer.h"
#include "sim/prediction/measured_constants.h"
#include "sim/prediction/prediction.h"

namespace epwise::report {

/// What became of one recipe under `epwise simulate`: a prediction, or why there is none.
struct SimulatedRecipe {
  std::string path;
  std::string framework;  // "bridge"
  std::string target;     // "h100 x 16 (--hw, --gpus)"
  std::string hw;         // "h100"
  int lint_errors = 0;
  std::optional<sim::Prediction> prediction;
  std::vector<model::Input> inputs;       // that the prediction rests on
  std::vector<text::Diagnostic> missing;  // facts that keep it from being made
  std::optional<sim::CalibrationEffect> calibration = std::nullopt;  // that the prediction uses
};

/// For people:
///
///   recipe.yaml on h100 x 16 (--hw, --gpus)
///
///     step time             42.6 s   38.1 to 47.7 s with 80 %
///     tokens                6154 /s/GPU
///     …
///     compute               20.1 s   47 %  ########
///     exposed dispatch       7.9 s   19 %  ###
///   inputs: 6 known, 3 assumed
///     routing  natural  no forced balance and no capacity: …
std::string simulate_text(const std::vector<SimulatedRecipe>& recipes, const Style& style);

/// {"schema": "epwise.simulate/1", "files": [{"path", "step_time_s": {"value", "low", "high"}, …}]}
std::string simulate_json(const std::vector<SimulatedRecipe>& recipes);

/// One line a recipe, terms of the waterfall as columns; recipes without prediction have empty
/// ones.
std::string simulate_csv(const std::vector<SimulatedRecipe>& recipes);

/// "the cluster's GPU is unknown; say --hw": one fact that keeps a prediction from being made.
std::string missing_text(const text::Diagnostic& missing);

/// "exposed dispatch" for "dispatch", as people read it.
std::string_view term_title(std::string_view name);

}  // namespace epwise::report
