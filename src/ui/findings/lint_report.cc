#include "ui/findings/lint_report.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/units/checked.h"
#include "recipe/framework.h"
#include "recipe/trainers/trainer_facts.h"
#include "ui/place.h"

namespace epwise::report {

namespace {

void count(Tally& tally, lint::Severity severity) {
  switch (severity) {
    case lint::Severity::error:
      ++tally.errors;
      break;
    case lint::Severity::warning:
      ++tally.warnings;
      break;
    case lint::Severity::note:
      ++tally.notes;
      break;
  }
}

void count(Tally& tally, lint::Verdict verdict) {
  switch (verdict) {
    case lint::Verdict::starts:
      ++tally.starts;
      break;
    case lint::Verdict::rejects:
      ++tally.rejects;
      break;
    case lint::Verdict::undecided:
      ++tally.undecided;
      break;
  }
}

/// The rest of `name` after `prefix`; empty if it does not start with it.
std::string_view behind(std::string_view name, std::string_view prefix) {
  return name.substr(0, prefix.size()) == prefix ? name.substr(prefix.size()) : std::string_view();
}

constexpr std::string_view kStack = "--stack ";

std::string option_for(std::string_view name) {
  if (name == "gpus") {
    return "--gpus N";
  }
  if (name == "hw" || !behind(name, "hw.").empty()) {
    return "--hw NAME";
  }
  if (name == "purpose") {
    return "--purpose NAME";
  }
  for (const std::string_view prefix : {"stack.", "installed."}) {
    if (const std::string_view component = behind(name, prefix); !component.empty()) {
      return fmt::format("{}{}=VERSION", kStack, component);
    }
  }
  if (name == "the base recipe" || name.ends_with("._target_")) {
    return "--base RECIPE.yaml";
  }
  if (const std::string_view variable = behind(name, "env."); !variable.empty()) {
    return fmt::format("--env {}=VALUE", variable);
  }
  if (const std::string_view variable = behind(name, "${"); !variable.empty()) {
    return fmt::format("--env {}=VALUE", variable.substr(0, variable.find_first_of("}:-")));
  }
  return {};
}

constexpr std::string_view kModelClass = "model._target_";

}  // namespace

void Tally::add(const LintedFile& file) {
  ++files;
  const std::size_t hash = file.path.rfind('#');
  several = several || (hash != std::string::npos &&
                        units::whole_number(file.path.substr(hash + 1), 2, 1000000).has_value());
  const std::vector<const lint::Finding*> found = shown(file);
  for (const lint::Finding* finding : found) {
    count(*this, finding->severity);
  }
  files_with_findings += found.empty() ? 0 : 1;
  accepted += static_cast<int>(file.result.accepted.size());
  open += static_cast<int>(file.result.open.size());
  for (const lint::Open& rule : file.result.open) {
    for (const std::string& name : rule.needs) {
      ++waiting[name];
    }
  }
  if (file.recipe != nullptr && file.recipe->has_unknown_class("model")) {
    classes[file.recipe->model_class] +=
        static_cast<int>(std::ranges::count_if(file.result.open, [](const lint::Open& rule) {
          return std::ranges::find(rule.needs, kModelClass) != rule.needs.end();
        }));
  }
  rules = std::max(rules, file.result.rules_checked);
  crashed_rules += static_cast<int>(file.result.crashed_rules.size());
  for (const std::string& rule : file.result.crashed_rules) {
    crashes.push_back(
        fmt::format("{}: epwise failed in rule {}; this is a bug, please report it with the recipe",
                    file.path,
                    rule));
  }
  if (is_readable(file)) {
    count(*this, file.result.launch.verdict);
  } else {
    ++unreadable;
  }
}

std::string verdict_counts(const Tally& sum) {
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

std::vector<const lint::Finding*> shown(const LintedFile& file) {
  return shown(file.result);
}

std::vector<const lint::Finding*> shown(const lint::Result& found) {
  std::vector<const lint::Finding*> result;
  for (const lint::Finding& finding : found.findings) {
    result.push_back(&finding);
  }
  return result;
}

bool is_aside(const lint::Finding& finding) {
  return finding.rule->aside && finding.severity == lint::Severity::note;
}

bool counts(const LintedFile& file, const lint::Finding& finding) {
  return (file.fails_from && finding.severity >= *file.fails_from) ||
         (file.fails_by && finding.severity >= lint::Severity::warning &&
          finding.rule->effect == *file.fails_by);
}

std::string consequence_text(lint::Effect effect, lint::Moment moment) {
  constexpr std::array<std::string_view, 7> kEffects = {"will not start",
                                                        "crashes",
                                                        "hangs",
                                                        "silently wrong",
                                                        "wastes or runs out of memory",
                                                        "loses speed",
                                                        "style"};
  constexpr std::array<std::string_view, 9> kMoments = {" at start-up",
                                                        " when graphs are captured",
                                                        " at the first step",
                                                        " at the first log",
                                                        " at the first evaluation",
                                                        " at the first checkpoint",
                                                        " when it resumes",
                                                        " later in the run",
                                                        ""};
  std::string text(kEffects.at(static_cast<std::size_t>(effect)));
  if (effect != lint::Effect::refuse && effect != lint::Effect::style) {
    text += kMoments.at(static_cast<std::size_t>(moment));
  }
  return text;
}

int rank(const LintedFile& file, const lint::Finding& finding) {
  const lint::Launch& launch = file.result.launch;
  const auto* culprit = file.result.cause();
  if (launch.verdict == lint::Verdict::rejects && culprit == finding.rule) {
    return 100;
  }
  int result = 20;
  if (finding.severity == lint::Severity::error) {
    result = 80;
  } else if (finding.severity == lint::Severity::warning) {
    result = 50;
  }
  switch (finding.rule->confidence) {
    case lint::Confidence::proven:
      return result + 10;
    case lint::Confidence::likely:
      return result + 5;
    case lint::Confidence::heuristic:
      break;
  }
  return result;
}

std::vector<Need> needs(const Tally& sum) {
  std::vector<Need> result;
  for (const auto& [name, rules] : sum.waiting) {
    result.push_back({.name = name, .rules = rules, .option = option_for(name)});
  }
  std::stable_sort(
      result.begin(), result.end(), [](const Need& a, const Need& b) { return a.rules > b.rules; });
  return result;
}

std::vector<std::string> unknown_classes(const Tally& sum) {
  std::vector<std::string> sentences;
  for (const auto& [name, rules] : sum.classes) {
    sentences.push_back(
        fmt::format("{} of them because the model's class `{}` is not known: what the recipe does "
                    "not set is unknown, in the layout and the batch too",
                    rules,
                    name));
  }
  return sentences;
}

std::string options_for(const std::vector<Need>& needs) {
  std::vector<std::string> options;
  std::string stack;
  for (const Need& need : needs) {
    const std::string_view component = behind(need.option, kStack);
    if (!component.empty()) {
      stack += fmt::format("{}{}", stack.empty() ? kStack : ",", component);
    } else if (!need.option.empty() &&
               std::find(options.begin(), options.end(), need.option) == options.end()) {
      options.push_back(need.option);
    }
  }
  if (!stack.empty()) {
    options.insert(options.begin(), stack);
  }
  return fmt::format("{}", fmt::join(options, " "));
}

std::string budget_text(const Budget& budget) {
  const auto word = [&budget]() -> std::string_view {
    switch (budget.state) {
      case Budget::State::kept:
        return "within";
      case Budget::State::broken:
        return "beyond";
      case Budget::State::undecided:
        break;
    }
    return "undecided for";
  };
  return fmt::format(
      "{}: {}: {} {} {}", budget.path, budget.text, word(), budget.option, budget.limit);
}

bool fails(const Budget& budget, bool strict) {
  return budget.state == Budget::State::broken ||
         (strict && budget.state == Budget::State::undecided);
}

std::vector<std::string> shortfalls(const LintReport& report, const Tally& tally) {
  std::vector<std::string> sentences;
  for (const Budget& budget : report.budgets) {
    if (fails(budget, report.strict)) {
      sentences.push_back(budget_text(budget));
    }
  }
  if (report.strict && tally.open > 0) {
    const std::vector<Need> all = needs(tally);
    const std::string options = options_for(all);
    sentences.push_back(fmt::format("{} undecided, which is an error with --strict{}{}",
                                    counted(tally.open, "check"),
                                    options.empty() ? "" : ": pass ",
                                    options));
  }
  return sentences;
}

std::string unsettled_text(const Repaired& repaired) {
  std::map<std::optional<lint::Tier>, std::map<std::string_view, int>> left;
  for (const Repaired::Left& error : repaired.left) {
    ++left[error.tier][error.rule->code];
  }
  std::vector<std::string> sentences;
  for (const auto& [tier, codes] : left) {
    std::vector<std::string> names;
    int count = 0;
    for (const auto& [code, times] : codes) {
      names.push_back(times == 1 ? std::string(code) : fmt::format("{} ({} times)", code, times));
      count += times;
    }
    const std::string by = tier ? fmt::format("only --fix={} fixes", lint::to_string(*tier))
                                : std::string("no tier fixes");
    sentences.push_back(fmt::format("{} that {}: {}", counted(count, "error"), by, listed(names)));
  }
  return fmt::format("{}", fmt::join(sentences, "; "));
}

namespace {

/// ", because of batch/indivisible (PAR019)": the finding that represents the failing check.
std::string because_of(const lint::Result& result) {
  const auto explained =
      std::ranges::find(result.explained, result.launch.rule, &lint::Explained::rule);
  return explained == result.explained.end()
             ? ""
             : fmt::format(", because of {} ({})", explained->by->id, explained->by->code);
}

/// Errors after the start-up checks: ": PAR012, PRC006 and 2 more".
std::string later_errors(const lint::Result& result) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> codes;
  for (const lint::Finding* finding : shown(result)) {
    const std::string code(finding->rule->code);
    // what a reader refuses is part of the launch's verdict
    const bool of_launch = finding->rule->builtin && !lint::is_predicted(*finding->rule) &&
                           finding->rule->effect == lint::Effect::refuse;
    if (finding->severity == lint::Severity::error && !of_launch &&
        std::ranges::find(codes, code) == codes.end()) {
      codes.push_back(code);
    }
  }
  if (codes.size() > kMostNamed) {
    const std::size_t more = codes.size() - kMostNamed;
    codes.resize(kMostNamed);
    codes.push_back(fmt::format("{} more", more));
  }
  return listed(codes);
}

/// ", accepted by known.yaml", ", which is only a note here", ", which is not selected"; empty for a
/// stop that counts.
std::string waiver_text(const lint::Result& result) {
  const lint::Waiver waiver = lint::waiver_of(result);
  switch (waiver.kind) {
    case lint::Waiver::Kind::accepted:
      return fmt::format(", accepted by {}", waiver.source);
    case lint::Waiver::Kind::lowered:
      return fmt::format(", which is only a {} here", lint::to_string(waiver.severity));
    case lint::Waiver::Kind::deselected:
      return ", which is not selected";
    case lint::Waiver::Kind::none:
      break;
  }
  return "";
}

/// Errors after the start-up checks that the user has accepted: "MEM101 by run.yaml:3".
std::string accepted_later(const lint::Result& result) {
  std::vector<std::string> all;
  for (const lint::Accepted& accepted : result.accepted) {
    if (accepted.finding.severity == lint::Severity::error) {
      all.push_back(fmt::format("{} by {}", accepted.finding.rule->code, accepted.source));
    }
  }
  return listed(all);
}

/// A framework around Megatron, with a Megatron-Core version that is not given.
bool is_unsettled(const lint::Result& result) {
  return recipe::has_trainer(*result.recipe) && result.version_assumed;
}

/// "verl (actor) on any Megatron-Core (pass --stack mcore=VERSION)"
std::string trainer_text(const lint::Result& result) {
  const recipe::Recipe& recipe = *result.recipe;
  const std::string core = is_unsettled(result) ? "any Megatron-Core (pass --stack mcore=VERSION)"
                                                : fmt::format("the Megatron-Core of {}",
                                                              recipe::title(recipe.framework));
  return fmt::format("{} on {}", recipe::trainer_name(recipe), core);
}

}  // namespace

std::string verdict_text(const lint::Result& result) {
  if (result.recipe == nullptr || !result.recipe->readable) {
    return "not checked: it contains no readable recipe";
  }
  const lint::Launch& launch = result.launch;
  const std::string stage =
      launch.stage.empty() ? std::string() : fmt::format(" at stage {}", launch.stage);
  switch (launch.verdict) {
    case lint::Verdict::starts: {
      const std::string later = later_errors(result);
      const std::string accepted = accepted_later(result);
      return !later.empty() ? fmt::format("passes the start-up checks but fails later: {}", later)
             : !accepted.empty()
                 ? fmt::format("passes the start-up checks but fails later, accepted: {}", accepted)
                 : "starts";
    }
    case lint::Verdict::rejects:
      if (launch.rule == nullptr) {
        return fmt::format("would not start: {}{}", launch.crash, stage);
      }
      if (const auto* root = result.root) {
        return fmt::format("would not start: {} ({}), via {} ({}){}{}",
                           root->id,
                           root->code,
                           launch.rule->id,
                           launch.rule->code,
                           stage,
                           waiver_text(result));
      }
      return fmt::format("would not start: {} ({}){}{}{}{}",
                         launch.rule->id,
                         launch.rule->code,
                         stage,
                         launch.crash.empty() ? "" : ", " + launch.crash,
                         because_of(result),
                         waiver_text(result));
    case lint::Verdict::undecided:
      break;
  }
  const std::string later = later_errors(result);
  return fmt::format("launch undecided{}{}",
                     launch.needs.empty() ? stage : ", unknown: " + listed(launch.needs),
                     later.empty() ? "" : "; it has errors: " + later);
}

std::string verdict_text(const LintedFile& file) {
  return verdict_text(file.result);
}

std::string accepted_stop(const lint::Result& result) {
  const bool rejects = result.launch.verdict == lint::Verdict::rejects;
  if (rejects ? lint::waiver_of(result).kind != lint::Waiver::Kind::none
              : result.launch.verdict == lint::Verdict::starts && later_errors(result).empty() &&
                    !accepted_later(result).empty()) {
    return verdict_text(result);
  }
  const std::string later = rejects ? "" : accepted_later(result);
  return later.empty() ? "" : fmt::format("has errors that are accepted: {}", later);
}

std::string stopped_text(const lint::Result& result) {
  if (result.launch.verdict != lint::Verdict::rejects) {
    const std::string later = later_errors(result);
    if (later.empty()) {
      return "";
    }
    if (result.launch.verdict == lint::Verdict::undecided) {
      return fmt::format("has errors: {}", later);
    }
  }
  return verdict_text(result);
}

std::string version_text(const std::string& tables, const std::string& asked_for) {
  return asked_for.empty() ? tables : fmt::format("{} (using the tables of {})", asked_for, tables);
}

std::string checked_against(const lint::Result& result, const std::string& target) {
  if (result.recipe == nullptr || !result.recipe->readable) {
    return "";
  }
  const recipe::Framework framework = result.recipe->framework;
  std::string text = recipe::has_trainer(*result.recipe) ? trainer_text(result)
                                                         : std::string(recipe::title(framework));
  if (!is_unsettled(result) && !result.framework_version.empty()) {
    text += " " + version_text(result.framework_version, result.version_unknown);
    if (result.version_unknown.empty() && result.version_assumed) {
      text += fmt::format(" (assumed; pass --stack {}=VERSION)", recipe::to_string(framework));
    }
  }
  if (!target.empty()) {
    const bool only_sources = target.starts_with('(');
    text += (only_sources ? " " : ", ") + target;
  }
  return text;
}

std::string checked_against(const LintedFile& file) {
  return checked_against(file.result, file.target);
}

}  // namespace epwise::report
