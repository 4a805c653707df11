#include "session/baseline.h"
#include "ui/findings/lint_report.h"
#include "ui/findings/writer.h"
#include "ui/json.h"
#include "ui/place.h"

namespace epwise::report {
namespace {

std::string_view gitlab_severity(lint::Severity severity) {
  switch (severity) {
    case lint::Severity::error:
      return "critical";
    case lint::Severity::warning:
      return "major";
    case lint::Severity::note:
      break;
  }
  return "info";
}

Json entry(std::string_view check,
           const std::string& text,
           std::string_view severity,
           const std::string& fingerprint,
           const std::string& path,
           int line) {
  return {{"description", text},
          {"check_name", check},
          {"fingerprint", fingerprint},
          {"severity", severity},
          {"location", {{"path", path}, {"lines", {{"begin", line}}}}}};
}

/// The identity that GitLab compares between two branches; paths are relative to the root of the
/// repository.
class Gitlab : public Writing {
 public:
  using Writing::Writing;

  void put(const LintedFile& file) override {
    for (const lint::Finding* finding : shown(file)) {
      const Place place = place_in_file(file, finding->primary.mark);
      const std::string path = repository_path(report().checkout, place.path);
      entries_.add(entry(finding->rule->id,
                         finding->message,
                         gitlab_severity(finding->severity),
                         fingerprints_.of_finding(path, *finding),
                         path,
                         place.start.line));
    }
  }

  void finish(const Out& out) override {
    for (const Budget& budget : report().budgets) {
      if (budget.state == Budget::State::broken) {
        const std::string path = repository_path(report().checkout, budget.path);
        entries_.add(
            entry("budget", budget_text(budget), "major", budget.option + ":" + path, path, 1));
      }
    }
    for (const std::string& failure : failures()) {
      entries_.add(
          entry("not-checked", failure, "blocker", fingerprints_.of_failure(failure), ".", 1));
    }
    entries_.give(out);
    out("\n");
  }

 private:
  JsonRows entries_;
  session::Fingerprints fingerprints_;
};

}  // namespace

std::unique_ptr<Writing> start_gitlab(const LintReport& report, const Style& style) {
  return std::make_unique<Gitlab>(report, style);
}

}  // namespace epwise::report
