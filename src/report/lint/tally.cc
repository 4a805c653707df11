#include "report/lint/tally.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "report/place.h"

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

/// The rest of `name` behind `prefix`; empty when it does not start so.
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

}  // namespace

void Tally::add(const LintedFile& file) {
  ++files;
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
    if (!finding.consequence) {
      result.push_back(&finding);
    }
  }
  return result;
}

int rank(const LintedFile& file, const lint::Finding& finding) {
  const lint::Launch& launch = file.result.launch;
  const auto* culprit = file.result.root == nullptr ? launch.rule : file.result.root;
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
    return "can't be told from";
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
    sentences.push_back(fmt::format("{} undecided, and --strict wants them settled{}{}",
                                    counted(tally.open, "check"),
                                    options.empty() ? "" : ": say ",
                                    options));
  }
  return sentences;
}

std::string listed(const std::vector<std::string>& items) {
  std::string result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) {
      result += i + 1 == items.size() ? " and " : ", ";
    }
    result += items[i];
  }
  return result;
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
    const std::string by = tier ? fmt::format("only --fix={} settles", lint::to_string(*tier))
                                : std::string("no fix of any tier settles");
    sentences.push_back(fmt::format("{} that {}: {}", counted(count, "error"), by, listed(names)));
  }
  return fmt::format("{}", fmt::join(sentences, "; "));
}

}  // namespace epwise::report
