#include <fmt/format.h>

#include "ui/columns.h"
#include "ui/findings/lint_report.h"
#include "ui/findings/writer.h"
#include "ui/markup.h"
#include "ui/place.h"

namespace epwise::report {
namespace {

/// Text for XML; characters not allowed in XML, such as invalid UTF-8, are made visible.
std::string xml(std::string_view text) {
  std::string out;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find('\n');
    out += with_entities(printable(text.substr(0, end), true), Quotes::doubled);
    if (end != std::string_view::npos) {
      out += "&#10;";
      text.remove_prefix(end + 1);
    }
  }
  return out;
}

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

/// One test case per finding; a failure if it affects the exit code, so that tests fail if the job
/// does. A clean file is one case.
class Junit : public Writing {
 public:
  using Writing::Writing;

  void put(const LintedFile& file) override {
    const auto findings = shown(file);
    for (const lint::Finding* finding : findings) {
      const bool failed = counts(file, *finding);
      add(file.path,
          finding->rule->id,
          failed ? fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>",
                               lint::to_string(finding->severity),
                               xml(finding->message),
                               xml(details(file, *finding)))
                 : fmt::format("<system-out>{}</system-out>", xml(details(file, *finding))));
      failures_ += failed ? 1 : 0;
    }
    for (const std::string& crash : file.result.crashed_rules) {
      add_error(file.path, "internal", crash);
    }
    if (findings.empty() && file.result.crashed_rules.empty()) {
      add(file.path, verdict_text(file), "");
    }
  }

  void finish(const Out& out) override {
    for (const Budget& budget : report().budgets) {
      add_budget(budget);
    }
    for (const std::string& sentence : report().unreadable) {
      add_error("epwise", "input", sentence);
    }
    const std::string counts =
        fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests_, failures_, errors_);
    out(fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"epwise\" {}>\n  "
        "<testsuite name=\"epwise\" {}>\n",
        counts,
        counts));
    cases_.give(out);
    out("  </testsuite>\n</testsuites>\n");
  }

 private:
  void add(std::string_view group, std::string_view name, std::string_view inside) {
    cases_.add(fmt::format("    <testcase classname=\"{}\" name=\"{}\"{}",
                           xml(group),
                           xml(name),
                           inside.empty() ? "/>\n" : ">"));
    if (!inside.empty()) {
      cases_.add(inside);
      cases_.add("</testcase>\n");
    }
    ++tests_;
  }

  void add_error(std::string_view group, std::string_view name, std::string_view message) {
    add(group, name, fmt::format("<error type=\"epwise\" message=\"{}\"/>", xml(message)));
    ++errors_;
  }

  void add_budget(const Budget& budget) {
    const std::string text = xml(budget_text(budget));
    if (fails(budget, report().strict)) {
      add(budget.path,
          budget.option,
          fmt::format("<failure type=\"budget\" message=\"{}\"/>", text));
      ++failures_;
    } else if (budget.state == Budget::State::undecided) {
      add(budget.path, budget.option, fmt::format("<skipped message=\"{}\"/>", text));
    } else {
      add(budget.path, budget.option, "");
    }
  }

  Spool cases_;
  int tests_ = 0;
  int failures_ = 0;
  int errors_ = 0;
};

}  // namespace

std::unique_ptr<Writing> start_junit(const LintReport& report, const Style& style) {
  return std::make_unique<Junit>(report, style);
}

}  // namespace epwise::report
