#pragma once

#include <optional>
#include <string>
#include <string_view>
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
};

std::string diff_text(const RecipeDifference& recipes, const Style& style);
std::string diff_markdown(const RecipeDifference& recipes);

/// {"schema": "epwise.diff/1", "before", "after", "target", "changed": [{"field", "before",
/// "after", "effect", "about", "rules"}], "introduced": [{"rule", "severity", "message"}],
/// "removed": [...], "wanted": [{"field", "value", "rule"}], "coupled": [...], "predicted":
/// {"before", "after", "step_time_ratio", "verdict"} or null}
std::string diff_json(const RecipeDifference& recipes);

/// A recipe that only one side has: {"schema": "epwise.diff/1", "path", "only": "added"}
std::string one_sided_json(std::string_view path, std::string_view what);

/// Several of both kinds in one: {"schema": "epwise.diffs/1", "recipes": [...]}
std::string diffs_json(const std::vector<std::string>& pairs);

}  // namespace epwise::report
