#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "audit/standing.h"
#include "recipe/framework.h"
#include "report/columns.h"
#include "report/crash/trouble_text.h"
#include "report/crash/writer.h"
#include "report/lint/finding_text.h"

namespace epwise::report {
namespace {

using Kind = audit::Crash::Kind;

constexpr std::size_t kLongestMessage = 240;
constexpr std::size_t kMostOthers = 3;

std::string clipped(const std::string& text) {
  return text.size() <= kLongestMessage ? text : text.substr(0, kLongestMessage) + "...";
}

/// "ranks 0, 1, 2 and 5 more", "told 8 times", "".
std::string who(const audit::Crash& crash) {
  constexpr std::size_t kMostRanks = 8;
  if (crash.ranks.empty()) {
    return crash.times > 1 ? fmt::format(" ({} times)", crash.times) : "";
  }
  const auto shown = std::min(crash.ranks.size(), kMostRanks);
  const auto more = crash.ranks.size() - shown;
  return fmt::format(
      " (rank{} {}{})",
      crash.ranks.size() == 1 ? "" : "s",
      fmt::join(crash.ranks.begin(), crash.ranks.begin() + static_cast<long>(shown), ", "),
      more == 0 ? "" : fmt::format(" and {} more", more));
}

class Text {
 public:
  Text(const CrashReport& report, const Style& style)
      : report_(report),
        style_(style),
        paint_(style.colour, style.hyperlinks) {}

  std::string run() {
    if (report_.cases.empty()) {
      say(
          fmt::format("{}: no error in it: neither a traceback, nor a complaint about arguments, "
                      "nor the line of an exception, nor words of anything known",
                      report_.log));
      say(looked_for(report_), 2);
      what_to_send();
      return out_;
    }
    cause(report_.cases.front());
    others();
    launcher();
    return out_;
  }

 private:
  void say(const std::string& sentence, int indent = 0) {
    const std::string blanks(static_cast<std::size_t>(indent), ' ');
    bool first = true;
    for (const auto& line : wrap(printable(sentence, style_.unicode), style_.width - indent - 4)) {
      out_ += blanks + (first ? "" : "    ") + line + '\n';
      first = false;
    }
  }

  void what_to_send() {
    say("to have it looked at, send the log from its first traceback to its end, the recipe, the "
        "target, and `epwise --version`",
        2);
  }

  void headline(const audit::Crash& crash) {
    say(fmt::format("{}:{}: {}{}{}{}",
                    report_.log,
                    crash.line,
                    crash.exception,
                    crash.exception.empty() || crash.message.empty() ? "" : ": ",
                    clipped(crash.message),
                    who(crash)));
  }

  void cause(const CrashCase& each) {
    const auto& crash = each.crash;
    headline(crash);
    const bool sure = !each.suspects.empty() && each.suspects.front().sure;
    if (each.trouble && !sure) {
      out_ += trouble_text(report_, each, false, style_);
    }
    if (each.trouble && each.suspects.empty()) {
      return;
    }
    if (crash.kind == Kind::aftermath) {
      say("this only tells that another process had failed: the log of the rank that failed first "
          "holds the cause",
          2);
      return;
    }
    if (each.suspects.empty()) {
      unknown(crash);
      return;
    }
    for (const auto& suspect : each.suspects) {
      const auto* trouble = each.trouble ? each.trouble->trouble : nullptr;
      if (!sure && trouble != nullptr &&
          std::ranges::find(trouble->rules, suspect.rule->id) != trouble->rules.end()) {
        continue;  // it stands with the trouble
      }
      name(suspect);
      if (&suspect == &each.suspects.front()) {
        advise(each);
        find_in_recipe(suspect);
      }
    }
    if (each.trouble && sure) {
      out_ += '\n' + trouble_text(report_, each, true, style_);
    }
  }

  void name(const audit::Suspect& suspect) {
    say(fmt::format("{}: {} ({}): {}",
                    suspect.sure ? "this is" : "perhaps",
                    suspect.rule->id,
                    suspect.rule->code,
                    suspect.rule->what),
        2);
    say(fmt::format("{}{}{}",
                    suspect.basis == audit::Basis::place ? "by its place only: " : "because ",
                    fmt::join(suspect.grounds, "; "),
                    suspect.basis == audit::Basis::place && !suspect.of_version
                        ? "; the version of the log is unknown"
                        : ""),
        4);
  }

  void advise(const CrashCase& each) {
    for (const auto& sentence : each.advice) {
      say(sentence, 4);
    }
  }

  void unknown(const audit::Crash& crash) {
    if (!crash.frames.empty()) {
      const auto& last = crash.frames.back();
      say(fmt::format("raised at {}:{} in {}", last.path, last.line, last.function), 2);
    }
    say("unknown: no rule and no known trouble fits this error", 2);
    say(looked_for(report_), 2);
    if (report_.recipe && report_.recipe->result.launch.rule != nullptr) {
      expected_instead();
    }
    what_to_send();
  }

