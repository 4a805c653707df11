#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/lint/writer.h"
#include "review/difference.h"
#include "sim/prediction/comparison.h"
#include "sim/prediction/prediction.h"

namespace epwise::report {

/// What `epwise diff` wants to say.
struct RecipeDifference {
  std::string before;  // "main:a.yaml"
  std::string after;
  std::string target;
  review::Difference difference;
  std::optional<sim::Prediction> predicted_before;
  std::optional<sim::Prediction> predicted_after;
  std::optional<sim::Comparison> comparison;
  std::string unpredicted;  // why not, where a prediction is missing
  /// "would not start: batch/indivisible (PAR019) at stage validate-late": such a side has no step
  /// time, so none is predicted; empty: lint finds no error in it.
  std::string stopped_before;
  std::string stopped_after;
};

std::string diff_text(const RecipeDifference& recipes, const Style& style);
std::string diff_markdown(const RecipeDifference& recipes);

/// {"schema": "epwise.diff/1", "before", "after", "target", "changed": [{"field", "before",
/// "after", "effect", "about", "rules"}], "introduced": [{"rule", "severity", "message"}],
/// "removed": [...], "wanted": [{"field", "value", "rule"}], "coupled": [...], "stopped":
/// {"before", "after"}, each a sentence or null, "predicted": {"before", "after",
/// "step_time_ratio", "verdict"} or null}
std::string diff_json(const RecipeDifference& recipes);

/// A recipe that only one side has.
struct OneSided {
  std::string path;
  bool added = false;                    // else it is gone
  std::vector<review::Told> introduced;  // added: all that lint finds in it
  std::string stopped;                   // added: why it would not start; empty: no error
  std::vector<std::string> named_by;     // gone: files that still name it
};

std::string diff_text(const OneSided& recipe);
std::string diff_markdown(const OneSided& recipe);

/// {"schema": "epwise.diff/1", "path", "only": "added", "introduced": [{"rule", "severity",
/// "message"}], "named_by": [...]}
std::string diff_json(const OneSided& recipe);

/// Several of both kinds in one: {"schema": "epwise.diffs/1", "recipes": [...]}
std::string diffs_json(const std::vector<std::string>& pairs);

}  // namespace epwise::report
