#include "repair/plan.h"

#include <algorithm>
#include <utility>

#include "repair/workshop.h"

namespace epwise::repair {

namespace {

using lint::Finding;
using lint::Fix;
using lint::Severity;
using lint::Tier;

/// Makes single fixes, one after another, as long as each settles its finding and harms nothing.
class Finisher {
 public:
  Finisher(const Bench& bench, Tier highest, const Bounds& bounds, Plan& plan)
      : bench_(bench),
        highest_(highest),
        bounds_(bounds),
        plan_(plan) {}

  void run() {
    while (advance()) {
    }
  }

 private:
  /// Advice about speed or mathematics is for people to take.
  Tier limit(const Finding& finding) const {
    return finding.severity == Severity::note ? Tier::neutral : highest_;
  }

  bool advance() {
    const Verdict before = verdict_of(plan_.after);
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
      for (const Finding& finding : plan_.after.result.findings) {
        if (finding.severity == severity && !finding.consequence && settle(finding, before)) {
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
    std::ranges::stable_sort(
        fixes, {}, [](const Fix* fix) { return std::pair(fix->tier, fix->edits.size()); });
    return std::ranges::any_of(fixes, [&](const Fix* fix) { return make(*fix, finding, before); });
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
    plan_.repairs.push_back(repair_of(fix, finding));
    plan_.after = std::move(next);
    return true;
  }

  const Bench& bench_;
  Tier highest_;
  Bounds bounds_;
  Plan& plan_;
};

std::string text_of(const Fix::Edit& edit) {
  if (edit.remove) {
    return "remove " + edit.field;
  }
  if (edit.mark.nowhere()) {
    return "add " + edit.field + ": " + edit.value;
  }
  constexpr std::size_t kShort = 40;
  const auto old = edit.mark.file->bytes().substr(edit.mark.begin, edit.mark.end - edit.mark.begin);
  const bool plain = old.size() <= kShort && old.find_first_of("\r\n") == std::string_view::npos;
  return edit.field + ": " + (plain ? std::string(old) + " → " : std::string()) + edit.value;
}

}  // namespace

Repair repair_of(const Fix& fix, const Finding& finding) {
  Repair repair{std::string(finding.rule->id), fix.tier, {}};
  for (const Fix::Edit& edit : fix.edits) {
    repair.changes.push_back(text_of(edit));
  }
  return repair;
}

Plan plan(const Bench& bench, const Trial& before, lint::Tier highest, const Bounds& bounds) {
  Plan plan;
  plan.after = before;
  if (!before.recipe || !before.recipe->readable) {
    return plan;
  }
  for (const auto goal : {Workshop::Goal::all_within_reach, Workshop::Goal::all_with_fixes}) {
    Workshop workshop(bench, before, highest, goal);
    const Found found = smallest_legal_set(workshop, bounds);
    plan.bounded = found.bounded;
    if (found.found) {
      plan.after = workshop.made(found.chosen);
      for (const int number : found.chosen) {
        plan.repairs.push_back(workshop.repair(number));
      }
    }
    plan.trials += workshop.trials();
    if (found.found) {
      break;
    }
  }
  Bounds rest = bounds;
  rest.looks += plan.trials;
  Finisher(bench, highest, rest, plan).run();
  return plan;
}

}  // namespace epwise::repair
