#include "commands/explain/report.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "advise/comparison_tables.h"
#include "base/text/count.h"
#include "base/units/quantity.h"
#include "commands/explain/suspects.h"
#include "recipe/framework.h"
#include "ui/columns.h"
#include "ui/findings/finding_text.h"
#include "ui/json.h"
#include "ui/place.h"
#include "ui/style.h"

namespace epwise::report {

/// A failure of a running job, the recipe's related settings, and what to try first; indented,
/// below the headline of its crash. `besides`: a rule is already identified as the cause.
std::string trouble_text(const CrashReport& report,
                         const CrashCase& each,
                         bool besides,
                         const Style& style);

/// "a GPU ran out of memory, …": what else was searched for, for logs without a match.
/// `names`: with the names of the failures.
std::string looked_for(const CrashReport& report, bool names);

std::vector<const lint::Finding*> located(const lint::Rule& rule, const CrashReport& report) {
  if (!report.recipe) {
    return {};
  }
  const auto where = audit::standing(rule, report.recipe->result);
  if (where.kind != audit::Standing::Kind::found) {
    return {};
  }
  std::vector<const lint::Finding*> all{where.finding};
  if (rule.builtin) {
    for (const auto& finding : report.recipe->result.findings) {
      if (finding.rule == &rule && &finding != where.finding) {
        all.push_back(&finding);
      }
    }
  }
  return all;
}

namespace {

using why::Step;

/// "model.fp8 = e4m3 (written)"; empty if this framework version does not have it.
std::string setting_text(const why::Trace& trace) {
  if (trace.steps.empty()) {
    return {};
  }
  const auto& last = trace.steps.back();
  const bool variable = trace.key.starts_with("env.");
  if (last.kind == Step::Kind::unsaid) {
    return variable ? fmt::format("{} is unset", trace.name) : "";
  }
  const std::string_view source = last.kind == Step::Kind::standard    ? " (default)"
                                  : last.kind == Step::Kind::rewritten ? " (rewritten at start-up)"
                                                                       : "";
  return fmt::format("{} = {}{}", trace.name, trace.value.to_text(), source);
}

/// What to try first. Where the memory of the recipe can be predicted, what each change leaves.
std::vector<std::string> steps_of(const CrashReport& report, const audit::Recognised& recognised) {
  const lint::Trouble& trouble = *recognised.trouble;
  std::vector<std::string> steps;
  if (!trouble.if_fragmented.empty() && !recognised.tight) {
    steps.emplace_back(trouble.if_fragmented);
  }
  const advise::Reliefs& reliefs = report.reliefs;
  const bool is_cause = !report.cases.empty() && report.cases.front().trouble &&
                        report.cases.front().trouble->trouble == &trouble;
  if (!is_cause || reliefs.list.empty()) {
    steps.insert(steps.end(), trouble.first.begin(), trouble.first.end());
    return steps;
  }
  for (const advise::Relief& relief : reliefs.list) {
    steps.push_back(fmt::format("{} ({}): {:.1f} GiB predicted instead of {:.1f}, of {:.1f}{}; {}",
                                relief.what,
                                advise::assignments_text(relief.changes),
                                relief.needed / units::kGiB,
                                reliefs.needed / units::kGiB,
                                reliefs.limit / units::kGiB,
                                relief.fits ? "" : ", too much",
                                relief.longer > 1
                                    ? fmt::format("{:.0f} % slower", 100 * (relief.longer - 1))
                                    : fmt::format("{:.0f} % faster", 100 * (1 - relief.longer))));
  }
  if (std::ranges::none_of(reliefs.list, &advise::Relief::fits)) {
    steps.push_back(fmt::format("None of these fits alone: `epwise advise {}` combines them",
                                report.recipe ? report.recipe->path : "RECIPE"));
  }
  return steps;
}

class TroubleText {
 public:
  TroubleText(const CrashReport& report, const CrashCase& each, const Style& style)
      : report_(report),
        crash_(each.crash),
        recognised_(*each.trouble),
        trouble_(*each.trouble->trouble),
        style_(style) {}

