#include "repair/plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lint/renaming.h"
#include "lint/respelling.h"
#include "repair/composition.h"
#include "repair/price.h"
#include "repair/workshop.h"

namespace epwise::repair {

namespace {

using lint::Finding;
using lint::Fix;
using lint::Severity;
using lint::Tier;

/// Makes single fixes, one after another, as long as each settles its finding and harms nothing,
/// and, where none is left, one with what settles the harm.
class Finisher {
 public:
  Finisher(const Bench& bench, Tier highest, const Bounds& bounds, Plan& plan)
      : bench_(bench),
        highest_(highest),
        bounds_(bounds),
        plan_(plan) {}

  void run() {
    while (advance(false) || advance(true)) {
    }
  }

 private:
  /// Advice about speed or mathematics is for people to take.
  Tier limit(const Finding& finding) const {
    return finding.severity == Severity::note ? Tier::neutral : highest_;
  }

  bool advance(bool composed) {
    const Verdict before = verdict_of(plan_.after);
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
      for (const Finding& finding : plan_.after.result.findings) {
        if (finding.severity == severity && !finding.consequence &&
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
    const Trial& now = plan_.after;
    const auto& vocabulary = bench_.vocabulary_of(*now.recipe);
    std::ranges::stable_sort(
        fixes, {}, [&](const Fix* fix) { return price_of(*fix, *now.recipe, vocabulary); });
    return std::ranges::any_of(fixes, [&](const Fix* fix) { return make(*fix, finding, before); });
  }

  /// For errors only: what doesn't stop a run is not worth changing anything else.
  bool settle_with_more(const Finding& finding, const Verdict& before) {
    const bool has_edits = std::ranges::any_of(finding.fixes, [this](const Fix& fix) {
      return !fix.edits.empty() && fix.tier <= highest_;
    });
    if (finding.severity != Severity::error || !has_edits || plan_.trials >= bounds_.looks) {
      return false;
    }
    const auto whole = composed_fix(bench_, plan_.after, finding, highest_, plan_.trials);
    return whole && make(*whole, finding, before);
  }

  bool make(const Fix& fix, const Finding& finding, const Verdict& before) {
    if (plan_.trials >= bounds_.looks) {
      plan_.bounded = true;
      return false;
    }
    const Trial& now = plan_.after;
    const Change change = change_of(fix, *now.recipe, bench_.vocabulary_of(*now.recipe));
    std::string obstacle;
    Draft draft = bench_.changed(now.draft, change, obstacle);
    if (!obstacle.empty() || draft == now.draft) {
      return false;
    }
    ++plan_.trials;
    Trial next = bench_.lint(std::move(draft));
    if (!is_better(before, verdict_of(next), name_of(finding))) {
      return false;
    }
    append(plan_.repairs, {repair_of(fix, finding)});
    plan_.after = std::move(next);
    return true;
  }

  const Bench& bench_;
  Tier highest_;
  Bounds bounds_;
  Plan& plan_;
};

bool has(const std::vector<std::string>& sorted, const std::string& name) {
  return std::ranges::binary_search(sorted, name);
}

/// Puts misspelt names and words right, before anything else is looked for: that is what the user
/// meant. What is wrong with the right name or word shows then, and only then.
class Speller {
 public:
  Speller(const Bench& bench, Tier highest, Plan& plan)
      : bench_(bench),
        highest_(highest),
        plan_(plan) {}

  void run() {
    while (advance()) {
    }
  }

 private:
  bool advance() {
    const Verdict before = verdict_of(plan_.after);
    for (const Finding& finding : plan_.after.result.findings) {
      for (const Fix& fix : finding.fixes) {
        if (lint::is_spelling(finding, fix) && fix.tier <= highest_ && !finding.consequence &&
            make(fix, finding, before)) {
          return true;
        }
      }
    }
    return false;
  }

  bool make(const Fix& fix, const Finding& finding, const Verdict& before) {
    const Trial& now = plan_.after;
    const Change change = change_of(fix, *now.recipe, bench_.vocabulary_of(*now.recipe));
    std::string obstacle;
    Draft draft = bench_.changed(now.draft, change, obstacle);
    if (!obstacle.empty() || !tried_.insert(draft.bytes + joined(draft.words)).second) {
      return false;
    }
    ++plan_.trials;
    Trial next = bench_.lint(std::move(draft));
    const Verdict after = verdict_of(next);
    if (has(after.findings, name_of(finding)) || after.launch > before.launch) {
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

  const Bench& bench_;
  Tier highest_;
  Plan& plan_;
  std::set<std::string> tried_;  // texts: no word goes forth and back
};

std::string text_at(const text::Mark& mark) {
  return std::string(mark.file->bytes().substr(mark.begin, mark.end - mark.begin));
}

/// The spelling, one search for the errors, then what is left one by one.
void advance(const Bench& bench, lint::Tier highest, const Bounds& bounds, Plan& plan) {
  Speller(bench, highest, plan).run();
  const Trial before = plan.after;
  for (const auto goal : {Workshop::Goal::all_within_reach, Workshop::Goal::all_with_fixes}) {
    Workshop workshop(bench, before, highest, goal);
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
  Bounds rest = bounds;
  rest.looks += plan.trials;
  Finisher(bench, highest, rest, plan).run();
}

/// Plans until nothing changes any more.
Plan planned(const Bench& bench, const Trial& before, lint::Tier highest, const Bounds& bounds) {
  constexpr int kRounds = 8;
  Plan plan;
  plan.after = before;
  for (int round = 0; round < kRounds; ++round) {
    const Draft draft = plan.after.draft;
    advance(bench, highest, bounds, plan);
    if (plan.after.draft == draft) {
      break;
    }
  }
  return plan;
}

Plan joined(Plan first, Plan second) {
  append(first.repairs, std::move(second.repairs));
  first.after = std::move(second.after);
  first.trials += second.trials;
  first.bounded = first.bounded || second.bounded;
  return first;
}

lint::Tier below(lint::Tier tier) {
  return tier == Tier::training ? Tier::performance : Tier::neutral;
}

/// A plan that leaves no more errors than that of the tier below, from which it starts where its
/// own way ends with more.
Plan best_plan(const Bench& bench, const Trial& before, lint::Tier highest, const Bounds& bounds) {
  Plan plan = planned(bench, before, highest, bounds);
  const std::size_t left = errors_in(plan.after.result);
  if (left == 0 || highest == Tier::neutral) {
    return plan;
  }
  Plan lower = best_plan(bench, before, below(highest), bounds);
  const std::size_t least = errors_in(lower.after.result);
  lower.trials += plan.trials;
  if (least >= left) {
    plan.trials = lower.trials;
    return plan;
  }
  Plan more = planned(bench, lower.after, highest, bounds);
  if (errors_in(more.after.result) > least) {
    lower.trials += more.trials;
    return lower;
  }
  return joined(std::move(lower), std::move(more));
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
  return static_cast<std::size_t>(std::ranges::count_if(result.findings, [](const auto& finding) {
    return finding.severity == Severity::error && !finding.consequence;
  }));
}

Plan plan(const Bench& bench, const Trial& before, lint::Tier highest, const Bounds& bounds) {
  Plan plan;
  plan.after = before;
  if (!before.recipe || !before.recipe->readable) {
    return plan;
  }
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    const Draft draft = plan.after.draft;
    const Trial now = plan.after;
    plan = joined(std::move(plan), best_plan(bench, now, highest, bounds));
    if (plan.after.draft == draft || errors_in(plan.after.result) == 0) {
      break;
    }
  }
  return plan;
}

}  // namespace epwise::repair
