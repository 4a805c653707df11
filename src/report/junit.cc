#include <fmt/format.h>

#include "report/formats.h"
#include "report/place.h"
#include "report/tally.h"
#include "report/verdict.h"

namespace epwise::report {
namespace {

/// Text for XML: what XML can't hold at all becomes a question mark.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      default:
        out += static_cast<unsigned char>(c) < ' ' && c != '\t' ? '?' : c;
        break;
    }
  }
  return out;
}

struct Suite {
  std::string cases;
  int tests = 0;
  int failures = 0;
  int errors = 0;
};

std::string details(const LintedFile& file, const lint::Finding& finding) {
  const Place place = place_of(file, finding.primary.mark);
  return fmt::format("{}:{}:{}: {}[{}] {}\n{}",
                     place.path,
                     place.start.line,
                     place.start.column,
                     lint::to_string(finding.severity),
                     finding.rule->id,
                     finding.message,
                     finding.rule->why);
}

/// A test case a finding; a failure from warning on, as CI shows it. A clean file is one case.
void add_file(const LintedFile& file, Suite& suite) {
  const auto findings = shown(file);
  for (const lint::Finding* finding : findings) {
    const bool failed = finding->severity != lint::Severity::note;
    suite.cases += fmt::format(
        "    <testcase classname=\"{}\" name=\"{}\">", xml(file.path), xml(finding->rule->id));
    suite.cases += failed
                       ? fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>",
                                     lint::to_string(finding->severity),
                                     xml(finding->message),
                                     xml(details(file, *finding)))
                       : fmt::format("<system-out>{}</system-out>", xml(details(file, *finding)));
    suite.cases += "</testcase>\n";
    ++suite.tests;
    suite.failures += failed ? 1 : 0;
  }
  for (const std::string& crash : file.result.crashed_rules) {
    suite.cases += fmt::format(
        "    <testcase classname=\"{}\" name=\"internal\"><error message=\"{}\"/></testcase>\n",
        xml(file.path),
        xml(crash));
    ++suite.tests;
    ++suite.errors;
  }
  if (findings.empty() && file.result.crashed_rules.empty()) {
    suite.cases += fmt::format(
        "    <testcase classname=\"{}\" name=\"{}\"/>\n", xml(file.path), xml(verdict_text(file)));
    ++suite.tests;
  }
}

}  // namespace

std::string write_junit(const LintReport& report, const Style& /*style*/) {
  Suite suite;
  for (const LintedFile& file : report.files) {
    add_file(file, suite);
  }
  for (const Budget& budget : report.budgets) {
    const bool broken = budget.state == Budget::State::broken;
    const bool undecided = budget.state == Budget::State::undecided;
    suite.cases += fmt::format(
        "    <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n",
        xml(budget.path),
        xml(budget.option),
        broken ? fmt::format("<failure type=\"budget\" message=\"{}\"/>", xml(budget_text(budget)))
        : undecided ? fmt::format("<skipped message=\"{}\"/>", xml(budget_text(budget)))
                    : std::string());
    ++suite.tests;
    suite.failures += broken ? 1 : 0;
  }
  for (const std::string& sentence : report.unreadable) {
    suite.cases += fmt::format(
        "    <testcase classname=\"epwise\" name=\"input\"><error message=\"{}\"/></testcase>\n",
        xml(sentence));
    ++suite.tests;
    ++suite.errors;
  }
  const std::string counts = fmt::format(
      "tests=\"{}\" failures=\"{}\" errors=\"{}\"", suite.tests, suite.failures, suite.errors);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"epwise\" {}>\n  <testsuite "
      "name=\"epwise\" {}>\n{}  </testsuite>\n</testsuites>\n",
      counts,
      counts,
      suite.cases);
}

}  // namespace epwise::report
