#pragma once

#include <memory>

#include "report/lint/lint_report.h"
#include "report/lint/writer.h"

/// One function a format; all.cc lists them.
namespace epwise::report {

std::unique_ptr<Writing> start_full(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_concise(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_json(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_sarif(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_github(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_markdown(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_junit(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_gitlab(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_rdjson(const LintReport& report, const Style& style);

}  // namespace epwise::report
