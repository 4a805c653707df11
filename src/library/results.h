#pragma once

#include <string>
#include <vector>

#include "commands/advise/report.h"
#include "commands/compare/report.h"
#include "commands/diff/report.h"
#include "commands/explain/report.h"
#include "commands/lint/linting.h"
#include "commands/simulate/report.h"
#include "library/epwise.h"
#include "ui/findings/lint_report.h"

namespace epwise::library {

/// The engines' results as the library gives them, without `json`, `text` and `exit_code`.

LintResult lint_result(const std::vector<report::LintedFile>& files);
FixResult fix_result(const cli::FixedText& fixed, const std::vector<report::LintedFile>& files);
Prediction prediction_of(const report::SimulatedRecipe& recipe);
Comparison comparison_of(const report::ComparedRecipes& recipes);
Advice advice_of(const report::AdvisedRecipe& recipe);
LogExplanation explanation_of(const report::CrashReport& report);
Difference difference_of(const report::RecipeDifference& recipes);

/// The findings of a file that are shown.
std::vector<Finding> findings_of(const report::LintedFile& file);

Budget budget_of(const report::Budget& budget);

}  // namespace epwise::library