  std::string run(bool besides) {
    say(fmt::format("{} {}", besides ? "in general this is:" : "this is:", trouble_.what), 2);
    if (!besides) {
      say(fmt::format("because the log contains \"{}\"", recognised_.words), 4);
      say(std::string(trouble_.why), 4);
    }
    for (const auto& fact : recognised_.facts) {
      say(fact, 4);
    }
    for (const auto hint : recognised_.hints) {
      say(std::string(hint), 4);
    }
    if (crash_.kind == audit::Crash::Kind::aftermath) {
      say("It may be caused by an error on another rank: if another rank reports one, that is the "
          "cause.",
          4);
    }
    settings();
    rules();
    if (report_.recipe && report_.recipe->result.launch.verdict == lint::Verdict::rejects) {
      say(fmt::format("as it is now, {} would not have come so far: it {}",
                      report_.recipe->path,
                      verdict_text(*report_.recipe)),
          2);
    }
    say("try first:", 2);
    int number = 0;
    for (const std::string& step : steps_of(report_, recognised_)) {
      say(fmt::format("{}. {}", ++number, step), 4);
    }
    return out_;
  }

 private:
  void say(const std::string& sentence, int indent) {
    const std::string blanks(static_cast<std::size_t>(indent), ' ');
    bool first = true;
    for (const auto& line : wrap(printable(sentence, style_.unicode), style_.width - indent - 4)) {
      out_ += blanks + (first ? "" : "    ") + line + '\n';
      first = false;
    }
  }

  void settings() {
    if (!report_.recipe) {
      std::vector<std::string_view> names;
      for (const auto field : trouble_.fields) {
        names.push_back(field.substr(field.find('.') + 1));
      }
      say(fmt::format("related settings: {}", fmt::join(names, ", ")), 2);
      return;
    }
    std::vector<std::string> all;
    for (const auto& trace : report_.settings) {
      auto text = setting_text(trace);  // two fields can be one flag
      if (!text.empty() && std::ranges::find(all, text) == all.end()) {
        all.push_back(std::move(text));
      }
    }
    say(fmt::format("related settings in {}: {}", report_.recipe->path, fmt::join(all, ", ")), 2);
  }

  void rules() {
    if (!report_.recipe) {
      if (trouble_.rules.empty()) {
        return;
      }
      say(fmt::format("related rules: {}; pass the recipe to see which of them it violates",
                      fmt::join(trouble_.rules, ", ")),
          2);
      return;
    }
    std::vector<std::string> open;
    int kept = 0;
    for (const auto& rule : report_.about) {
      const auto where = audit::standing(*rule, report_.recipe->result);
      if (where.kind == audit::Standing::Kind::found) {
        broken(*where.finding);
      } else if (where.kind == audit::Standing::Kind::open) {
        open.push_back(fmt::format("{} ({})", rule->id, fmt::join(where.open->needs, ", ")));
      } else {
        ++kept;
      }
    }
    if (!open.empty()) {
      say(fmt::format("undecided because the facts in brackets are unknown: {}",
                      fmt::join(open, ", ")),
          2);
    }
    if (kept > 0) {
      say(fmt::format(
              "the recipe satisfies {} about it{}",
              text::counted(
                  kept,
                  report_.about.size() == static_cast<std::size_t>(kept) ? "rule" : "other rule"),
              style_.verbose ? ": " + kept_names() : ""),
          2);
    }
  }

  std::string kept_names() const {
    std::vector<std::string_view> names;
    for (const auto* rule : report_.about) {
      const auto kind = audit::standing(*rule, report_.recipe->result).kind;
      if (kind != audit::Standing::Kind::found && kind != audit::Standing::Kind::open) {
        names.push_back(rule->id);
      }
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  void broken(const lint::Finding& finding) {
    const auto place = place_of(*report_.recipe, finding.primary.mark);
    say(fmt::format("{}:{}:{}: {}[{}] {}{}",
                    place.path,
                    place.start.line,
                    place.start.column,
                    lint::to_string(finding.severity),
                    finding.rule->id,
                    finding.message,
                    finding.fixes.empty()
                        ? ""
                        : fmt::format("; {}: {}",
                                      finding.fixes.front().edits.empty() ? "help" : "fix",
                                      finding.fixes.front().title)),
        2);
  }

  const CrashReport& report_;
  const audit::Crash& crash_;
  const audit::Recognised& recognised_;
  const lint::Trouble& trouble_;
  const Style& style_;
  std::string out_;
};

}  // namespace

std::string trouble_text(const CrashReport& report,
                         const CrashCase& each,
                         bool besides,
                         const Style& style) {
  return TroubleText(report, each, style).run(besides);
}

std::string looked_for(const CrashReport& report, bool names) {
  const auto& troubles = report.looked_for.troubles;
  return fmt::format(
      "searched for: the messages of {} checks, the upstream lines of {}, and {} failures of "
      "running jobs ({})",
      report.looked_for.spoken,
      report.looked_for.placed,
      troubles.size(),
      names ? fmt::format("{}", fmt::join(troubles, ", ")) : "-v names them");
}

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

class CrashText {
 public:
  CrashText(const CrashReport& report, const Style& style)
      : report_(report),
        style_(style),
        paint_(style.colour, style.hyperlinks) {}

