#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "report/columns.h"
#include "report/finding_text.h"
#include "report/formats.h"
#include "report/tally.h"
#include "report/verdict.h"

namespace epwise::report {
namespace {

constexpr std::size_t kShownRewrites = 12;
constexpr std::size_t kShownNeeds = 5;

/// A value that the user wrote and the framework replaced.
struct WrittenRewrite {
  const model::Rewrite* rewrite = nullptr;
  text::Mark mark;
};

std::vector<WrittenRewrite> written_rewrites(const LintReport& report, const LintedFile& file) {
  std::vector<WrittenRewrite> result;
  if (report.knowledge == nullptr || file.recipe == nullptr) {
    return result;
  }
  for (const model::Rewrite& rewrite : file.result.effective) {
    if (rewrite.slot < 0 || rewrite.before == rewrite.after) {
      continue;
    }
    const recipe::Field* const field =
        file.recipe->find(report.knowledge->names.name(rewrite.slot));
    if (field != nullptr && field->origin != recipe::Origin::framework_default) {
      result.push_back({.rewrite = &rewrite, .mark = field->mark});
    }
  }
  return result;
}

class FullText {
 public:
  FullText(const LintReport& report, const Style& style)
      : report_(report),
        style_(style),
        paint_(style.colour, style.hyperlinks) {}

  std::string write() {
    for (const LintedFile& file : report_.files) {
      findings(file);
      if (!style_.quiet) {
        about(file);
      }
    }
    failures();
    if (!style_.quiet) {
      open();
      summary();
    }
    return std::move(out_);
  }

 private:
  void findings(const LintedFile& file) {
    for (const lint::Finding* finding : shown(file)) {
      const bool first = explained_.insert(finding->rule).second;
      out_ += finding_text(file, *finding, first, style_, paint_);
      out_ += '\n';
    }
  }

  /// What happens to the file as a whole; left out where there is nothing to say but "starts".
  void about(const LintedFile& file) {
    const std::vector<WrittenRewrite> rewrites = written_rewrites(report_, file);
    const lint::Launch& launch = file.result.launch;
    const bool rejects = launch.verdict == lint::Verdict::rejects;
    const bool eventful =
        rejects || !rewrites.empty() || !shown(file).empty() || report_.files.size() == 1;
    if (!eventful && !style_.verbose) {
      return;
    }
    Role role = Role::strong;
    if (rejects || (file.recipe != nullptr && !file.recipe->readable)) {
      role = Role::error;
    } else if (launch.verdict == lint::Verdict::starts) {
      role = Role::good;
    }
    out_ += fmt::format("{} {}\n",
                        paint_(Role::strong, printable(file.path, style_.unicode) + ":"),
                        paint_(role, printable(verdict_text(file), style_.unicode)));
    if (const std::string against = checked_against(file); !against.empty()) {
      out_ += note_text(2, "checked against", against, style_, paint_);
    }
    std::size_t left = style_.verbose ? rewrites.size() : kShownRewrites;
    for (const WrittenRewrite& entry : rewrites) {
      if (left == 0) {
        const std::size_t more = rewrites.size() - kShownRewrites;
        out_ += note_text(
            2, "executed as", fmt::format("and {} more (--verbose)", more), style_, paint_);
        break;
      }
      --left;
      rewritten(entry);
    }
    out_ += '\n';
  }

  void rewritten(const WrittenRewrite& entry) {
    const model::Rewrite& rewrite = *entry.rewrite;
    const std::string line =
        entry.mark.nowhere() ? std::string() : fmt::format(" (line {})", entry.mark.start().line);
    const std::string why = rewrite.why.empty() ? std::string() : ": " + rewrite.why;
    out_ += note_text(2,
                      "executed as",
                      fmt::format("{} {} → {}{}{}",
                                  rewrite.field,
                                  rewrite.before.to_text(),
                                  rewrite.after.to_text(),
                                  line,
                                  why),
                      style_,
                      paint_);
  }

  void failures() {
    const auto sentence = [&](std::string_view text) {
      out_ += paint_(Role::error, "error:") + ' ' + printable(text, style_.unicode) + '\n';
    };
    for (const std::string& input : report_.unreadable) {
      sentence(input);
    }
    for (const LintedFile& file : report_.files) {
      for (const std::string& rule : file.result.crashed_rules) {
        sentence(
            fmt::format("rule {} crashed on {}: a bug of epwise, please report it with the recipe",
                        rule,
                        file.path));
      }
    }
  }

