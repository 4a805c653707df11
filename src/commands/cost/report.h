#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perf/cost/question.h"

namespace epwise::report {

/// One answer for display:
///
///   gemm on h100: 177.2 us, 80 % between 165.6 and 189.6 us
///     status  fitted: rows of this chip, inside their range
///     basis   gemm h100 bf16 torch
///     …
///
/// `width` columns at most.
std::string cost_text(const cost::Question& question, const cost::Cost& cost, int width);

/// {"schema": "epwise.cost/1", "law": "gemm", "arguments": {…}, "seconds", "low", "high",
///  "relative_sd", "status", "basis": {"name", "source", "date", "rows"}}
std::string cost_json(const cost::Question& question, const cost::Cost& cost);

/// A line of a query file: {"law": "gemm", "hw": "h100", "m": 4096, "sms": null}. A null counts as
/// absent. Nullopt with a reason if the line is not a JSON object of plain values with a `law`.
std::optional<cost::Question> read_question(std::string_view line, std::string& problem);

/// {"seconds", "low", "high", "relative_sd", "status", "basis"}, or {"error"}; one line, no line
/// feed.
std::string answer_line(const cost::Answer& answer);
std::string error_line(std::string_view problem);

}  // namespace epwise::report
