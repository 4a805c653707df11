#pragma once

#include <string>

#include "lint/finding.h"
#include "ui/findings/lint_report.h"
#include "ui/findings/writer.h"
#include "ui/style.h"

namespace epwise::report {

/// One finding for display: headline, snippet and notes.
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
/// A note takes two lines unless the style is verbose: its headline with the place, and the first
/// fix.
///
/// `first` is false if an earlier finding of the same rule has been shown: the common part (why,
/// evidence, references) is then omitted.
std::string finding_text(const LintedFile& file,
                         const lint::Finding& finding,
                         bool first,
                         const Style& style,
                         const Paint& paint);

/// A sentence after "= key: ", wrapped to the terminal. `indent` spaces precede the sign.
std::string note_text(int indent,
                      std::string_view key,
                      std::string_view sentence,
                      const Style& style,
                      const Paint& paint);

}  // namespace epwise::report
