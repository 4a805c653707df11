#include "advise/plan_maker.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "advise/decision.h"
#include "advise/dominance.h"
#include "base/text/line_diff.h"
#include "fix/change.h"
#include "fix/verdict.h"

namespace epwise::advise {

namespace {

constexpr std::string_view kVariable = "env.";

/// An expected gain of more than this is kept, even if the interval contains none.
constexpr double kMostLost = 1.03;

/// The expected loss up to which a plan follows documents or a precedent, if it is not certain: the
/// median error of predictions.
constexpr double kMostDeferred = 1.05;

/// The same for all settings of a precedent together, a combination that its authors have measured:
/// twice that error.
constexpr double kMostAsShipped = 1.10;

/// Goal safe: the share of the step that a change must gain for its risk.
double risk_cost(Risk risk) {
  return risk == Risk::low ? 0 : risk == Risk::medium ? 0.05 : 0.15;
}

/// Few enough changes for a person to follow at once, none of which moves weights to other ranks.
bool is_small(const std::vector<std::size_t>& changed,
              const Candidate& candidate,
              const Space& space,
              const Assessment& assessment) {
  constexpr std::size_t kMostKnobs = 2;
  const auto moves_weights = [&](const Edit& edit) {
    return std::ranges::any_of(space.dimensions(), [&](const Space::Dimension& dimension) {
      return dimension.axis->group == "mapping" && dimension.axis->sets(edit.field);
    });
  };
  const auto is_risky = [&](std::size_t axis) {
    return space.move(candidate, axis)->risk == Risk::high;
  };
  return changed.size() <= kMostKnobs && std::ranges::none_of(changed, is_risky) &&
         std::ranges::none_of(assessment.edits, moves_weights);
}

bool is_part_of(const std::vector<std::size_t>& part, const std::vector<std::size_t>& whole) {
  return std::ranges::includes(whole, part);
}

}  // namespace

Cost cost_of(const Assessment& assessment,
             const Candidate& candidate,
             const Space& space,
             Goal goal,
             const Assessment& present) {
  // share of the step, per change: less than the run-to-run variation
  constexpr double kSimplicity = 0.002;
  constexpr double kNotSlower = 1.02;
  constexpr double kEarned = 0.02;  // safe: share of the step that a change must gain
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  if (!assessment.usable()) {
    const bool comparable = assessment.legal && assessment.step > 0;
    return comparable ? kUnfit * (1 + assessment.needed_memory / (kGiB * kGiB))
                      : std::numeric_limits<Cost>::infinity();
  }
  const std::vector<std::size_t> changed = space.changed(candidate);
  const auto changes = static_cast<double>(changed.size() + assessment.companions.size());
  // What does not start is no use, however fast: errors that no fix settles come before the step.
  constexpr double kUnstarted = 1000;
  const double unstarted = kUnstarted * assessment.left;
  if (goal == Goal::memory) {
    const bool slower = assessment.step > kNotSlower * present.step && present.fits;
    return slower ? std::numeric_limits<Cost>::infinity()
                  : assessment.needed_memory / kGiB + 0.25 * changes + unstarted;
  }
  double factor = 1 + unstarted + kSimplicity * changes;
  if (goal == Goal::safe && !is_small(changed, candidate, space, assessment) && present.fits) {
    return std::numeric_limits<Cost>::infinity();
  }
  if (goal == Goal::safe) {
    for (const std::size_t axis : changed) {
      factor += kEarned + risk_cost(space.move(candidate, axis)->risk);
    }
  }
  return assessment.step * factor;
}

PlanMaker::PlanMaker(const Study& study, Goal goal)
    : study_(study),
      goal_(goal),
      event_factor_(event_factor(*study.present.work, study.world.constants.values)) {}

std::vector<Candidate> PlanMaker::choose(const SearchResult& result, std::size_t most) {
  constexpr double kSame = 1.002;
  std::set<std::vector<std::size_t>> seen;
  std::vector<Visit> best;  // one per set of axes
  for (const Visit& visit : result.visits) {
    std::vector<std::size_t> changed = study_.space.changed(visit.candidate);
    if (!changed.empty() && seen.insert(std::move(changed)).second) {
      best.push_back(visit);
    }
  }
  std::vector<Candidate> chosen;
  for (const Visit& visit : best) {
    const std::vector<std::size_t> changed = study_.space.changed(visit.candidate);
    const bool dominated = std::ranges::any_of(best, [&](const Visit& other) {
      const std::vector<std::size_t> less = study_.space.changed(other.candidate);
      return less.size() < changed.size() && is_part_of(less, changed) &&
             other.cost <= kSame * visit.cost;
    });
    if (!dominated && chosen.size() < most) {
      chosen.push_back(visit.candidate);
    }
  }
  return chosen;
}

Candidate PlanMaker::simplified(Candidate candidate) {
  const auto cost = [&](const Candidate& each) {
    return cost_of(assessed(each), each, study_.space, goal_, study_.present.assessment);
  };
  Cost now = cost(candidate);
  for (std::size_t axis = 0; axis < candidate.size(); ++axis) {
    if (candidate[axis] == 0) {
      continue;
    }
    Candidate without = candidate;
    without[axis] = 0;
    without = study_.space.canonical(std::move(without));
    const Cost then = cost(without);
    if (then <= now) {
      candidate = std::move(without);
      now = then;
    }
  }
  return candidate;
}

Candidate PlanMaker::without_ties(Candidate candidate) {
  const Prospect whole = study_.assessor.prospect(candidate);
  if (goal_ == Goal::memory || whole.work == nullptr || !study_.present.assessment.fits) {
    return candidate;
  }
  const sim::Comparison gain =
      sim::compare(*study_.present.work, *whole.work, study_.world.constants);
  if (gain.verdict != sim::Verdict::b) {
    return candidate;  // a tie with the recipe itself: a measurement would decide about all of it
  }
  std::vector<std::size_t> sizes;
  for (const std::size_t axis : study_.space.changed(candidate)) {
    if (study_.space.dimensions()[axis].axis->sets_sizes()) {
      sizes.push_back(axis);
    }
  }
  if (sizes.size() > 1) {
    candidate = without(candidate, sizes, whole).value_or(candidate);
  }
  while (true) {
    std::optional<Candidate> fewer;
    double shortest = 0;
    for (const std::size_t axis : study_.space.changed(candidate)) {
      std::optional<Candidate> less = without(candidate, {axis}, whole);
      const double step = less ? assessed(*less).step : 0;
      if (less && (!fewer || step < shortest)) {
        fewer = std::move(less);
        shortest = step;
      }
    }
    if (!fewer) {
      return candidate;
    }
    candidate = *std::move(fewer);
  }
}

std::optional<Candidate> PlanMaker::without(const Candidate& candidate,
                                            const std::vector<std::size_t>& axes,
                                            const Prospect& whole) {
  Candidate less = candidate;
  for (const std::size_t axis : axes) {
    less[axis] = 0;
  }
  less = study_.space.canonical(std::move(less));
  const Assessment& assessment = assessed(less);
  if (!assessment.usable() || assessment.left > whole.assessment.left ||
      assessment.step > kMostLost * whole.assessment.step) {
    return std::nullopt;
  }
  const Prospect prospect = study_.assessor.prospect(less);
  const bool tie =
      prospect.work != nullptr &&
      sim::compare(*prospect.work, *whole.work, study_.world.constants).verdict != sim::Verdict::b;
  return tie ? std::optional(std::move(less)) : std::nullopt;
}

Candidate PlanMaker::pruned(Candidate candidate) {
  constexpr double kNoGain = 1.001;  // two runs of the same recipe differ by more
  if (goal_ == Goal::memory || !study_.present.assessment.fits) {
    return candidate;
  }
  const double most = kNoGain * assessed(candidate).step;
  const int left = assessed(candidate).left;
  for (bool found = true; found;) {
    found = false;
    const std::vector<std::size_t> changed = study_.space.changed(candidate);
    // features before the layout that they stand on
    for (auto axis = changed.rbegin(); axis != changed.rend() && !found; ++axis) {
      Candidate less = candidate;
      less[*axis] = 0;
      less = study_.space.canonical(std::move(less));
      const Assessment& without = assessed(less);
      found = !study_.space.changed(less).empty() && without.usable() && without.left <= left &&
              without.step <= most;
      candidate = found ? std::move(less) : candidate;
    }
  }
  return candidate;
}

const Assessment& PlanMaker::assessed(const Candidate& candidate) {
  auto found = assessed_.find(candidate);
  if (found == assessed_.end()) {
    found = assessed_.emplace(candidate, study_.assessor.assess(candidate)).first;
  }
  return found->second;
}

Candidate PlanMaker::undominated(Candidate candidate) {
  constexpr std::size_t kMost = 400;
  const std::string documented = documented_dispatcher(study_);
  Standing own = standing_of(candidate, assessed(candidate), study_.space);
  const std::vector<std::size_t> axes = own_axes(candidate, study_.space, documented);
  const std::vector<Candidate> others = combinations_of(candidate, axes, study_.space, kMost);
  // what rules require besides changes a step by less
  constexpr double kMargin = 1.02;
  const auto may_be_better = [&](const Candidate& other) {
    if (assessed_.contains(other)) {
      return true;
    }
    const Assessment alone = study_.assessor.forecast(other);
    return alone.step <= kMargin * own.step && alone.needed_memory <= kMargin * own.memory;
  };
  for (const Candidate& other : others) {
    if (!may_be_better(other)) {
      continue;
    }
    const Assessment& assessment = assessed(other);
    if (!assessment.usable() || assessment.left > assessed(candidate).left ||
        study_.space.changed(other).empty()) {
      continue;
    }
    const Standing standing = standing_of(other, assessment, study_.space);
    if (dominates(standing, own)) {
      candidate = other;
      own = standing;
    }
  }
  return candidate;
}

void PlanMaker::remove_dominated(std::vector<Plan>& plans, const std::vector<Plan>& better) {
  const auto standing = [&](const Plan& plan) {
    return standing_of(plan.candidate, assessed(plan.candidate), study_.space);
  };
  std::vector<Standing> good;
  for (const Plan& plan : better) {
    good.push_back(standing(plan));
  }
  std::erase_if(plans, [&](const Plan& plan) {
    const Standing own = standing(plan);
    return std::ranges::any_of(good, [&](const Standing& each) { return dominates(each, own); });
  });
}

void PlanMaker::remove_needless(std::vector<Plan>& plans) {
  std::vector<Plan> kept;
  std::vector<Standing> told;
  for (Plan& plan : plans) {
    const Standing own = standing_of(plan.candidate, assessed(plan.candidate), study_.space);
    if (std::ranges::none_of(told, [&](const Standing& each) { return adds_nothing(own, each); })) {
      told.push_back(own);
      kept.push_back(std::move(plan));
    }
  }
  plans = std::move(kept);
}

void PlanMaker::list_changes(const Candidate& candidate, const Prospect& prospect, Plan& plan) {
  const Evaluator& plain = study_.assessor.cache().plain();
  const auto removes_nothing = [&](const Edit& edit) { return edit.drop && plain.is_idle(edit); };
  std::set<std::string> listed;
  for (const std::size_t axis : study_.space.changed(candidate)) {
    Candidate alone = study_.space.start();
    alone[axis] = candidate[axis];
    const Axis& of = *study_.space.dimensions()[axis].axis;
    for (const Edit& edit : study_.space.edits(alone)) {
      const Edit* whole = find_edit(prospect.assessment.edits, edit.field);
      if (whole != nullptr && removes_nothing(*whole)) {
        continue;
      }
      const bool launched = edit.field.starts_with(kVariable) &&
                            !study_.assessor.cache().plain().has_place(edit.field);
      if (launched) {
        listed.insert(edit.field);
      } else if (whole != nullptr && listed.insert(edit.field).second) {
        const std::vector<std::string>& alters = study_.space.move(candidate, of.name)->alters;
        const bool trains = std::ranges::find(alters, edit.field) != alters.end();
        plan.changes.push_back(
            change_of(*whole, trains ? lint::Tier::training : of.tier, of.name, plain));
      }
    }
  }
  // the layout of the stages, if none of the axes has one alone
  for (const Edit& edit : study_.space.edits(candidate)) {
    if (!removes_nothing(edit) && listed.insert(edit.field).second) {
      plan.changes.push_back(change_of(edit, lint::Tier::performance, "layout", plain));
    }
  }
  list_companions(prospect, plan);
}

void PlanMaker::list_companions(const Prospect& prospect, Plan& plan) {
  const Evaluator& plain = study_.assessor.cache().plain();
  for (const Companion& companion : prospect.assessment.companions) {
    for (const Edit& edit : companion.edits) {
      if (!edit.field.starts_with(kVariable) || plain.has_place(edit.field)) {
        plan.changes.push_back(
            change_of(edit, lint::Tier::performance, std::string(companion.rule->id), plain));
      }
    }
  }
}

namespace {

void add_bring_up(const Axis& axis, const Move& move, Plan& plan) {
  if (move.plain) {
    return;
  }
  plan.risk = std::max(plan.risk, move.risk);
  if (move.risk > Risk::low) {
    plan.risks.push_back(move.because);
  }
  plan.bring_up.push_back({axis.order, title_of(axis, move), axis.check});
}

}  // namespace

void PlanMaker::list_bring_up(const Candidate& candidate, const Prospect& prospect, Plan& plan) {
  const std::vector<std::size_t> changed = study_.space.changed(candidate);
  for (const std::size_t axis : changed) {
    add_bring_up(*study_.space.dimensions()[axis].axis, *study_.space.move(candidate, axis), plan);
  }
  // sizes that rules require besides, such as fewer expert ranks
  for (const Companion& companion : prospect.assessment.companions) {
    if (companion.edits.empty() || companion.edits.front().drop) {
      continue;
    }
    const Edit& edit = companion.edits.front();
    for (std::size_t i = 0; i < study_.space.dimensions().size(); ++i) {
      const Axis& axis = *study_.space.dimensions()[i].axis;
      const auto move = std::ranges::find_if(
          axis.moves, [&](const Move& each) { return each.gives(edit.field, edit.value); });
      if (axis.sets_sizes() && move != axis.moves.end() &&
          std::ranges::find(changed, i) == changed.end()) {
        add_bring_up(axis, *move, plan);
      }
    }
  }
  std::ranges::stable_sort(plan.bring_up, {}, &BringUp::order);
  std::ranges::sort(plan.risks);
  plan.risks.erase(std::unique(plan.risks.begin(), plan.risks.end()), plan.risks.end());
}

namespace {

/// Whether the user sets this variable: a trainer's own value gives way to the launch's.
bool is_chosen(std::string_view field, const session::Analysis& base) {
  const std::string name(field.substr(kVariable.size()));
  const auto written = base.recipe->variables.find(name);
  return base.target->environment.contains(name) ||
         (written != base.recipe->variables.end() && !written->second.key.nowhere());
}

}  // namespace

void PlanMaker::list_environment(const Candidate& candidate, const Prospect& prospect, Plan& plan) {
  const Edits& edits = prospect.assessment.edits;
  Evaluator* evaluator = study_.assessor.cache().evaluator(edits);
  std::map<std::string, std::string> variables;
  for (const Edit& edit : edits) {
    if (edit.field.starts_with(kVariable) && !evaluator->has_place(edit.field)) {
      variables[edit.field.substr(kVariable.size())] = edit.value.to_text();
    }
  }
  for (std::size_t axis = 0; axis < candidate.size(); ++axis) {
    const Move* move = study_.space.move(candidate, axis);
    for (const std::string& id : move == nullptr ? std::vector<std::string>() : move->launch) {
      const lint::Rule* rule = study_.world.base.knowledge().find(id);
      for (const Edits& fix : evaluator->fixes_of(*rule, edits, study_.world.highest)) {
        const bool launch_only = std::ranges::all_of(
            fix, [](const Edit& edit) { return edit.field.starts_with(kVariable); });
        if (!launch_only || is_chosen(fix.front().field, study_.world.base)) {
          continue;
        }
        Edits all = edits;
        all.insert(all.end(), fix.begin(), fix.end());
        if (evaluator->concerns(*rule, all) && study_.assessor.is_legal(all)) {
          variables.emplace(fix.front().field.substr(kVariable.size()),
                            fix.front().value.to_text());
        }
        break;
      }
    }
  }
  plan.environment.assign(variables.begin(), variables.end());
}

namespace {

bool is_section(const recipe::Recipe& recipe, std::string_view field) {
  return field.find('.') == std::string_view::npos && recipe.sections.contains(field);
}

/// The text with a block of the top level replaced by one line; empty if there is no such block.
std::string with_line(const std::string& text, const std::string& key, const std::string& value) {
  const std::string head = key + ":";
  std::size_t from = text.starts_with(head) ? 0 : text.find("\n" + head);
  if (from == std::string::npos) {
    return "";
  }
  from += text[from] == '\n' ? 1U : 0U;
  std::size_t to = text.find('\n', from);
  while (to != std::string::npos && to + 1 < text.size() &&
         (text[to + 1] == ' ' || text[to + 1] == '-')) {
    to = text.find('\n', to + 1);
  }
  const std::string rest = to == std::string::npos ? "" : text.substr(to);
  return text.substr(0, from) + head + " " + value + rest;
}

}  // namespace

session::Draft draft_with(const Edits& edits,
                          const EvaluatorCache& cache,
                          const session::Analysis& base,
                          std::string& obstacle) {
  lint::Fix fix;
  Edits sections;  // replaced by a word
  for (const Edit& edit : edits) {
    const bool outside = edit.field.starts_with(kVariable) && !cache.plain().has_place(edit.field);
    if (is_section(cache.recipe(), edit.field) && edit.value.text() != nullptr) {
      sections.push_back(edit);
    } else if (!outside) {
      fix.edits.push_back(cache.plain().spelled(edit));
    }
  }
  session::Draft draft =
      fix::changed(base, fix::change_of(fix, cache.recipe(), base.vocabulary()), obstacle);
  for (const Edit& edit : sections) {
    std::string text = with_line(draft.bytes, edit.field, edit.value.to_text());
    if (text.empty()) {
      obstacle = fmt::format("`{}` is a whole section", edit.field);
    } else if (obstacle.empty()) {
      draft.bytes = std::move(text);
    }
  }
  return draft;
}

Edits PlanMaker::with_variables(Edits edits, Plan& plan) {
  const Evaluator& plain = study_.assessor.cache().plain();
  std::erase_if(plan.environment, [&](const std::pair<std::string, std::string>& variable) {
    const std::string field = std::string(kVariable) + variable.first;
    const bool placed = plain.has_place(field);
    if (placed) {
      edits.push_back({field, expr::Value::of(variable.second), false});
      plan.changes.push_back(change_of(edits.back(), lint::Tier::performance, "launch", plain));
    }
    return placed;
  });
  return edits;
}

void PlanMaker::write(const Edits& edits, Plan& plan) {
  const session::Analysis& base = study_.world.base;
  plan.draft = draft_with(edits, study_.assessor.cache(), base, plan.obstacle);
  if (plan.obstacle.empty()) {
    // a patch of the file as it is, with the fixes made before
    const auto& file = base.document->request.file;
    plan.diff = text::unified_diff(
        file ? file->name() : "", base.document->draft().bytes, plan.draft.bytes);
  }
}

bool PlanMaker::verify(Plan& plan) {
  const session::Analysis& base = study_.world.base;
  facts::Target target = *base.target;
  for (const auto& [name, value] : plan.environment) {
    target.environment[name] = value;
  }
  const fix::Verdict before = fix::verdict_of(base);
  const fix::Verdict after = fix::verdict_of(base.with(plan.draft).on(target));
  return after.launch <= before.launch &&
         std::ranges::all_of(after.problems, [&](const std::string& problem) {
           return std::ranges::binary_search(before.problems, problem);
         });
}

Candidate PlanMaker::with_documented_dispatcher(Candidate candidate) {
  const int at = study_.space.index("dispatcher");
  const Move* own = study_.space.move(candidate, "dispatcher");
  if (at < 0 || goal_ == Goal::memory || own == nullptr) {
    return candidate;
  }
  const Space::Dimension& dimension = study_.space.dimensions()[static_cast<std::size_t>(at)];
  for (const std::string& name : documented_dispatchers(study_)) {
    if (name == own->name) {
      return candidate;
    }
    const Candidate other = study_.space.with(candidate, "dispatcher", name);
    if (!dimension.allows(other[static_cast<std::size_t>(at)]) ||
        study_.space.changed(other).size() + 1 < study_.space.changed(candidate).size()) {
      return candidate;  // another move of the candidate needs its dispatcher
    }
    const Prospect documented = study_.assessor.prospect(other);
    if (documented.work != nullptr && documented.assessment.usable()) {
      return is_tie(candidate, other, documented) ? other : candidate;
    }
  }
  return candidate;
}

/// Whether the documented one may be taken instead: too close to call, and not a plan that gains
/// turned into one that loses.
bool PlanMaker::is_tie(const Candidate& candidate,
                       const Candidate& other,
                       const Prospect& documented) {
  const Prospect its = study_.assessor.prospect(candidate);
  const bool longer = study_.space.changed(other).size() > study_.space.changed(candidate).size();
  if (its.work == nullptr || study_.space.changed(other).empty() ||
      (longer && documented.assessment.costs_as(its.assessment))) {  // no tokens are exchanged
    return false;
  }
  const double present = study_.present.assessment.step;
  const double step = documented.assessment.step;
  return (step <= present || its.assessment.step > present) &&
         step <= kMostDeferred * its.assessment.step &&
         sim::compare(*documented.work, *its.work, study_.world.constants).verdict !=
             sim::Verdict::b;
}

const Precedent* PlanMaker::precedent_of(const Candidate& candidate) const {
  const Move* precision = study_.space.move(candidate, "precision");
  const std::string_view name = precision == nullptr ? "" : std::string_view(precision->name);
  const int axis = study_.space.index("precision");
  const auto found = std::ranges::find_if(precedents_, [&](const Precedent& each) {
    const std::vector<std::size_t> changed = study_.space.changed(each.candidate);
    const bool differs =
        std::ranges::any_of(changed, [&](std::size_t i) { return static_cast<int>(i) != axis; });
    return !each.special && each.precision == name &&
           differs;  // one that equals the recipe recommends nothing
  });
  return found == precedents_.end() ? nullptr : &*found;
}

namespace {

/// All axes; those of the layout; each other one.
std::vector<std::vector<std::size_t>> groups_of_axes(const Space& space) {
  std::vector<std::vector<std::size_t>> groups(2);
  for (std::size_t axis = 0; axis < space.dimensions().size(); ++axis) {
    groups[0].push_back(axis);
    if (space.dimensions()[axis].axis->sets_sizes()) {
      groups[1].push_back(axis);
    } else {
      groups.push_back({axis});
    }
  }
  return groups;
}

}  // namespace

Candidate PlanMaker::with_precedent(Candidate candidate) {
  const Precedent* precedent = goal_ == Goal::speed ? precedent_of(candidate) : nullptr;
  if (precedent == nullptr) {
    return candidate;
  }
  const Prospect its = study_.assessor.prospect(candidate);
  if (its.work == nullptr || !study_.present.assessment.fits) {
    return candidate;
  }
  const sim::ConstantTable& constants = study_.world.constants;
  const bool gains =
      sim::compare(*study_.present.work, *its.work, constants).verdict == sim::Verdict::b;
  const auto is_as_good = [&](const Candidate& other, double most) {
    const Assessment& assessment = assessed(other);
    if (!assessment.usable() || assessment.step > most * its.assessment.step) {
      return false;
    }
    const Prospect prospect = study_.assessor.prospect(other);
    return prospect.work != nullptr &&
           sim::compare(*prospect.work, *its.work, constants).verdict != sim::Verdict::b &&
           (!gains || sim::compare(*study_.present.work, *prospect.work, constants).verdict ==
                          sim::Verdict::b);
  };
  const auto with = [&](const Candidate& from, const std::vector<std::size_t>& axes) {
    Candidate other = from;
    for (const std::size_t axis : axes) {
      const bool differs = axes.size() > 1 || precedent->candidate[axis] != 0;
      other[axis] = precedent->known[axis] && differs ? precedent->candidate[axis] : other[axis];
    }
    return study_.space.canonical(std::move(other));
  };
  const std::vector<std::vector<std::size_t>> groups = groups_of_axes(study_.space);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Candidate other = with(candidate, groups[i]);
    if (other != candidate && is_as_good(other, i == 0 ? kMostAsShipped : kMostDeferred)) {
      candidate = std::move(other);
    }
  }
  return candidate;
}

