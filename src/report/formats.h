#pragma once

#include <string>

#include "report/lint_report.h"
#include "report/writer.h"

/// One function a format; all.cc lists them.
namespace epwise::report {

std::string write_full(const LintReport& report, const Style& style);
std::string write_concise(const LintReport& report, const Style& style);
std::string write_json(const LintReport& report, const Style& style);
std::string write_sarif(const LintReport& report, const Style& style);
std::string write_github(const LintReport& report, const Style& style);
std::string write_markdown(const LintReport& report, const Style& style);
std::string write_junit(const LintReport& report, const Style& style);
std::string write_gitlab(const LintReport& report, const Style& style);
std::string write_rdjson(const LintReport& report, const Style& style);

/// Markdown for the job's step summary: verdict of every file and the whole table of findings,
/// where `github` annotations stop at GitHub's limits.
std::string github_step_summary(const LintReport& report);

}  // namespace epwise::report
