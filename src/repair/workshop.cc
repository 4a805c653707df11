#include "repair/workshop.h"

#include <algorithm>

namespace epwise::repair {

namespace {

using lint::Finding;
using lint::Fix;

bool is_error(const Finding& finding) {
  return finding.severity == lint::Severity::error && !finding.consequence;
}

bool has_fix(const Finding& finding, lint::Tier highest) {
  return std::ranges::any_of(finding.fixes, [highest](const Fix& fix) {
    return !fix.edits.empty() && fix.tier <= highest;
  });
}

std::string does(const Fix& fix) {
  std::string text;
  for (const Fix::Edit& edit : fix.edits) {
    text += edit.name + (edit.remove ? " goes" : " = " + edit.target.to_text()) + "; ";
  }
  return text;
}

Option option_of(const Fix& fix, const Finding& finding) {
  Option option;
  option.tier = static_cast<int>(fix.tier);
  option.lines = static_cast<int>(fix.edits.size());
  option.does = does(fix);
  option.name = std::string(finding.rule->id) + ": " + option.does;
  for (const Fix::Edit& edit : fix.edits) {
    option.touches.push_back(edit.name);
  }
  return option;
}

/// Two fixes may set the same field to the same value: it is set once.
void add_change(Change& all, const Change& more) {
  const auto is_known = [&all](const yaml::Edit& edit) {
    return std::ranges::any_of(all.edits,
                               [&](const yaml::Edit& known) { return known.path == edit.path; });
  };
  for (const yaml::Edit& edit : more.edits) {
    if (!is_known(edit)) {
      all.edits.push_back(edit);
    }
  }
  all.words.insert(all.words.end(), more.words.begin(), more.words.end());
}

}  // namespace

Workshop::Workshop(const Bench& bench, const Trial& before, lint::Tier highest, Goal goal)
    : bench_(bench),
      before_(before),
      highest_(highest),
      influence_(
          bench.knowledge, before.recipe->framework, "", {&bench.vocabulary_of(*before.recipe)}),
      verdict_(verdict_of(before)) {
  for (const Finding& finding : before.result.findings) {
    offer(finding, before);
  }
  for (const Finding& finding : before.result.findings) {
    if (is_error(finding)) {
      const bool hopeless = goal == Goal::all_within_reach ? hitters(*finding.rule).empty()
                                                           : !has_fix(finding, highest);
      (hopeless ? hopeless_ : errors_).insert(name_of(finding));
    }
  }
}

void Workshop::offer(const Finding& finding, const Trial& trial) {
  for (const Fix& fix : finding.fixes) {
    if (!is_error(finding) || fix.edits.empty() || fix.tier > highest_) {
      continue;
    }
    Change change = change_of(fix, *trial.recipe, bench_.vocabulary_of(*trial.recipe));
    Option option = option_of(fix, finding);
    const auto number = static_cast<int>(fixes_.size());
    if (change.obstacle.empty() && numbers_.try_emplace(option.does, number).second) {
      fixes_.push_back({std::move(option), repair_of(fix, finding), std::move(change)});
    }
  }
}

/// Options that the rule's answer can depend on.
std::vector<int> Workshop::hitters(const lint::Rule& rule) const {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < fixes_.size(); ++i) {
    const auto& fields = fixes_[i].option.touches;
    if (std::ranges::any_of(
            fields, [&](const std::string& field) { return influence_.reaches(field, rule); })) {
      numbers.push_back(static_cast<int>(i));
    }
  }
  return numbers;
}

const Trial& Workshop::made(const std::vector<int>& chosen) {
  obstacle_.clear();
  if (chosen.empty()) {
    return before_;
  }
  if (chosen == last_) {
    return trial_;
  }
  Change all;
  for (const int number : chosen) {
    add_change(all, fixes_[place(number)].change);
  }
  Draft draft = bench_.changed(before_.draft, all, obstacle_);
  if (obstacle_.empty()) {
    trial_ = bench_.lint(std::move(draft));
    last_ = chosen;
    ++trials_;
  }
  return trial_;
}

Outcome Workshop::look(const std::vector<int>& chosen) {
  const Trial& trial = made(chosen);
  Outcome outcome;
  if (!obstacle_.empty() || !trial.recipe || !trial.recipe->readable) {
    outcome.possible = false;
    return outcome;
  }
  for (const Finding& finding : trial.result.findings) {
    offer(finding, trial);
  }
  const auto want = [&](const lint::Rule& rule) {
    outcome.wanted.push_back(hitters(rule));
    std::erase_if(outcome.wanted.back(),
                  [&](int number) { return std::ranges::binary_search(chosen, number); });
  };
  for (const Finding& finding : trial.result.findings) {
    const std::string name = name_of(finding);
    const bool fresh = finding.severity >= lint::Severity::warning && !finding.consequence &&
                       !std::ranges::binary_search(verdict_.problems, name);
    if (fresh || (is_error(finding) && !hopeless_.contains(name))) {
      want(*finding.rule);
    }
  }
  for (const lint::Open& open : trial.result.open) {  // an error that nobody can decide any more
    if (errors_.contains(std::string(open.rule->id))) {
      want(*open.rule);
    }
  }
  if (outcome.wanted.empty() && verdict_of(trial).launch > verdict_.launch) {
    outcome.possible = false;
  }
  return outcome;
}

}  // namespace epwise::repair
