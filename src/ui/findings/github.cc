#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ui/columns.h"
#include "ui/findings/lint_report.h"
#include "ui/findings/ranking.h"
#include "ui/findings/writer.h"
#include "ui/place.h"

namespace epwise::report {
namespace {

constexpr int kShownPerLevel = 10;  // GitHub shows no more of one level per step

std::string_view github_level(lint::Severity severity) {
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

// Characters that would end a workflow command or one of its properties.
constexpr std::string_view kCommandEnds = "%\r\n";
constexpr std::string_view kPropertyEnds = "%\r\n:,";

std::string command_escaped(std::string_view text, std::string_view signs) {
  std::string result;
  for (const char c : text) {
    if (signs.find(c) != std::string_view::npos) {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result;
}

std::string command(std::string_view level, std::string_view properties, std::string_view message) {
  return fmt::format(
      "::{} {}::{}\n", level, properties, command_escaped(printable(message, true), kCommandEnds));
}

std::string annotation(const LintReport& report,
                       const LintedFile& file,
                       const lint::Finding& finding) {
  const Place place = place_in_file(file, finding.primary.mark);
  std::string properties;
  if (is_real_file(place.path)) {
    properties += fmt::format(
        "file={},",
        printable(command_escaped(repository_path(report.checkout, place.path), kPropertyEnds),
                  true));
    properties += fmt::format("line={},col={},", place.start.line, place.start.column);
    if (place.positioned && place.finish.line == place.start.line) {
      properties += fmt::format("endColumn={},", place.finish.column);
    } else if (place.positioned) {
      properties += fmt::format("endLine={},", place.finish.line);
    }
  }
  properties += fmt::format(
      "title={}",
      command_escaped(fmt::format("{} ({})", finding.rule->id, finding.rule->code), kPropertyEnds));
  return command(github_level(finding.severity), properties, finding.message);
}

struct PerLevel {
  int errors = 0;
  int warnings = 0;
  int notices = 0;
};

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

class Github : public Writing {
 public:
  using Writing::Writing;

  void put(const LintedFile& file) override {
    for (const lint::Finding* finding : shown(file)) {
      const int importance = rank(file, *finding);
      Ranking& best = of(finding->severity);
      if (best.takes(importance)) {
        best.add(importance, count_, annotation(report(), file, *finding));
      }
      ++count_;
    }
  }

  void finish(const Out& out) override {
    PerLevel left{.errors = sum().errors, .warnings = sum().warnings, .notices = sum().notes};
    int room_for_errors = kShownPerLevel;
    std::vector<std::string> all = failures();
    std::ranges::move(shortfalls(report(), sum()), std::back_inserter(all));
    for (const std::string& failure : all) {
      if (room_for_errors == 0) {
        ++left.errors;
        continue;
      }
      --room_for_errors;
      out(command("error", "title=epwise", failure));
    }
    // The line about omitted annotations is itself a notice and must be visible.
    const bool cut = left.errors > room_for_errors || left.warnings > kShownPerLevel ||
                     left.notices > kShownPerLevel;
    std::vector<Ranking::Entry> annotations;
    const auto add = [&annotations](Ranking& best, int room, int& count) {
      std::vector<Ranking::Entry> entries = best.take();
      entries.resize(std::min(entries.size(), static_cast<std::size_t>(room)));
      count -= static_cast<int>(entries.size());
      std::ranges::move(entries, std::back_inserter(annotations));
    };
    add(errors_, room_for_errors, left.errors);
    add(warnings_, kShownPerLevel, left.warnings);
    add(notices_, kShownPerLevel - (cut ? 1 : 0), left.notices);
    std::ranges::sort(annotations, [](const Ranking::Entry& a, const Ranking::Entry& b) {
      return std::pair(-a.rank, a.sequence) < std::pair(-b.rank, b.sequence);
    });
    for (const Ranking::Entry& entry : annotations) {
      out(entry.text);
    }
    if (const std::string more = remainder_text(left); !more.empty()) {
      out(command(
          "notice",
          "title=epwise",
          fmt::format("{} more than GitHub displays; the complete table is in the step summary",
                      more)));
    }
  }

 private:
  Ranking& of(lint::Severity severity) {
    switch (severity) {
      case lint::Severity::error:
        return errors_;
      case lint::Severity::warning:
        return warnings_;
      case lint::Severity::note:
        break;
    }
    return notices_;
  }

  Ranking errors_{kShownPerLevel};
  Ranking warnings_{kShownPerLevel};
  Ranking notices_{kShownPerLevel};
  std::size_t count_ = 0;
};

}  // namespace

std::unique_ptr<Writing> start_github(const LintReport& report, const Style& style) {
  return std::make_unique<Github>(report, style);
}

}  // namespace epwise::report
