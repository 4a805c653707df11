#pragma once

#include <vector>

#include "report/json_text.h"
#include "sim/uncertainty/uncertainty.h"
#include "text/diagnostic.h"

/// Parts that the JSON of `simulate`, `compare` and `advise` share.
namespace epwise::report {

/// Twelve significant digits: more than anyone knows, and the same on every machine.
double rounded(double value);

/// A predicted figure, in multiples of `unit`, with the interval that holds it with 80 %.
///   range_json(step_time) → {"value": 42.6, "low": 38.1, "high": 47.7}
Json range_json(const sim::Range& range, double unit = 1);

/// What kept a prediction from being made: [{"message": …, "help": …}]
Json missing_json(const std::vector<text::Diagnostic>& missing);

}  // namespace epwise::report