  std::string run() {
    if (report_.cases.empty()) {
      say(fmt::format(
          "{}: no error found: no traceback, argument error, exception line or known message",
          report_.log));
      say(looked_for(report_, style_.verbose), 2);
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
    say("to report it, send the log from the first traceback to the end, the recipe, the target, "
        "and the output of `epwise --version`",
        2);
  }

  void headline(const audit::Crash& crash) {
    say(fmt::format("{}{}: {}{}{}{}",
                    report_.log,
                    crash.line > 0 ? fmt::format(":{}", crash.line) : "",  // a dump has no lines
                    crash.exception,
                    crash.exception.empty() || crash.message.empty() ? "" : ": ",
                    clipped(crash.message),
                    who(crash)));
  }

  void target() {
    if (report_.recipe && !style_.quiet) {
      say(fmt::format("recipe: {} on {}", report_.recipe->path, checked_against(*report_.recipe)),
          2);
    }
  }

  void cause(const CrashCase& each) {
    const auto& crash = each.crash;
    headline(crash);
    target();
    for (const auto& each_sign : report_.contradictions) {
      say(fmt::format("the log is probably of another configuration: it shows {}", each_sign), 2);
    }
    const bool sure = !each.suspects.empty() && each.suspects.front().sure;
    if (each.trouble && !sure) {
      out_ += trouble_text(report_, each, false, style_);
    }
    if (each.trouble && each.suspects.empty()) {
      return;
    }
    if (crash.kind == Kind::aftermath) {
      say("this only shows that another process had failed; the cause is in the log of the rank "
          "that failed first",
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
        continue;  // it is shown with the failure
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
                    suspect.basis == audit::Basis::place ? "only by its location: " : "because ",
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
    say("unknown: no rule or known failure matches this error", 2);
    say(looked_for(report_, style_.verbose), 2);
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

  /// The finding that explains the crash, if the recipe has it.
  void find_in_recipe(const audit::Suspect& suspect) {
    if (!report_.recipe) {
      say(fmt::format("see: epwise explain {}; pass the recipe to locate and fix it",
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

  /// If the rule is a consequence of another one, `first` is the finding of that rule.
  void show_findings(const audit::Suspect& suspect, const lint::Finding& first) {
    auto findings = located(*suspect.rule, report_);
    if (findings.empty()) {
      findings.push_back(&first);
    }
    for (const auto* finding : findings) {
      out_ += '\n' + finding_text(*report_.recipe, *finding, true, style_, paint_);
      if (const auto by = report_.accepted.find(finding->rule); by != report_.accepted.end()) {
        say(fmt::format("the recipe accepts this finding: {}", by->second), 2);
      }
    }
  }

  /// After the recipe's path: why it has no finding of the rule that the log shows.
  std::string not_found_text(const audit::Standing& where) const {
    constexpr std::string_view kOptions =
        "do the options (--hw, --gpus, --stack, words after --) match the run that crashed?";
    switch (where.kind) {
      case audit::Standing::Kind::found:
        return "violates this rule";
      case audit::Standing::Kind::explained:
        return fmt::format(
            "also violates this rule on this target, but {} ({}) explains it{}: {}",
            where.by->id,
            where.by->code,
            report_.recipe->result.launch.rule == where.by ? " and would have fired first" : "",
            report_.recipe->result.launch.rule == where.by ? kOptions : "fix that first");
      case audit::Standing::Kind::open:
        return fmt::format("leaves this rule undecided: {} unknown",
                           fmt::join(where.open->needs, ", "));
      case audit::Standing::Kind::absent:
        return fmt::format("is linted for {} {}, which does not perform this check: {}",
                           recipe::title(report_.recipe->recipe->framework),
                           report_.recipe->result.framework_version,
                           kOptions);
      case audit::Standing::Kind::holds:
        break;
    }
    return fmt::format("does not violate this rule on this target: {}", kOptions);
  }

  /// Further errors in a line or two each; consequences of others are only counted.
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
        continue;  // the cause is better explained above
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
      say(fmt::format("and {} more: --format json lists all", more));
    }
    if (first != nullptr && report_.cases.front().crash.kind != Kind::aftermath) {
      out_ += '\n';
      say(fmt::format("{}:{}: {}{} report{} a consequence of the error above",
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
                       : "no rule or known failure matches this error",
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
  return CrashText(report, style).run();
}

namespace {

std::string_view kind_name(audit::Crash::Kind kind) {
  switch (kind) {
    case audit::Crash::Kind::raised:
      return "raised";
    case audit::Crash::Kind::refused:
      return "refused";
    case audit::Crash::Kind::mentioned:
      return "mentioned";
    case audit::Crash::Kind::cut:
      return "cut";
    case audit::Crash::Kind::aftermath:
      break;
  }
  return "aftermath";
}

/// Line and column are null for values not written anywhere.
Json finding_json(const lint::Finding& finding, const LintedFile& recipe) {
  const Place place = place_of(recipe, finding.primary.mark);
  Json fixes = Json::array();
  for (const auto& fix : finding.fixes) {
    fixes.push_back(fix.title);
  }
  return {{"message", finding.message},
          {"path", place.path},
          {"line", place.positioned ? Json(place.start.line) : Json(nullptr)},
          {"column", place.positioned ? Json(place.start.column) : Json(nullptr)},
          {"pointer", finding.primary.pointer},
          {"fixes", fixes}};
}

Json suspect_json(const audit::Suspect& suspect, const CrashReport& report) {
  Json json = {{"rule", suspect.rule->id},
               {"code", suspect.rule->code},
               {"what", suspect.rule->what},
               {"basis", audit::to_string(suspect.basis)},
               {"score", suspect.score},
               {"sure", suspect.sure},
               {"grounds", suspect.grounds}};
  if (report.recipe) {
    const auto where = audit::standing(*suspect.rule, report.recipe->result);
    json["found"] = where.kind == audit::Standing::Kind::found;
    json["standing"] = audit::to_string(where.kind);
    if (where.by != nullptr) {
      json["explained_by"] = where.by->code;
    }
    if (where.kind == audit::Standing::Kind::found) {
      json["finding"] = where.finding->message;
      for (const auto& fix : where.finding->fixes) {
        json["fixes"].push_back(fix.title);
      }
      for (const auto* finding : located(*suspect.rule, report)) {
        json["findings"].push_back(finding_json(*finding, *report.recipe));
        if (const auto by = report.accepted.find(finding->rule); by != report.accepted.end()) {
          json["findings"].back()["accepted_by"] = by->second;
        }
      }
    }
  }
  return json;
}

Json trouble_json(const CrashCase& each, const CrashReport& report) {
  const auto& trouble = *each.trouble->trouble;
  Json json = {{"name", trouble.name},
               {"what", trouble.what},
               {"words", each.trouble->words},
               {"why", trouble.why},
               {"hints", each.trouble->hints},
               {"facts", each.trouble->facts},
               {"fields", trouble.fields},
               {"rules", trouble.rules},
               {"first", trouble.first}};
  if (!trouble.if_fragmented.empty()) {
    json["if_fragmented"] = trouble.if_fragmented;
  }
  if (report.recipe && &each == &report.cases.front()) {
    for (const advise::Relief& relief : report.reliefs.list) {
      json["reliefs"].push_back({{"what", relief.what},
                                 {"needed_gib", relief.needed / units::kGiB},
                                 {"fits", relief.fits},
                                 {"times_as_long", relief.longer}});
    }
    for (const auto& trace : report.settings) {
      json["settings"].push_back({{"name", trace.name}, {"value", trace.value.to_text()}});
    }
    for (const auto* rule : report.about) {
      const auto where = audit::standing(*rule, report.recipe->result);
      json["standings"].push_back(
          {{"code", rule->code}, {"standing", audit::to_string(where.kind)}});
    }
  }
  return json;
}

}  // namespace

std::string crash_json(const CrashReport& report) {
  Json crashes = Json::array();
  for (const auto& each : report.cases) {
    Json suspects = Json::array();
    for (const auto& suspect : each.suspects) {
      suspects.push_back(suspect_json(suspect, report));
    }
    const Json trouble = each.trouble ? trouble_json(each, report) : Json();
    crashes.push_back({{"line", each.crash.line},
                       {"exception", each.crash.exception},
                       {"message", each.crash.message},
                       {"kind", kind_name(each.crash.kind)},
                       {"ranks", each.crash.ranks},
                       {"times", each.crash.times},
                       {"advice", each.advice},
                       {"suspects", suspects},
                       {"trouble", trouble}});
  }
  Json json = {{"schema", "epwise.crash/1"}, {"log", report.log}, {"crashes", crashes}};
  if (report.first_failure && report.first_failure->rank >= 0) {
    json["first_failure"] = {{"rank", report.first_failure->rank},
                             {"exit_code", report.first_failure->exit_code}};
  }
  if (!report.contradictions.empty()) {
    json["contradictions"] = report.contradictions;
  }
  return json_text(json);
}

}  // namespace epwise::report
