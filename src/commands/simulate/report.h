#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perf/sim/prediction/measured_constants.h"
#include "perf/sim/prediction/prediction.h"
#include "perf/workload/workload.h"
#include "session/host.h"
#include "ui/findings/writer.h"

namespace epwise::report {

/// Peaks of a GPU, in FLOP/s.
struct Utilisation {
  double bf16_peak = 0;   // 0: not in the profile
  double own_peak = 0;    // of the format of the recipe's GEMMs
  std::string precision;  // "mxfp8"
};

/// The result of `epwise simulate` for one recipe: a prediction, or why there is none.
struct SimulatedRecipe {
  std::string path;
  std::string framework;           // "bridge"
  std::string target;              // "h100 x 16 (--hw, --gpus)"
  std::string against = {};        // "Megatron-Bridge 0.6.2, h100 x 16 (--hw, --gpus)"
  std::string hw;                  // "h100"
  std::string target_values = {};  // "h100 x 16"
  int lint_errors = 0;
  bool fails = false;         // by --fail-on and --strict, as lint
  std::string accepted = {};  // why it would not start, if the user has accepted that; or empty
  std::optional<sim::Prediction> prediction;
  std::vector<workload::Input> inputs;    // used by the prediction
  std::vector<text::Diagnostic> missing;  // missing facts that prevent it
  bool takes_steps = true;                // false: there is nothing to predict, `missing` says why
  std::optional<sim::CalibrationEffect> calibration = std::nullopt;  // used by the prediction
  Utilisation utilisation = {};
  std::string stack = {};  // versions that were stated: "te 2.14.0, torch 2.9.1"
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
std::string simulate_json(const std::vector<SimulatedRecipe>& recipes,
                          const std::vector<session::NewerRelease>& newer = {});

/// One line per recipe, with the terms of the waterfall as columns, which are empty without a
/// prediction.
std::string simulate_csv(const std::vector<SimulatedRecipe>& recipes);

/// "the cluster's GPU is unknown; pass --hw": one missing fact that prevents a prediction.
std::string missing_text(const text::Diagnostic& missing);

/// "exposed dispatch" for "dispatch": the display name.
std::string_view term_title(std::string_view name);

}  // namespace epwise::report
