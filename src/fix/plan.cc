#include "fix/plan.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fix/search.h"
#include "fix/verdict.h"
#include "lint/finding.h"
#include "lint/renaming.h"
#include "lint/rule_dependencies.h"
#include "lint/spelling_fixes.h"

namespace epwise::fix {

/// The fixes of a recipe's findings as options of a search: each set is applied to the text and
/// linted.
class FixSearch : public Situation {
 public:
  /// Which errors must be resolved: those that some fix may resolve, or only those that offer one.
  enum class Goal : std::uint8_t { all_within_reach, all_with_fixes };

  FixSearch(const session::Analysis& before, lint::Tier highest, Goal goal);

  /// Only this finding must be resolved, by its own fixes and those of their consequences.
  FixSearch(const session::Analysis& before, lint::Tier highest, const lint::Finding& only);

  const Option& option(int number) const override { return fixes_[place(number)].option; }

  Outcome look(const std::vector<int>& chosen) override;

  /// The recipe with these options applied; free for the last evaluated set.
  const session::Analysis& made(const std::vector<int>& chosen);

  const Repair& repair(int number) const { return fixes_[place(number)].repair; }

  /// Without marks, which would point into a text that may no longer exist.
  const lint::Fix& fix(int number) const { return fixes_[place(number)].fix; }

  int trials() const { return trials_; }

 private:
  struct Candidate {
    Option option;
    lint::Fix fix;
    Repair repair;
    Change change;
    std::set<std::string> lines;  // the text of the lines that it edits
  };

  static std::size_t place(int number) { return static_cast<std::size_t>(number); }

  void offer(const lint::Finding& finding, const session::Analysis& trial);
  std::vector<int> hitters(const lint::Rule& rule) const;
  std::vector<int> hitters(const lint::Finding& finding) const;

  const session::Analysis& before_;
  lint::Tier highest_;
  std::optional<lint::RuleDependencies> influence_;  // none: every option may resolve anything
  Verdict verdict_;                                  // of the original recipe
  std::set<std::string> targets_;                    // findings that can and must be resolved
  std::vector<Candidate> fixes_;
  std::map<std::string, int> numbers_;  // by the effect of a fix
  std::vector<int> last_;
  session::Analysis trial_;
  std::string obstacle_;
  int trials_ = 0;
};

namespace {

using lint::Finding;
using lint::Fix;
using lint::Severity;
using lint::Tier;
using session::Analysis;
using session::Draft;

/// Applies single fixes, one after another, as long as each resolves its finding without side
/// effects; then, if none is left, composite fixes that also resolve the side effects.
class Finisher {
 public:
  Finisher(Tier highest, const Bounds& bounds, Plan& plan)
      : highest_(highest),
        bounds_(bounds),
        plan_(plan) {}

  void run() {
    while (advance(false) || advance(true)) {
    }
  }

 private:
  /// Advice about speed or numerics is left to people.
  Tier limit(const Finding& finding) const {
    return finding.severity == Severity::note ? Tier::neutral : highest_;
  }

  bool advance(bool composed) {
    const Verdict before = verdict_of(plan_.after);
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
      for (const Finding& finding : plan_.after.result.findings) {
        if (finding.severity == severity &&
            (composed ? settle_with_more(finding, before) : settle(finding, before))) {
          return true;
        }
      }
    }
    return false;
  }

  bool settle(const Finding& finding, const Verdict& before) {
    std::vector<const Fix*> fixes;
    for (const Fix& fix : finding.fixes) {
      if (!fix.edits.empty() && fix.tier <= limit(finding)) {
        fixes.push_back(&fix);
      }
    }
    const Analysis& now = plan_.after;
    const auto& vocabulary = now.vocabulary();
    std::ranges::stable_sort(
        fixes, {}, [&](const Fix* fix) { return price_of(*fix, *now.recipe, vocabulary); });
    return std::ranges::any_of(fixes, [&](const Fix* fix) { return make(*fix, finding, before); });
  }

  /// Only for errors: other findings do not justify further changes.
  bool settle_with_more(const Finding& finding, const Verdict& before) {
    const bool has_edits = std::ranges::any_of(finding.fixes, [this](const Fix& fix) {
      return !fix.edits.empty() && fix.tier <= highest_;
    });
    if (finding.severity != Severity::error || !has_edits || plan_.trials >= bounds_.looks) {
      return false;
    }
    const auto whole = composed_fix(plan_.after, finding, highest_, plan_.trials);
    return whole && make(*whole, finding, before);
  }