  void open() {
    const std::vector<const lint::Open*> all = open_rules(report_);
    if (all.empty()) {
      return;
    }
    if (style_.verbose || report_.strict) {
      list_open();
    }
    std::vector<std::string> names;
    std::vector<std::string> options;
    for (const Need& need : needs(all)) {
      if (names.size() == kShownNeeds) {
        names.emplace_back("others");
        break;
      }
      names.push_back(fmt::format("{} ({})", need.name, need.rules));
      if (!need.option.empty() &&
          std::find(options.begin(), options.end(), need.option) == options.end()) {
        options.push_back(need.option);
      }
    }
    const std::string hint =
        options.empty() ? std::string() : fmt::format("; say {}", fmt::join(options, " "));
    paragraph(Role::note,
              "open:",
              fmt::format("{} undecided, for want of {}{}",
                          counted(static_cast<int>(all.size()), "rule"),
                          listed(names),
                          hint));
  }

  void list_open() {
    for (const LintedFile& file : report_.files) {
      for (const lint::Open& open : file.result.open) {
        paragraph(Role::note,
                  fmt::format("open[{}]:", open.rule->id),
                  fmt::format("{}: needs {}", file.path, listed(open.needs)));
      }
    }
  }

  void summary() {
    const Tally sum = tally(report_);
    if (sum.files == 0 || sum.rules == 0) {
      paragraph(Role::error, "nothing was checked:", counted(sum.files, "file") + " read");
      return;
    }
    std::vector<std::string> counts;
    const auto add = [&](int count, std::string_view noun) {
      if (count > 0) {
        counts.push_back(counted(count, noun));
      }
    };
    add(sum.errors, "error");
    add(sum.warnings, "warning");
    add(sum.notes, "note");
    const std::string rest = fmt::format("{}{}{}",
                                         counted(sum.rules, "rule"),
                                         verdicts(sum),
                                         sum.open > 0 ? fmt::format(", {} open", sum.open) : "");
    if (sum.findings() == 0) {
      const bool failed = !report_.unreadable.empty() || sum.crashed_rules > 0;
      paragraph(failed ? Role::error : Role::good,
                failed ? "incomplete:" : "ok:",
                fmt::format("{}, {}, 0 findings", counted(sum.files, "file"), rest));
      return;
    }
    const Role role = sum.errors > 0 ? Role::error : Role::warning;
    paragraph(role,
              fmt::format("{} in {}:",
                          fmt::format("{}", fmt::join(counts, ", ")),
                          sum.files_with_findings == sum.files
                              ? counted(sum.files, "file")
                              : fmt::format("{} of {} files", sum.files_with_findings, sum.files)),
              rest);
  }

  /// Of several files only: one file's verdict stands above.
  static std::string verdicts(const Tally& sum) {
    if (sum.files == 1) {
      return {};
    }
    std::string text;
    const auto add = [&](int count, std::string_view what) {
      if (count > 0) {
        text += fmt::format(", {} {}", count, what);
      }
    };
    add(sum.starts, sum.starts == 1 ? "starts" : "start");
    add(sum.rejects, "would not start");
    add(sum.undecided, "undecided");
    add(sum.unreadable, "not readable");
    return text;
  }

  void paragraph(Role role, std::string_view head, std::string_view rest) {
    const std::string text = printable(fmt::format("{} {}", head, rest), style_.unicode);
    bool first = true;
    for (const std::string& line : wrap(text, std::max(style_.width, 30))) {
      const std::size_t size = first ? std::min(head.size(), line.size()) : 0;
      out_ += first ? "" : "  ";
      out_ += paint_(role, std::string_view(line).substr(0, size));
      out_ += line.substr(size);
      out_ += '\n';
      first = false;
    }
  }

  const LintReport& report_;
  const Style& style_;
  Paint paint_;
  std::string out_;
  std::set<const lint::Rule*> explained_;
};

}  // namespace

std::string write_full(const LintReport& report, const Style& style) {
  return FullText(report, style).write();
}

}  // namespace epwise::report
