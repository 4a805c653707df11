#include <algorithm>
#include <array>

#include "report/formats.h"
#include "report/writer.h"

namespace epwise::report {
namespace {

constexpr std::array<Writer, 9> kWriters{{
    {.name = "full", .summary = "findings with the lines they are about", .write = write_full},
    {.name = "concise", .summary = "one line a finding, for editors", .write = write_concise},
    {.name = "json", .summary = "everything, for programs (epwise.lint/1)", .write = write_json},
    {.name = "sarif", .summary = "SARIF 2.1.0, for code scanning", .write = write_sarif},
    {.name = "github", .summary = "annotations of GitHub Actions", .write = write_github},
    {.name = "gitlab", .summary = "GitLab's code quality report", .write = write_gitlab},
    {.name = "junit", .summary = "JUnit XML, a test case a file", .write = write_junit},
    {.name = "rdjson", .summary = "reviewdog's diagnostics", .write = write_rdjson},
    {.name = "markdown", .summary = "tables for a pull request", .write = write_markdown},
}};

}  // namespace

std::span<const Writer> writers() {
  return kWriters;
}

const Writer* find_writer(std::string_view name) {
  const auto* const found = std::find_if(
      kWriters.begin(), kWriters.end(), [&](const Writer& writer) { return writer.name == name; });
  return found == kWriters.end() ? nullptr : found;
}

}  // namespace epwise::report