std::optional<Plan> PlanMaker::make(const Candidate& candidate) {
  Candidate chosen =
      with_precedent(with_documented_dispatcher(without_ties(simplified(candidate))));
  if (study_.space.changed(chosen).empty()) {
    return std::nullopt;
  }
  if (goal_ != Goal::memory) {
    chosen = with_chosen_sms(study_, std::move(chosen));
  }
  return make_exactly(undominated(pruned(std::move(chosen))));
}

std::optional<DocumentedInstead> PlanMaker::documented_instead(const Candidate& candidate,
                                                               const Prospect& prospect) {
  constexpr std::string_view kAxis = "dispatcher";
  const int at = study_.space.index(kAxis);
  const Move* own = study_.space.move(candidate, kAxis);
  const std::string name = documented_dispatcher(study_);
  if (at < 0 || own == nullptr || name.empty() || own->name == name ||
      candidate[static_cast<std::size_t>(at)] == 0) {
    return std::nullopt;
  }
  DocumentedInstead instead;
  instead.name = name;
  Candidate other = study_.space.with(candidate, kAxis, name);
  for (const std::size_t axis : study_.space.changed(candidate)) {
    const Axis& of = *study_.space.dimensions()[axis].axis;
    if (static_cast<int>(axis) != at && !of.sweep && other[axis] != candidate[axis]) {
      instead.lost = title_of(of, *study_.space.move(candidate, axis));
      return instead;
    }
  }
  if (!study_.space.possible(other)) {
    instead.legality.reason = study_.assessor.cache().plain().missing_text();
    return instead;
  }
  other = with_chosen_sms(study_, std::move(other));
  const Prospect theirs = study_.assessor.prospect(other);
  instead.legality = legality_of(theirs, study_.assessor.cache().plain());
  instead.fits = theirs.assessment.fits;
  instead.needed_memory = theirs.assessment.needed_memory;
  if (theirs.work != nullptr) {
    instead.step = step_range(*theirs.work, study_.world);
    instead.verdict = sim::compare(*theirs.work, *prospect.work, study_.world.constants).verdict;
  }
  return instead;
}

