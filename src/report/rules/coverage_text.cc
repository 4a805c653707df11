#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/columns.h"
#include "report/rules/coverage_writer.h"

namespace epwise::report {
namespace {

std::string counts_text(const std::map<std::string_view, int>& counts) {
  std::vector<std::string> all;
  for (const auto& [name, count] : counts) {
    all.push_back(fmt::format("{} {}", count, name));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

class Text {
 public:
  explicit Text(const Style& style) : style_(style) {}

  std::string run(const CoverageReport& report) {
    add(report.rules);
    if (report.parameters) {
      out_ += '\n';
      add(report.path, *report.parameters);
    }
    return out_;
  }

 private:
  void say(const std::string& sentence, int indent = 0) {
    bool first = true;
    for (const auto& line : wrap(printable(sentence, style_.unicode), style_.width - indent - 4)) {
      out_ += std::string(static_cast<std::size_t>(indent + (first ? 0 : 4)), ' ') + line + '\n';
      first = false;
    }
  }

  void add(const audit::Coverage& coverage) {
    const auto& total = coverage.total;
    say(
        fmt::format("catalogue: {} rows; {} are rules, {} are listed with the reason why not, {} "
                    "are missing",
                    total.rows,
                    total.rules,
                    total.listed,
                    total.missing.size()));
    out_ += "  group   rows  rules  listed  missing\n";
    for (const auto& [name, group] : coverage.groups) {
      out_ += fmt::format("  {:<6} {:>5} {:>6} {:>7} {:>8}\n",
                          name,
                          group.rows,
                          group.rules,
                          group.listed,
                          group.missing.size());
    }
    if (style_.verbose && !total.missing.empty()) {
      say(fmt::format("missing: {}", fmt::join(total.missing, " ")), 2);
    }
    if (coverage.sites > 0) {
      say(fmt::format("{} upstream checks are listed as no rules", coverage.sites));
    }
    int rules = 0;
    for (const auto& group : coverage.by_group) {
      rules += group.second;
    }
    say(fmt::format("rules: {} ({})", rules, counts_text(coverage.by_group)));
    say(fmt::format("severity: {}", counts_text(coverage.by_severity)), 2);
    say(fmt::format("confidence: {}", counts_text(coverage.by_confidence)), 2);
    std::vector<std::string_view> bare;
    for (const auto* rule : coverage.without_reference) {
      bare.push_back(rule->id);
    }
    say(fmt::format("without a reference: {}{}",
                    bare.size(),
                    bare.empty() ? "" : fmt::format(" ({})", fmt::join(bare, ", "))),
        2);
  }

  void add(const std::string& path, const audit::Parameters& parameters) {
    const int unchecked = parameters.written - parameters.constrained;
    say(fmt::format("{}: {} of {} written parameters are constrained by at least one rule{}",
                    path,
                    parameters.constrained,
                    parameters.written,
                    unchecked == 0 ? "" : fmt::format("; never checked: {}", unchecked)));
    for (const auto& [section, names] : parameters.unchecked) {
      say(fmt::format("{}: {}", section, fmt::join(names, ", ")), 2);
    }
  }

  const Style& style_;
  std::string out_;
};

}  // namespace

std::string coverage_text(const CoverageReport& report, const Style& style) {
  return Text(style).run(report);
}

}  // namespace epwise::report
