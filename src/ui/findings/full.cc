#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ui/columns.h"
#include "ui/findings/finding_text.h"
#include "ui/findings/lint_report.h"
#include "ui/findings/writer.h"
#include "ui/place.h"

namespace epwise::report {
namespace {

constexpr std::size_t kShownRewrites = 12;
constexpr std::size_t kShownNeeds = 5;
constexpr int kShownOfARule = 5;  // non-error findings of one rule in one file

/// A value that the user wrote and the framework replaced.
struct WrittenRewrite {
  const facts::Rewrite* rewrite = nullptr;
  text::Mark mark;
};

/// A written null is a request to fill it in; only reported if `everything` is requested.
std::vector<WrittenRewrite> written_rewrites(const LintReport& report,
                                             const LintedFile& file,
                                             bool everything) {
  std::vector<WrittenRewrite> result;
  if (report.knowledge == nullptr || file.recipe == nullptr) {
    return result;
  }
  for (const facts::Rewrite& rewrite : file.result.effective) {
    // whether the framework changes the value, or to what, is not known
    const bool open = rewrite.after.is_unknown() && (rewrite.before.is_unknown() || !everything);
    // the user wrote `0.001`; that the parser makes a list of it first changes nothing
    const bool same_word = rewrite.before.list() != nullptr && rewrite.before.list()->size() == 1 &&
                           rewrite.before.list()->front() == rewrite.after;
    if (open || rewrite.before == rewrite.after || rewrite.parsed ||
        ((rewrite.before.is_unset() || same_word) && !everything)) {
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

/// The finding that stops the launch first, then errors and warnings by what happens to the run,
/// then notes, which must not hide the one error; each by severity and location.
std::vector<const lint::Finding*> by_weight(const LintedFile& file, bool everything) {
  std::vector<const lint::Finding*> findings = shown(file);
  std::erase_if(findings,
                [&](const lint::Finding* finding) { return !everything && is_aside(*finding); });
  std::ranges::stable_sort(findings, std::ranges::less(), [&](const lint::Finding* finding) {
    const bool first = finding->rule == file.result.cause();
    const bool note = finding->severity == lint::Severity::note;
    return std::tuple(!first,
                      note,
                      note ? lint::Effect::refuse : finding->rule->effect,
                      note ? lint::Moment::start : finding->rule->moment,
                      finding->severity == lint::Severity::warning);
  });
  return findings;
}

class FullText : public Writing {
 public:
  FullText(const LintReport& report, const Style& style)
      : Writing(report, style),
        paint_(style.colour, style.hyperlinks) {}

  void put(const LintedFile& file) override {
    remember(file);
    if (file.fails_from != lint::Severity::note) {
      asides_ += static_cast<int>(std::ranges::count_if(
          shown(file), [](const lint::Finding* finding) { return is_aside(*finding); }));
    }
    if (!style().quiet) {
      about(file);
    }
    findings(file);
    text_.add(out_);
    out_.clear();
    if (style().verbose || report().strict) {
      list_open(file);
    }
    if (style().verbose) {
      list_accepted(file);
    }
  }

  void finish(const Out& out) override {
    if (asides_ > 0 && !style().quiet && !style().verbose) {
      paragraph(
          Role::note, "notes:", counted(asides_, "common note") + " more (shown with --verbose)");
      text_.add(std::exchange(out_, {}));
    }
    if (if_alone_ && sum().files == 1) {
      tell(*if_alone_);
    }
    for (const std::string& failure : failures()) {
      paragraph(Role::error, "error:", failure);
    }
    text_.add(std::exchange(out_, {}));
    if (!style().quiet) {
      if (sum().open > 0) {
        open_.give([this](std::string_view part) { text_.add(part); });
        open();
      }
      text_.add(std::exchange(out_, {}));
      accepted_.give([this](std::string_view part) { text_.add(part); });
      budgets();
      summary();
    } else {
      for (const std::string& sentence : shortfalls(report(), sum())) {
        paragraph(Role::error, "error:", sentence);
      }
    }
    text_.add(out_);
    text_.give(out);
  }

 private:
  void findings(const LintedFile& file) {
    std::map<const lint::Rule*, std::vector<const lint::Finding*>> counts;
    std::string before;
    for (const lint::Finding* finding :
         by_weight(file, style().verbose || file.fails_from == lint::Severity::note)) {
      auto& same = counts[finding->rule];
      same.push_back(finding);
      if (same.size() > kShownOfARule && finding->severity != lint::Severity::error &&
          !style().verbose) {
        continue;
      }
      consequence(file, *finding, before);
      const bool first = explained_.insert(finding->rule).second;
      out_ += finding_text(file, *finding, first, style(), paint_);
      out_ += '\n';
    }
    for (const lint::Finding* finding :
         by_weight(file, style().verbose || file.fails_from == lint::Severity::note)) {
      fold(counts[finding->rule]);
    }
  }

  /// A heading where the consequence differs from the one before. A warning alone does not stop a
  /// launch, such as one by the tables of another release.
  void consequence(const LintedFile& file, const lint::Finding& finding, std::string& before) {
    const bool doubtful = finding.rule->effect == lint::Effect::refuse &&
                          finding.severity == lint::Severity::warning &&
                          file.result.launch.verdict != lint::Verdict::rejects;
    const std::string text = finding.severity == lint::Severity::note ? "notes"
                             : doubtful
                                 ? "may not start"
                                 : consequence_text(finding.rule->effect, finding.rule->moment);
    if (text != before) {
      out_ += paint_(Role::strong, printable("── " + text, style().unicode)) + "\n\n";
      before = text;
    }
  }

  /// Locations of a rule's hidden findings; empties the list.
  void fold(std::vector<const lint::Finding*>& same) {
    if (same.size() > kShownOfARule && same.front()->severity != lint::Severity::error &&
        !style().verbose) {
      std::vector<std::string> lines;
      for (std::size_t i = kShownOfARule; i < same.size(); ++i) {
        const text::Mark& mark = same[i]->primary.mark;
        lines.push_back(mark.nowhere() ? "?" : std::to_string(mark.start().line));
      }
      paragraph(
          role_of(same.front()->severity),
          fmt::format("{}[{}]:", lint::to_string(same.front()->severity), same.front()->rule->id),
          fmt::format("{} more, in {} {} (shown with --verbose)",
                      lines.size(),
                      lines.size() == 1 ? "line" : "lines",
                      fmt::join(lines, ", ")));
      out_ += '\n';
    }
    same.clear();
  }

  /// Data about the files for the last line.
  void remember(const LintedFile& file) {
    if (sum().files == 1) {
      first_ = fmt::format("{} {}", file.path, verdict_text(file));
      checked_ = checked_against(file);
    } else if (checked_against(file) != checked_) {
      checked_.clear();
    }
    if_alone_.reset();
  }

  /// What happens to the file as a whole, before its findings: the first thing a reader wants to
  /// know. Left out where there is nothing to say but "starts".
  void about(const LintedFile& file) {
    const lint::Launch& launch = file.result.launch;
    const bool eventful = launch.verdict == lint::Verdict::rejects ||
                          !written_rewrites(report(), file, style().verbose).empty() ||
                          !shown(file).empty();
    if (eventful || style().verbose) {
      tell(file);
    } else if (launch.verdict == lint::Verdict::undecided && sum().files == 1) {
      if_alone_ = file;
    }
  }

  void tell(const LintedFile& file) {
    const std::vector<WrittenRewrite> rewrites = written_rewrites(report(), file, style().verbose);
    told_ = true;
    Role role = file.result.launch.verdict == lint::Verdict::undecided ? Role::note : Role::good;
    if (file.result.launch.verdict == lint::Verdict::rejects || !is_readable(file)) {
      role = Role::error;
    }
    paragraph(role, file.path + ":", verdict_text(file));
    if (const std::string against = checked_against(file);
        !against.empty() && against != against_) {
      out_ += note_text(2, "checked against", against, style(), paint_);
      against_ = against;
    }
    if (file.repaired && !unsettled_text(*file.repaired).empty()) {
      out_ += note_text(2, "left", unsettled_text(*file.repaired), style(), paint_);
    }
    std::size_t left = style().verbose ? rewrites.size() : kShownRewrites;
    for (const WrittenRewrite& entry : rewrites) {
      if (left == 0) {
        const std::size_t more = rewrites.size() - kShownRewrites;
        out_ += note_text(
            2, "executed as", fmt::format("and {} more (--verbose)", more), style(), paint_);
        break;
      }
      --left;
      rewritten(entry);
    }
    out_ += '\n';
  }

  void rewritten(const WrittenRewrite& entry) {
    const facts::Rewrite& rewrite = *entry.rewrite;
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
                      style(),
                      paint_);
  }

  void open() {
    std::vector<Need> wanted = needs(sum());
    const bool cut = wanted.size() > kShownNeeds;
    wanted.resize(std::min(wanted.size(), kShownNeeds));
    std::vector<std::string> names;
    for (const Need& need : wanted) {
      names.push_back(fmt::format("{} ({})", need.name, need.rules));
    }
    if (cut) {
      names.emplace_back("others");
    }
    const std::string options = options_for(wanted);
    paragraph(Role::note,
              "open:",
              fmt::format("{} skipped, unknown: {}{}{}",
                          counted(sum().open, "check"),
                          listed(names),
                          options.empty() ? "" : "; pass ",
                          options));
    for (const std::string& sentence : unknown_classes(sum())) {
      paragraph(Role::note, "open:", sentence);
    }
  }

  void list_open(const LintedFile& file) {
    for (const lint::Open& open : file.result.open) {
      paragraph(Role::note,
                fmt::format("open[{}]:", open.rule->id),
                fmt::format("{}: needs {}", file.path, listed(open.needs)));
    }
    open_.add(std::exchange(out_, {}));
  }

  void list_accepted(const LintedFile& file) {
    for (const lint::Accepted& each : file.result.accepted) {
      paragraph(Role::note,
                fmt::format("accepted[{}]:", each.finding.rule->id),
                fmt::format("{}: {} ({}{}{})",
                            file.path,
                            each.finding.message,
                            each.source,
                            each.reason.empty() ? "" : ": ",
                            each.reason));
    }
    accepted_.add(std::exchange(out_, {}));
  }

  void budgets() {
    for (const Budget& budget : report().budgets) {
      const bool broken = budget.state == Budget::State::broken;
      const bool kept = budget.state == Budget::State::kept;
      paragraph(broken ? Role::error
                : kept ? Role::good
                       : Role::note,
                broken ? "budget broken:"
                : kept ? "budget kept:"
                       : "budget undecided:",
                budget_text(budget));
    }
  }

  void summary() {
    if (sum().files == 0 || (sum().rules == 0 && sum().findings() == 0)) {
      paragraph(Role::error, "nothing checked:", counted(sum().files, sum().unit()) + " read");
      return;
    }
    std::vector<std::string> counts;
    const auto add = [&](int count, std::string_view noun) {
      if (count > 0) {
        counts.push_back(counted(count, noun));
      }
    };
    add(sum().errors, "error");
    add(sum().warnings, "warning");
    add(sum().notes, "note");
    if (sum().findings() == 0) {
      without_findings();
      return;
    }
    std::string rest = counted(sum().rules, "rule");
    if (sum().files > 1) {
      rest += verdict_counts(sum());
    }
    paragraph(sum().errors > 0 ? Role::error : Role::warning,
              fmt::format(
                  "{} in {}",
                  fmt::format("{}", fmt::join(counts, ", ")),
                  sum().files_with_findings == sum().files
                      ? counted(sum().files, sum().unit())
                      : fmt::format(
                            "{} of {} {}s", sum().files_with_findings, sum().files, sum().unit())),
              fmt::format("({}{})", rest, open_count()));
  }

  void without_findings() {
    std::string_view head = "ok:";
    Role role = Role::good;
    if (!report().unreadable.empty() || sum().crashed_rules > 0) {
      head = "incomplete:";
      role = Role::error;
    } else if (report().strict && sum().open > 0) {
      head = "undecided:";
      role = Role::note;
    } else if (sum().rejects > 0) {  // by a rule that is not selected
      head = "nothing from the selected rules:";
      role = Role::note;
    }
    std::string what = counted(sum().files, sum().unit());
    if (sum().files > 1) {
      what += verdict_counts(sum());
    } else if (!told_) {
      what = first_;
    }
    std::string against = checked_;
    if (against == against_) {  // it is shown above
      against.clear();
    }
    paragraph(role,
              head,
              fmt::format("{}, {}, {}{}0 findings{}",
                          what,
                          counted(sum().rules, "rule"),
                          against,
                          against.empty() ? "" : ", ",
                          open_count()));
  }

  std::string open_count() const {
    std::string text = sum().open > 0 ? fmt::format(", {} open", sum().open) : std::string();
    return text +
           (sum().accepted > 0 ? fmt::format(", {} accepted", sum().accepted) : std::string());
  }

  void paragraph(Role role, std::string_view head, std::string_view rest) {
    const std::string text = printable(fmt::format("{} {}", head, rest), style().unicode);
    bool first = true;
    for (const std::string& line : wrap(text, std::max(style().width, 30), 2)) {
      const std::size_t size = first ? std::min(head.size(), line.size()) : 0;
      out_ += first ? "" : "  ";
      out_ += paint_(role, std::string_view(line).substr(0, size));
      out_ += line.substr(size);
      out_ += '\n';
      first = false;
    }
  }

  Paint paint_;
  std::string out_;  // of the present file
  Spool text_;
  Spool open_;
  Spool accepted_;
  std::set<const lint::Rule*> explained_;
  int asides_ = 0;                      // notes left to --verbose
  bool told_ = false;                   // a statement about a file as a whole was printed
  std::string against_;                 // the target of the files above
  std::string checked_;                 // the common target of all files; empty if they differ
  std::string first_;                   // path and verdict of the first file
  std::optional<LintedFile> if_alone_;  // printed if no other file follows
};

}  // namespace

std::unique_ptr<Writing> start_full(const LintReport& report, const Style& style) {
  return std::make_unique<FullText>(report, style);
}

}  // namespace epwise::report
