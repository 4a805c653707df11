#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/columns.h"
#include "report/crash_writer.h"
#include "report/finding_text.h"

namespace epwise::report {
namespace {

constexpr std::size_t kLongestMessage = 160;

std::string clipped(const std::string& text) {
  return text.size() <= kLongestMessage ? text : text.substr(0, kLongestMessage) + "...";
}

class Text {
 public:
  Text(const CrashReport& report, const Style& style)
      : report_(report),
        style_(style),
        paint_(style.colour, style.hyperlinks) {}

  std::string run() {
    if (report_.cases.empty()) {
      say(fmt::format("{}: no Python traceback and no complaint about arguments in it",
                      report_.log));
      what_to_send();
    }
    for (const auto& each : report_.cases) {
      out_ += &each == &report_.cases.front() ? "" : "\n";
      add(each);
    }
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

  void add(const CrashCase& each) {
    const auto& crash = each.crash;
    say(fmt::format("{}:{}: {}{}{}",
                    report_.log,
                    crash.line,
                    crash.exception,
                    crash.exception.empty() || crash.message.empty() ? "" : ": ",
                    clipped(crash.message)));
    if (each.suspects.empty()) {
      if (!crash.frames.empty()) {
        const auto& last = crash.frames.back();
        say(fmt::format("raised at {}:{} in {}", last.path, last.line, last.function), 2);
      }
      say("no rule knows this error", 2);
      what_to_send();
      return;
    }
    for (const auto& suspect : each.suspects) {
      say(fmt::format("{}: {} ({}): {}",
                      suspect.sure ? "this is" : "perhaps",
                      suspect.rule->id,
                      suspect.rule->code,
                      suspect.rule->what),
          2);
      say(fmt::format("because {}", fmt::join(suspect.grounds, "; ")), 4);
      if (&suspect == &each.suspects.front()) {
        out_ += '\n';
        find_in_recipe(suspect);
      }
    }
  }

  /// The finding that explains the crash, when the recipe has it.
  void find_in_recipe(const audit::Suspect& suspect) {
    if (!report_.recipe) {
      say(fmt::format("see: epwise explain {}; give the recipe to have it located and mended",
                      suspect.rule->code),
          4);
      return;
    }
    const auto& findings = report_.recipe->result.findings;
    const auto found = std::ranges::find(findings, suspect.rule, &lint::Finding::rule);
    if (found == findings.end()) {
      say(fmt::format("{} does not break this rule on this target: are the options those of the "
                      "run that crashed (--hw, --gpus, --stack, words behind --)?",
                      report_.recipe->path),
          4);
      return;
    }
    out_ += finding_text(*report_.recipe, *found, true, style_, paint_);
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
