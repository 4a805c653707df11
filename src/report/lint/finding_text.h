#pragma once

#include <string>

#include "lint/finding.h"
#include "report/lint/lint_report.h"
#include "report/lint/writer.h"
#include "report/style.h"

namespace epwise::report {

/// One finding for a person: headline, snippet and what there is to say about it.
///
///   error[shape/experts]: 60 experts cannot be spread evenly over 8 ranks
///     --> recipe.yaml:3:20
///      |
///    3 |   num_moe_experts: 60
///      |                    ^^
///      |
///      = values: expert_model_parallel_size 8 (default)
///      = why: …
///
/// `first` is false where an earlier finding of the same rule has been shown: what stays the same
/// (why, evidence, where to read on) is then left out.
std::string finding_text(const LintedFile& file,
                         const lint::Finding& finding,
                         bool first,
                         const Style& style,
                         const Paint& paint);

/// A sentence behind "= key: ", wrapped to the terminal. `indent` blanks stand before the sign.
std::string note_text(int indent,
                      std::string_view key,
                      std::string_view sentence,
                      const Style& style,
                      const Paint& paint);

}  // namespace epwise::report