  /// What the launch of this recipe should have ended with.
  void expected_instead() {
    const auto& rule = *report_.recipe->result.launch.rule;
    say(fmt::format("on this target the launch of {} ends with {} ({}): see `epwise lint`",
                    report_.recipe->path,
                    rule.id,
                    rule.code),
        4);
  }

  /// The finding that explains the crash, when the recipe has it.
  void find_in_recipe(const audit::Suspect& suspect) {
    if (!report_.recipe) {
      say(fmt::format("see: epwise explain {}; give the recipe to have it located and mended",
                      suspect.rule->code),
          4);
      return;
    }
    const auto& result = report_.recipe->result;
    const auto where = audit::standing(*suspect.rule, result);
    if (where.kind != audit::Standing::Kind::found) {
      say(fmt::format("{} {}", report_.recipe->path, not_found_text(where)), 4);
    }
    if (where.finding != nullptr) {
      show_findings(suspect, *where.finding);
    } else if (result.launch.rule != nullptr && result.launch.rule != suspect.rule) {
      expected_instead();
    }
  }

  /// Where the rule stands behind another one, `first` is what that one found.
  void show_findings(const audit::Suspect& suspect, const lint::Finding& first) {
    auto findings = located(*suspect.rule, report_);
    if (findings.empty()) {
      findings.push_back(&first);
    }
    for (const auto* finding : findings) {
      out_ += '\n' + finding_text(*report_.recipe, *finding, true, style_, paint_);
    }
  }

  /// Behind the recipe's path: why it shows no finding of the rule that the log tells of.
  std::string not_found_text(const audit::Standing& where) const {
    constexpr std::string_view kOptions =
        "are the options those of the run that crashed (--hw, --gpus, --stack, words behind --)?";
    switch (where.kind) {
      case audit::Standing::Kind::found:
        return "breaks this rule";
      case audit::Standing::Kind::explained:
        return fmt::format(
            "breaks this rule too on this target, but {} ({}) explains it{}: {}",
            where.by->id,
            where.by->code,
            report_.recipe->result.launch.rule == where.by ? " and would have fired first" : "",
            report_.recipe->result.launch.rule == where.by ? kOptions : "mend that first");
      case audit::Standing::Kind::open:
        return fmt::format("leaves this rule open: it needs {}",
                           fmt::join(where.open->needs, ", "));
      case audit::Standing::Kind::absent:
        return fmt::format("is linted for {} {}, which does not make this check: {}",
                           recipe::title(report_.recipe->recipe->framework),
                           report_.recipe->result.framework_version,
                           kOptions);
      case audit::Standing::Kind::holds:
        break;
    }
    return fmt::format("does not break this rule on this target: {}", kOptions);
  }

  /// Further errors by a line or two each; what follows from others is counted.
  void others() {
    std::size_t shown = 0;
    std::size_t more = 0;
    int following = 0;
    const audit::Crash* first = nullptr;
    for (auto each = report_.cases.begin() + 1; each != report_.cases.end(); ++each) {
      if (each->crash.kind == Kind::aftermath) {
        first = first == nullptr ? &each->crash : first;
        following += each->crash.times;
      } else if (each->crash.kind == Kind::mentioned && each->suspects.empty() && !each->trouble) {
        continue;  // the cause is told better above
      } else if (shown == kMostOthers) {
        ++more;
      } else {
        ++shown;
        out_ += '\n';
        headline(each->crash);
        also(*each);
      }
    }
    if (more > 0) {
      say(fmt::format("and {} more: --format json has them all", more));
    }
    if (first != nullptr && report_.cases.front().crash.kind != Kind::aftermath) {
      out_ += '\n';
      say(
          fmt::format("{}:{}: {}{} tell{} that other processes ended; that follows from the error "
                      "above",
                      report_.log,
                      first->line,
                      first->exception.empty() ? "a watchdog" : first->exception,
                      following > 1 ? fmt::format(" and {} more", following - 1) : "",
                      following > 1 ? "" : "s"));
    }
  }

  void also(const CrashCase& each) {
    if (each.suspects.empty()) {
      say(each.trouble ? fmt::format("this is: {}", each.trouble->trouble->what)
                       : "no rule and no known trouble fits this error",
          2);
      return;
    }
    name(each.suspects.front());
    advise(each);
  }

  void launcher() {
    const auto& failure = report_.first_failure;
    if (!failure || failure->rank < 0) {
      return;
    }
    out_ += '\n';
    const auto ended = failure->exit_code < 0
                           ? fmt::format("ended by signal {}", -failure->exit_code)
                           : fmt::format("exit code {}", failure->exit_code);
    say(fmt::format("{}:{}: the launcher saw rank {} fail first ({})",
                    report_.log,
                    failure->line,
                    failure->rank,
                    ended));
  }

  const CrashReport& report_;
  const Style& style_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string crash_text(const CrashReport& report, const Style& style) {
  return Text(report, style).run();
}

}  // namespace epwise::report
