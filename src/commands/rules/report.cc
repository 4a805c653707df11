#include "commands/rules/report.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ui/columns.h"
#include "ui/json.h"

namespace epwise::report {

namespace {

std::string counts_text(const std::map<std::string_view, int>& counts) {
  std::vector<std::string> all;
  for (const auto& [name, count] : counts) {
    all.push_back(fmt::format("{} {}", count, name));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

class CoverageText {
 public:
  explicit CoverageText(const Style& style) : style_(style) {}

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
    say(fmt::format("catalogue: {} rows; {} are rules, {} are listed with a reason, {} are missing",
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
      say(fmt::format("{} upstream checks are listed as not covered by rules", coverage.sites));
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
    say(fmt::format("{}: {} of {} written parameters are read by at least one rule{}",
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
  return CoverageText(style).run(report);
}

namespace {

Json rows_json(const audit::RowCount& count) {
  return {{"rows", count.rows},
          {"rules", count.rules},
          {"listed", count.listed},
          {"missing", count.missing}};
}

}  // namespace

std::string coverage_json(const CoverageReport& report) {
  const auto& rules = report.rules;
  Json catalogue = rows_json(rules.total);
  for (const auto& [name, count] : rules.groups) {
    catalogue["groups"][std::string(name)] = rows_json(count);
  }
  Json bare = Json::array();
  for (const auto* rule : rules.without_reference) {
    bare.push_back(rule->id);
  }
  Json json = {{"schema", "epwise.coverage/1"},
               {"catalogue", catalogue},
               {"sites", rules.sites},
               {"rules",
                {{"by_group", rules.by_group},
                 {"by_severity", rules.by_severity},
                 {"by_confidence", rules.by_confidence},
                 {"without_reference", bare}}}};
  if (report.parameters) {
    json["recipe"] = {{"path", report.path},
                      {"written", report.parameters->written},
                      {"constrained", report.parameters->constrained},
                      {"unchecked", report.parameters->unchecked}};
  }
  return json_text(json);
}

namespace {

using audit::Drift;
using audit::Ground;

Role ground_role(Ground ground) {
  switch (ground) {
    case Ground::changed:
    case Ground::gone:
      return Role::warning;
    default:
      return Role::dim;
  }
}

std::string line_of(const Drift& drift) {
  const auto& reference = *drift.reference;
  std::string text = fmt::format("{} ({})  {}", drift.rule->id, drift.rule->code, reference.path);
  if (!reference.lines.empty()) {
    text += fmt::format(":{}", reference.lines);
  }
  if (!drift.symbol.empty()) {
    text += fmt::format(" in {}", drift.symbol);
  }
  if (drift.ground == Ground::moved) {
    text += fmt::format(", {:+} lines", drift.shift);
  }
  return text;
}

}  // namespace

std::string drift_text(const audit::DriftReport& report, const Style& style) {
  constexpr std::array kOrder = {
      Ground::gone, Ground::changed, Ground::unknown, Ground::moved, Ground::unchanged};
  const Paint paint(style.colour, style.hyperlinks);
  std::string out;
  std::string summary;
  for (const auto ground : kOrder) {
    int count = 0;
    const bool named = ground == Ground::gone || ground == Ground::changed ||
                       (style.verbose && ground != Ground::unchanged);
    for (const auto& drift : report.drifts) {
      if (drift.ground == ground) {
        ++count;
        out +=
            named ? fmt::format("{}  {}\n",
                                paint(ground_role(ground), fmt::format("{:<8}", to_string(ground))),
                                line_of(drift))
                  : "";
      }
    }
    if (count > 0) {
      const auto word = ground == Ground::unknown ? "without a fingerprint" : to_string(ground);
      summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", count, word);
    }
  }
  return out + fmt::format("{}: {} references: {}\n",
                           report.repository,
                           report.drifts.size(),
                           summary.empty() ? "none" : summary);
}

std::string drift_json(const audit::DriftReport& report) {
  Json references = Json::array();
  for (const auto& drift : report.drifts) {
    references.push_back({{"rule", drift.rule->id},
                          {"code", drift.rule->code},
                          {"ground", to_string(drift.ground)},
                          {"path", drift.reference->path},
                          {"lines", drift.reference->lines},
                          {"commit", drift.reference->commit},
                          {"symbol", drift.symbol},
                          {"shift", drift.shift}});
  }
  const Json json = {
      {"schema", "epwise.drift/1"}, {"repository", report.repository}, {"references", references}};
  return json_text(json);
}

}  // namespace epwise::report
