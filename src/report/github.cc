#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "report/columns.h"
#include "report/formats.h"
#include "report/place.h"
#include "report/rule_help.h"
#include "report/tally.h"
#include "report/uri.h"
#include "report/verdict.h"

namespace epwise::report {
namespace {

constexpr int kShownPerLevel = 10;     // GitHub shows no more of one level in one step
constexpr std::size_t kAllFiles = 20;  // more files than that are listed only if they don't start
constexpr std::size_t kSummaryBytes = 900000;  // GitHub drops a step summary of more than 1 MiB

std::string_view level_of(lint::Severity severity) {
  switch (severity) {
    case lint::Severity::error:
      return "error";
    case lint::Severity::warning:
      return "warning";
    case lint::Severity::note:
      break;
  }
  return "notice";
}

/// Signs that would end a workflow command or one of its properties.
std::string escaped(std::string_view text, bool property) {
  std::string result;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    if (special) {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result;
}

std::string command(std::string_view level, std::string_view properties, std::string_view message) {
  return fmt::format("::{} {}::{}\n", level, properties, escaped(printable(message, true), false));
}

struct Ranked {
  const LintedFile* file = nullptr;
  const lint::Finding* finding = nullptr;
  int rank = 0;
};

std::vector<Ranked> by_rank(const LintReport& report) {
  std::vector<Ranked> result;
  for (const LintedFile& file : report.files) {
    for (const lint::Finding* finding : shown(file)) {
      result.push_back({.file = &file, .finding = finding, .rank = rank(file, *finding)});
    }
  }
  std::stable_sort(result.begin(), result.end(), [](const Ranked& a, const Ranked& b) {
    return a.rank > b.rank;
  });
  return result;
}

std::string annotation(const LintReport& report, const Ranked& entry) {
  const lint::Finding& finding = *entry.finding;
  const Place place = place_in_file(*entry.file, finding.primary.mark);
  std::string properties;
  if (is_real_file(place.path)) {
    properties +=
        fmt::format("file={},", escaped(repository_path(report.checkout, place.path), true));
    properties += fmt::format("line={},col={},", place.start.line, place.start.column);
    if (place.positioned && place.finish.line == place.start.line) {
      properties += fmt::format("endColumn={},", place.finish.column);
    } else if (place.positioned) {
      properties += fmt::format("endLine={},", place.finish.line);
    }
  }
  properties += fmt::format(
      "title={}", escaped(fmt::format("{} ({})", finding.rule->id, finding.rule->code), true));
  return command(level_of(finding.severity), properties, finding.message);
}

struct PerLevel {
  int errors = 0;
  int warnings = 0;
  int notices = 0;

  int& of(lint::Severity severity) {
    switch (severity) {
      case lint::Severity::error:
        return errors;
      case lint::Severity::warning:
        return warnings;
      case lint::Severity::note:
        break;
    }
    return notices;
  }
};

/// A line of the table of findings in the step summary.
std::string table_row(const LintReport& report, const Ranked& entry) {
  const lint::Finding& finding = *entry.finding;
  const Place place = place_of(*entry.file, finding.primary.mark);
  std::string where = markdown(repository_path(report.checkout, place.path));
  if (place.positioned) {
    where += fmt::format(":{}", place.start.line);
  }
  return fmt::format("| {} | `{}` | {} | {} |\n",
                     lint::to_string(finding.severity),
                     finding.rule->id,
                     where,
                     markdown(finding.message));
}

/// Of many files, those that start need no line each.
std::string verdict_table(const LintReport& report) {
  const bool all = report.files.size() <= kAllFiles;
  std::string rows;
  for (const LintedFile& file : report.files) {
    const bool starts = is_readable(file) && file.result.launch.verdict == lint::Verdict::starts;
    if (all || !starts) {
      rows += fmt::format("| {} | {} | {} |\n",
                          markdown(file.path),
                          markdown(verdict_text(file)),
                          markdown(checked_against(file)));
    }
  }
  std::string table;
  if (!rows.empty()) {
    table = "\n| file | launch | checked against |\n| --- | --- | --- |\n" + rows;
  }
  const int starting = tally(report).starts;
  return all ? table : fmt::format("{}\n{} start\n", table, counted(starting, "file"));
}

std::string remainder_text(const PerLevel& left) {
  std::vector<std::string> parts;
  const auto add = [&](int count, std::string_view noun) {
    if (count > 0) {
      parts.push_back(counted(count, noun));
    }
  };
  add(left.errors, "error");
  add(left.warnings, "warning");
  add(left.notices, "note");
  return listed(parts);
}

}  // namespace

std::string write_github(const LintReport& report, const Style& /*style*/) {
  std::string out;
  PerLevel left;
  for (const std::string& failure : failures(report)) {
    ++left.errors;
    if (left.errors <= kShownPerLevel) {
      out += command("error", "title=epwise", failure);
    }
  }
  const std::vector<Ranked> findings = by_rank(report);
  PerLevel room{.errors = std::max(kShownPerLevel - left.errors, 0),
                .warnings = kShownPerLevel,
                .notices = kShownPerLevel};
  left.errors = std::max(left.errors - kShownPerLevel, 0);
  PerLevel total = left;
  for (const Ranked& entry : findings) {
    ++total.of(entry.finding->severity);
  }
  // The line that says what is missing is a notice itself and wants to be seen.
  if (total.errors > room.errors || total.warnings > room.warnings ||
      total.notices > room.notices) {
    --room.notices;
  }
  for (const Ranked& entry : findings) {
    int& free = room.of(entry.finding->severity);
    if (free == 0) {
      ++left.of(entry.finding->severity);
      continue;
    }
    --free;
    out += annotation(report, entry);
  }
  if (const std::string more = remainder_text(left); !more.empty()) {
    out += command(
        "notice",
        "title=epwise",
        fmt::format("{} more than GitHub shows; the whole table is in the step summary", more));
  }
  return out;
}

std::string write_markdown(const LintReport& report, const Style& /*style*/) {
  return github_step_summary(report);
}

std::string github_step_summary(const LintReport& report) {
  const Tally sum = tally(report);
  std::string out = fmt::format("### epwise: {}, {}, {} in {}\n",
                                counted(sum.errors, "error"),
                                counted(sum.warnings, "warning"),
                                counted(sum.notes, "note"),
                                counted(sum.files, "file"));
  for (const std::string& failure : failures(report)) {
    out += fmt::format("\n**not checked:** {}\n", markdown(failure));
  }
  out += verdict_table(report);
  const std::vector<Ranked> findings = by_rank(report);
  if (!findings.empty()) {
    out += "\n| severity | rule | place | message |\n| --- | --- | --- | --- |\n";
  }
  std::size_t written = 0;
  for (const Ranked& entry : findings) {
    if (out.size() > kSummaryBytes) {
      out += fmt::format("\nand {} more\n", findings.size() - written);
      break;
    }
    out += table_row(report, entry);
    ++written;
  }
  for (const Budget& budget : report.budgets) {
    const std::string text = budget_text(budget);
    out += fmt::format("\n{}{}\n",
                       budget.state == Budget::State::broken ? "**budget broken:** " : "",
                       markdown(text));
  }
  if (sum.accepted > 0) {
    out += fmt::format("\n{} accepted by comments or the baseline\n",
                       counted(sum.accepted, "finding"));
  }
  if (sum.open > 0) {
    std::vector<std::string> names;
    for (const Need& need : needs(open_rules(report))) {
      names.push_back(fmt::format("{} ({})", need.name, need.rules));
    }
    out += fmt::format(
        "\n{} undecided, for want of {}\n", counted(sum.open, "check"), markdown(listed(names)));
  }
  return out;
}

}  // namespace epwise::report
