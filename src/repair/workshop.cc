#include "repair/workshop.h"

#include <algorithm>
#include <utility>

#include "lint/renaming.h"

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
    text += edit.name;
    if (lint::is_renaming(edit)) {
      text += " is called " + edit.value + "; ";
    } else {
      text += (edit.remove ? " goes" : " = " + edit.target.to_text()) + "; ";
    }
  }
  return text;
}

Option option_of(const Fix& fix, Price price) {
  Option option;
  option.price = price;
  option.does = does(fix);
  for (const Fix::Edit& edit : fix.edits) {
    option.touches.push_back(edit.name);
  }
  return option;
}

Fix without_marks(Fix fix) {
  for (Fix::Edit& edit : fix.edits) {
    edit.mark = {};
  }
  return fix;
}

std::string line_of(const text::Mark& mark) {
  if (mark.nowhere()) {
    return {};
  }
  const auto bytes = mark.file->bytes();
  const auto before = bytes.rfind('\n', mark.begin == 0 ? 0 : mark.begin - 1);
  const auto begin = before == std::string_view::npos || mark.begin == 0 ? 0 : before + 1;
  return std::string(bytes.substr(begin, bytes.find('\n', mark.begin) - begin));
}

std::set<std::string> lines_of(const Fix& fix) {
  std::set<std::string> lines;
  for (const Fix::Edit& edit : fix.edits) {
    if (!edit.mark.nowhere()) {
      lines.insert(line_of(edit.mark));
    }
  }
  return lines;
}

}  // namespace

Workshop::Workshop(const Bench& bench, const Trial& before, lint::Tier highest, Goal goal)
    : bench_(bench),
      before_(before),
      highest_(highest),
      influence_(std::in_place,
                 bench.knowledge,
                 before.recipe->framework,
                 "",
                 std::vector{&bench.vocabulary_of(*before.recipe)}),
      verdict_(verdict_of(before)) {
  for (const Finding& finding : before.result.findings) {
    if (is_error(finding)) {
      offer(finding, before);
    }
  }
  for (const Finding& finding : before.result.findings) {
    const bool hopeless =
        goal == Goal::all_within_reach ? hitters(finding).empty() : !has_fix(finding, highest);
    if (is_error(finding) && !hopeless) {
      targets_.insert(name_of(finding));
    }
  }
}

Workshop::Workshop(const Bench& bench, const Trial& before, lint::Tier highest, const Finding& only)
    : bench_(bench),
      before_(before),
      highest_(highest),
      verdict_(verdict_of(before)),
      targets_{name_of(only)} {
  offer(only, before);
}

void Workshop::offer(const Finding& finding, const Trial& trial) {
  for (const Fix& fix : finding.fixes) {
    if (fix.edits.empty() || fix.tier > highest_) {
      continue;
    }
    const auto& vocabulary = bench_.vocabulary_of(*trial.recipe);
    Change change = change_of(fix, *trial.recipe, vocabulary);
    Option option = option_of(fix, price_of(fix, *trial.recipe, vocabulary));
    const auto number = static_cast<int>(fixes_.size());
    if (change.obstacle.empty() && numbers_.try_emplace(option.does, number).second) {
      fixes_.push_back({std::move(option),
                        without_marks(fix),
                        repair_of(fix, finding),
                        std::move(change),
                        lines_of(fix)});
    }
  }
}

/// Options that the rule's answer can depend on.
std::vector<int> Workshop::hitters(const lint::Rule& rule) const {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < fixes_.size(); ++i) {
    const auto& fields = fixes_[i].option.touches;
    if (!influence_ || std::ranges::any_of(fields, [&](const std::string& field) {
          return influence_->reaches(field, rule);
        })) {
      numbers.push_back(static_cast<int>(i));
    }
  }
  return numbers;
}

/// What a reader says about a line goes with that line.
std::vector<int> Workshop::hitters(const Finding& finding) const {
  if (!finding.rule->builtin) {
    return hitters(*finding.rule);
  }
  std::vector<int> numbers;
  for (std::size_t i = 0; i < fixes_.size(); ++i) {
    if (fixes_[i].lines.contains(line_of(finding.primary.mark))) {
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
    add(all, fixes_[place(number)].change);
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
  const auto is_fresh = [this](const Finding& finding) {
    return finding.severity >= lint::Severity::warning && !finding.consequence &&
           !std::ranges::binary_search(verdict_.problems, name_of(finding));
  };
  for (const Finding& finding : trial.result.findings) {
    if (is_fresh(finding) || targets_.contains(name_of(finding))) {
      offer(finding, trial);
    }
  }
  const auto want = [&](const auto& defect) {
    outcome.wanted.push_back(hitters(defect));
    std::erase_if(outcome.wanted.back(),
                  [&](int number) { return std::ranges::binary_search(chosen, number); });
  };
  for (const Finding& finding : trial.result.findings) {
    if (is_fresh(finding) || targets_.contains(name_of(finding))) {
      want(finding);
    }
  }
  for (const lint::Open& open : trial.result.open) {  // a target that nobody can decide any more
    if (targets_.contains(std::string(open.rule->id))) {
      want(*open.rule);
    }
  }
  if (outcome.wanted.empty() && verdict_of(trial).launch > verdict_.launch) {
    outcome.possible = false;
  }
  return outcome;
}

}  // namespace epwise::repair