std::optional<Plan> PlanMaker::make_exactly(const Candidate& chosen) {
  const Prospect prospect = study_.assessor.prospect(chosen);
  if (study_.space.changed(chosen).empty() || prospect.work == nullptr ||
      !prospect.assessment.usable()) {
    return std::nullopt;
  }
  Plan plan;
  plan.candidate = chosen;
  list_changes(chosen, prospect, plan);
  list_environment(chosen, prospect, plan);
  write(with_variables(prospect.assessment.edits, plan), plan);
  list_bring_up(chosen, prospect, plan);
  if (plan.obstacle.empty() && !verify(plan)) {
    return std::nullopt;
  }
  const sim::Comparison comparison =
      sim::compare(*study_.present.work, *prospect.work, study_.world.constants);
  plan.speedup = comparison.speedup;
  plan.verdict = comparison.verdict;
  plan.event_speedup = comparison.speedup.value * event_factor_ /
                       event_factor(*prospect.work, study_.world.constants.values);
  // closed form and event simulation disagree
  if (plan.verdict == sim::Verdict::b && plan.event_speedup <= 1) {
    plan.verdict = sim::Verdict::too_close;
  }
  plan.settles = prospect.assessment.settles;
  plan.step = step_range(*prospect.work, study_.world);
  plan.waterfall = sim::waterfall_of(*prospect.work, study_.world.constants.values);
  plan.needed_memory = prospect.assessment.needed_memory;
  plan.memory_limit = prospect.job->machine.memory;
  if (goal_ == Goal::memory) {
    plan.saved_memory = study_.present.assessment.needed_memory - plan.needed_memory;
  }
  plan.out_of_memory = prospect.assessment.out_of_memory;
  plan.documented = documented_instead(chosen, prospect);
  if (plan.verdict == sim::Verdict::too_close) {
    plan.measurement = deciding_measurement(
        *study_.present.work, *prospect.work, study_.world.constants, study_.knowledge);
  }
  return plan;
}

}  // namespace epwise::advise