  bool make(const Fix& fix, const Finding& finding, const Verdict& before) {
    if (plan_.trials >= bounds_.looks) {
      plan_.bounded = true;
      return false;
    }
    const Analysis& now = plan_.after;
    const Change change = change_of(fix, *now.recipe, now.vocabulary());
    std::string obstacle;
    Draft draft = changed(now, change, obstacle);
    if (!obstacle.empty() || draft == now.draft) {
      return false;
    }
    ++plan_.trials;
    Analysis next = now.with(std::move(draft));
    if (!is_better(before, verdict_of(next), name_of(finding))) {
      return false;
    }
    append(plan_.repairs, {repair_of(fix, finding)});
    plan_.after = std::move(next);
    return true;
  }

  Tier highest_;
  Bounds bounds_;
  Plan& plan_;
};

bool holds_name(const std::vector<std::string>& sorted, const std::string& name) {
  return std::ranges::binary_search(sorted, name);
}

/// Corrects misspelt names and words before anything else, because that is what the user meant.
/// Errors in the corrected setting only show afterwards.
class Speller {
 public:
  Speller(Tier highest, Plan& plan) : highest_(highest), plan_(plan) {}

  void run() {
    while (advance()) {
    }
  }

 private:
  bool advance() {
    const Verdict before = verdict_of(plan_.after);
    for (const Finding& finding : plan_.after.result.findings) {
      for (const Fix& fix : finding.fixes) {
        if (lint::is_spelling(finding, fix) && fix.tier <= highest_ && make(fix, finding, before)) {
          return true;
        }
      }
    }
    return false;
  }

  bool make(const Fix& fix, const Finding& finding, const Verdict& before) {
    const Analysis& now = plan_.after;
    const Change change = change_of(fix, *now.recipe, now.vocabulary());
    std::string obstacle;
    Draft draft = changed(now, change, obstacle);
    if (!obstacle.empty() || !tried_.insert(draft.bytes + joined(draft.words)).second) {
      return false;
    }
    ++plan_.trials;
    Analysis next = now.with(std::move(draft));
    const Verdict after = verdict_of(next);
    if (holds_name(after.findings, name_of(finding)) || after.launch > before.launch) {
      return false;
    }
    append(plan_.repairs, {repair_of(fix, finding)});
    plan_.after = std::move(next);
    return true;
  }

  static std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
      text += '\0' + word;
    }
    return text;
  }

  Tier highest_;
  Plan& plan_;
  std::set<std::string> tried_;  // texts: no word is changed back and forth
};

std::string text_at(const text::Mark& mark) {
  return std::string(mark.file->bytes().substr(mark.begin, mark.end - mark.begin));
}

/// The spelling, one search for the errors, then the rest one by one.
void advance(lint::Tier highest, const Bounds& bounds, Plan& plan) {
  Speller(highest, plan).run();
  const Analysis before = plan.after;
  for (const auto goal : {FixSearch::Goal::all_within_reach, FixSearch::Goal::all_with_fixes}) {
    FixSearch workshop(before, highest, goal);
    const Found found = smallest_legal_set(workshop, bounds);
    plan.bounded = plan.bounded || found.bounded;
    plan.trials += workshop.trials();
    if (found.found) {
      plan.after = workshop.made(found.chosen);
      std::vector<Repair> repairs;
      for (const int number : found.chosen) {
        repairs.push_back(workshop.repair(number));
      }
      append(plan.repairs, std::move(repairs));
      break;
    }
  }
  if (bounds.tidy) {
    Bounds rest = bounds;
    rest.looks += plan.trials;
    Finisher(highest, rest, plan).run();
  }
}

/// Plans until nothing changes any more.
Plan planned(const Analysis& before, lint::Tier highest, const Bounds& bounds) {
  constexpr int kRounds = 8;
  Plan plan;
  plan.after = before;
  for (int round = 0; round < kRounds; ++round) {
    const Draft draft = plan.after.draft;
    advance(highest, bounds, plan);
    if (plan.after.draft == draft) {
      break;
    }
  }
  return plan;
}

Plan plan_of_both(Plan first, Plan second) {
  append(first.repairs, std::move(second.repairs));
  first.after = std::move(second.after);
  first.trials += second.trials;
  first.bounded = first.bounded || second.bounded;
  return first;
}

lint::Tier below(lint::Tier tier) {
  return tier == Tier::training ? Tier::performance : Tier::neutral;
}

