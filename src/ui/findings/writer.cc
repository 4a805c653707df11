#include "ui/findings/writer.h"

#include <algorithm>
#include <array>

namespace epwise::report {

namespace {

constexpr std::array<Writer, 9> kWriters{{
    {.name = "full", .summary = "findings with source lines", .start = start_full},
    {.name = "concise", .summary = "one line per finding, for editors", .start = start_concise},
    {.name = "json", .summary = "all data, for programs (epwise.lint/1)", .start = start_json},
    {.name = "sarif", .summary = "SARIF 2.1.0, for code scanning", .start = start_sarif},
    {.name = "github", .summary = "annotations of GitHub Actions", .start = start_github},
    {.name = "gitlab", .summary = "GitLab's code quality report", .start = start_gitlab},
    {.name = "junit", .summary = "JUnit XML, one test case per file", .start = start_junit},
    {.name = "rdjson", .summary = "reviewdog's diagnostics", .start = start_rdjson},
    {.name = "markdown", .summary = "Markdown tables for a pull request", .start = start_markdown},
}};

}  // namespace

void Writing::add(const LintedFile& file) {
  sum_.add(file);
  put(file);
}

std::vector<std::string> Writing::failures() const {
  std::vector<std::string> all = report_.unreadable;
  all.insert(all.end(), sum_.crashes.begin(), sum_.crashes.end());
  return all;
}

std::string Writer::write(const LintReport& report, const Style& style) const {
  const std::unique_ptr<Writing> writing = start(report, style);
  for (const LintedFile& file : report.files) {
    writing->add(file);
  }
  std::string text;
  writing->finish([&text](std::string_view part) { text += part; });
  return text;
}

std::span<const Writer> writers() {
  return kWriters;
}

const Writer* find_writer(std::string_view name) {
  const auto* const found = std::find_if(
      kWriters.begin(), kWriters.end(), [&](const Writer& writer) { return writer.name == name; });
  return found == kWriters.end() ? nullptr : found;
}

}  // namespace epwise::report
