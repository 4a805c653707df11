#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/diff/difference.h"
#include "perf/sim/prediction/comparison.h"
#include "perf/sim/prediction/prediction.h"
#include "ui/findings/writer.h"

namespace epwise::report {

/// The data of `epwise diff`.
struct RecipeDifference {
  std::string before;  // "main:a.yaml"
  std::string after;
  std::string target;               // of the newer side
  std::string target_before = {};   // if it is another one; otherwise empty
  std::string against;              // "Megatron-Bridge 0.6.2, h100 x 16": the newer side
  std::string against_before = {};  // if it is another one; otherwise empty
  diff::Difference difference;
  std::optional<sim::Prediction> predicted_before;
  std::optional<sim::Prediction> predicted_after;
  std::optional<sim::Comparison> comparison;
  std::string unpredicted;  // the reason if a prediction is missing
  /// "would not start: batch/indivisible (PAR019) at stage validate-late": such a side has no step
  /// time, so none is predicted; empty: lint finds no error in it.
  std::string stopped_before;
  std::string stopped_after;
  /// Why a recipe would not start, where the user has accepted that: it is predicted all the same.
  std::string accepted_before;
  std::string accepted_after;
};

std::string diff_text(const RecipeDifference& recipes, const Style& style);
std::string diff_markdown(const RecipeDifference& recipes);

/// {"schema": "epwise.diff/1", "before", "after", "target", "changed": [{"field", "before",
/// "after", "effect", "about", "rules"}], "introduced": [{"rule", "severity", "message"}],
/// "removed": [...], "wanted": [{"field", "value", "rule"}], "coupled": [...], "stopped":
/// {"before", "after"}, each a sentence or null, "predicted": {"before", "after",
/// "step_time_ratio", "tokens_ratio" (if the steps' tokens differ), "verdict" (by time per token)}
/// or null}
std::string diff_json(const RecipeDifference& recipes);

/// A recipe that exists on one side only.
struct OneSided {
  std::string path;
  bool added = false;                  // otherwise removed
  std::vector<diff::Told> introduced;  // added: all its findings
  std::string stopped;                 // added: why it would not start; empty: no error
  std::vector<std::string> named_by;   // removed: files that still refer to it
};

std::string diff_text(const OneSided& recipe);
std::string diff_markdown(const OneSided& recipe);

/// {"schema": "epwise.diff/1", "path", "only": "added", "introduced": [{"rule", "severity",
/// "message"}], "named_by": [...]}
std::string diff_json(const OneSided& recipe);

/// Several of both kinds: {"schema": "epwise.diffs/1", "recipes": [...]}
std::string diffs_json(const std::vector<std::string>& pairs);

}  // namespace epwise::report