/// A plan that leaves no more errors than that of the tier below; if its own result has more, it
/// starts from that plan.
Plan best_plan(const Analysis& before, lint::Tier highest, const Bounds& bounds) {
  Plan plan = planned(before, highest, bounds);
  const std::size_t left = errors_in(plan.after.result);
  if (left == 0 || highest == Tier::neutral) {
    return plan;
  }
  Plan lower = best_plan(before, below(highest), bounds);
  const std::size_t least = errors_in(lower.after.result);
  lower.trials += plan.trials;
  if (least >= left) {
    plan.trials = lower.trials;
    return plan;
  }
  Plan more = planned(lower.after, highest, bounds);
  if (errors_in(more.after.result) > least) {
    lower.trials += more.trials;
    return lower;
  }
  return plan_of_both(std::move(lower), std::move(more));
}

}  // namespace

Repair repair_of(const Fix& fix, const Finding& finding) {
  Repair repair{std::string(finding.rule->id), fix.tier, {}};
  for (const Fix::Edit& edit : fix.edits) {
    Repair::Edit made{edit.field, std::nullopt, std::nullopt};
    if (!edit.mark.nowhere()) {
      made.before = text_at(edit.mark);
    }
    if (!edit.remove || lint::is_renaming(edit)) {
      made.after = edit.value;
    }
    repair.edits.push_back(std::move(made));
  }
  return repair;
}

std::string to_text(const Repair::Edit& edit, bool of_words) {
  const bool flag = edit.field.starts_with("-");
  const std::string_view between = !of_words ? ": " : flag ? " " : "=";
  if (!edit.after) {
    return "remove " + edit.field;
  }
  if (!edit.before) {
    return "add " + edit.field +
           (of_words && flag && *edit.after == "true" ? "" : std::string(between) + *edit.after);
  }
  constexpr std::size_t kShort = 40;
  const bool plain =
      edit.before->size() <= kShort && edit.before->find_first_of("\r\n") == std::string::npos;
  const bool renamed = of_words && edit.before->starts_with(edit.field);
  return edit.field + (renamed ? " → " : std::string(between)) +
         (plain && !renamed ? *edit.before + " → " : std::string()) + *edit.after;
}

void append(std::vector<Repair>& made, std::vector<Repair> more) {
  for (Repair& repair : more) {
    for (Repair::Edit& edit : repair.edits) {
      for (Repair& earlier : made) {
        const auto same = std::ranges::find(earlier.edits, edit.field, &Repair::Edit::field);
        if (same != earlier.edits.end()) {
          edit.before = std::move(same->before);
          earlier.edits.erase(same);
        }
      }
    }
    std::erase_if(repair.edits, [](const Repair::Edit& edit) { return edit.before == edit.after; });
    made.push_back(std::move(repair));
  }
  std::erase_if(made, [](const Repair& repair) { return repair.edits.empty(); });
}

std::size_t errors_in(const lint::Result& result) {
  return static_cast<std::size_t>(std::ranges::count_if(
      result.findings, [](const auto& finding) { return finding.severity == Severity::error; }));
}

Plan plan(const Analysis& before, lint::Tier highest, const Bounds& bounds) {
  Plan plan;
  plan.after = before;
  if (!before.recipe || !before.recipe->readable) {
    return plan;
  }
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    const Draft draft = plan.after.draft;
    const Analysis now = plan.after;
    plan = plan_of_both(std::move(plan), best_plan(now, highest, bounds));
    if (plan.after.draft == draft || errors_in(plan.after.result) == 0) {
      break;
    }
  }
  return plan;
}

