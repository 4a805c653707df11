#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/columns.h"
#include "report/crash_writer.h"
#include "report/finding_text.h"

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
                      "nor the line of an exception",
                      report_.log));
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
      name(suspect);
      if (&suspect == &each.suspects.front()) {
        advise(each);
        find_in_recipe(suspect);
      }
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
    say("no rule knows this error", 2);
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
    const auto found = std::ranges::find(result.findings, suspect.rule, &lint::Finding::rule);
    if (found != result.findings.end()) {
      out_ += '\n' + finding_text(*report_.recipe, *found, true, style_, paint_);
      return;
    }
    say(fmt::format("{} does not break this rule on this target: are the options those of the "
                    "run that crashed (--hw, --gpus, --stack, words behind --)?",
                    report_.recipe->path),
        4);
    if (result.launch.rule != nullptr) {
      expected_instead();
    }
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
      } else if (each->crash.kind == Kind::mentioned && each->suspects.empty()) {
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
      say("no rule knows this error", 2);
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