namespace {

using lint::Finding;
using lint::Fix;
using session::Analysis;

bool is_error(const Finding& finding) {
  return finding.severity == lint::Severity::error;
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
      text += (edit.remove ? " is removed" : " = " + edit.target.to_text()) + "; ";
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

std::set<std::string> edited_lines(const Fix& fix) {
  std::set<std::string> lines;
  for (const Fix::Edit& edit : fix.edits) {
    if (!edit.mark.nowhere()) {
      lines.insert(line_of(edit.mark));
    }
  }
  return lines;
}

}  // namespace

FixSearch::FixSearch(const Analysis& before, lint::Tier highest, Goal goal)
    : before_(before),
      highest_(highest),
      influence_(std::in_place,
                 before.knowledge(),
                 before.recipe->framework,
                 "",
                 std::vector{&before.vocabulary()}),
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

FixSearch::FixSearch(const Analysis& before, lint::Tier highest, const Finding& only)
    : before_(before),
      highest_(highest),
      verdict_(verdict_of(before)),
      targets_{name_of(only)} {
  offer(only, before);
}

void FixSearch::offer(const Finding& finding, const Analysis& trial) {
  for (const Fix& fix : finding.fixes) {
    if (fix.edits.empty() || fix.tier > highest_) {
      continue;
    }
    const auto& vocabulary = trial.vocabulary();
    Change change = change_of(fix, *trial.recipe, vocabulary);
    Option option = option_of(fix, price_of(fix, *trial.recipe, vocabulary));
    const auto number = static_cast<int>(fixes_.size());
    if (change.obstacle.empty() && numbers_.try_emplace(option.does, number).second) {
      fixes_.push_back({std::move(option),
                        without_marks(fix),
                        repair_of(fix, finding),
                        std::move(change),
                        edited_lines(fix)});
    }
  }
}

/// Options on which the rule's result can depend.
std::vector<int> FixSearch::hitters(const lint::Rule& rule) const {
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

/// A reader's diagnostic about a line disappears with that line.
std::vector<int> FixSearch::hitters(const Finding& finding) const {
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

const Analysis& FixSearch::made(const std::vector<int>& chosen) {
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
  session::Draft draft = changed(before_, all, obstacle_);
  if (obstacle_.empty()) {
    trial_ = before_.with(std::move(draft));
    last_ = chosen;
    ++trials_;
  }
  return trial_;
}

Outcome FixSearch::look(const std::vector<int>& chosen) {
  const Analysis& trial = made(chosen);
  Outcome outcome;
  if (!obstacle_.empty() || !trial.recipe || !trial.recipe->readable) {
    outcome.possible = false;
    return outcome;
  }
  const auto is_fresh = [this](const Finding& finding) {
    return finding.severity >= lint::Severity::warning &&
           !std::ranges::binary_search(verdict_.problems, name_of(finding)) &&
           !(lint::is_predicted(*finding.rule) &&
             std::ranges::binary_search(verdict_.waiting, name_of(finding)));
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
  for (const lint::Open& open : trial.result.open) {  // a target that has become undecided
    if (targets_.contains(std::string(open.rule->id))) {
      want(*open.rule);
    }
  }
  if (outcome.wanted.empty() && verdict_of(trial).launch > verdict_.launch) {
    outcome.possible = false;
  }
  return outcome;
}

namespace {

using lint::Fix;

/// The original location of the value changed by an edit.
text::Mark mark_of(const Fix::Edit& edit,
                   const recipe::Recipe& recipe,
                   const recipe::Vocabulary& vocabulary) {
  constexpr std::string_view kVariable = "env.";
  if (edit.name.starts_with(kVariable)) {
    const auto variable = recipe.variables.find(edit.name.substr(kVariable.size()));
    return variable == recipe.variables.end() ? text::Mark{} : variable->second.mark;
  }
  const auto* spec = vocabulary.find(edit.name);
  const auto* field = recipe.find(spec == nullptr ? std::string_view(edit.name) : spec->name);
  return field == nullptr ? text::Mark{} : lint::is_renaming(edit) ? field->key : field->mark;
}

void add_fix(Fix& whole, const Fix& part) {
  if (whole.title.find(part.title) == std::string::npos) {
    whole.title += (whole.title.empty() ? "" : "; ") + part.title;
  }
  whole.tier = std::max(whole.tier, part.tier);
  for (const Fix::Edit& edit : part.edits) {
    if (std::ranges::find(whole.edits, edit.name, &Fix::Edit::name) == whole.edits.end()) {
      whole.edits.push_back(edit);
    }
  }
}

}  // namespace

std::optional<Fix> composed_fix(const session::Analysis& before,
                                const lint::Finding& finding,
                                lint::Tier highest,
                                int& trials) {
  constexpr Bounds kFew{3, 24};
  FixSearch workshop(before, highest, finding);
  const Found found = smallest_legal_set(workshop, kFew);
  trials += workshop.trials();
  if (!found.found || found.chosen.empty()) {
    return std::nullopt;
  }
  Fix whole{"", lint::Tier::neutral, {}};
  for (const int number : found.chosen) {
    add_fix(whole, workshop.fix(number));
  }
  for (Fix::Edit& edit : whole.edits) {
    edit.mark = mark_of(edit, *before.recipe, before.vocabulary());
  }
  return whole;
}

}  // namespace epwise::fix
