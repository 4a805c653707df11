#include "advise/comparison_tables.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "advise/decision.h"
#include "base/text/ascii.h"
#include "perf/sim/prediction/comparison.h"
#include "perf/sim/step/candidates.h"
#include "perf/sim/step/step.h"
#include "perf/workload/workload.h"

namespace epwise::advise {

namespace {

constexpr std::string_view kDispatcher = "dispatcher";

/// Documented advice about a dispatcher on this hardware with this number of expert ranks.
std::string guidance_for(std::string_view name, const Study& study) {
  const std::string& architecture = study.world.base.target->hw->architecture;
  std::vector<std::string> words;
  bool known = false;
  for (const Guideline& line : study.knowledge.by_hardware) {
    const bool fits =
        text::is_one_of(architecture, line.architectures) || (line.architectures.empty() && !known);
    known = known || text::is_one_of(architecture, line.architectures);
    if (fits && text::is_one_of(name, line.names)) {
      words.push_back(line.says);
    }
  }
  const int ranks = study.present.job->parallel.expert * study.present.job->parallel.expert_tensor;
  for (const Guideline& line : study.knowledge.by_experts) {
    const bool here =
        line.architectures.empty() || text::is_one_of(architecture, line.architectures);
    if (ranks <= line.up_to && here) {
      if (text::is_one_of(name, line.names)) {
        words.push_back(line.says);
      }
      break;
    }
  }
  std::string text;
  for (const std::string& each : words) {
    text += (text.empty() ? "" : "; ") + each;
  }
  return text;
}

struct Row {
  DispatcherRow row;
  Prospect prospect;
};

bool is_tie(const Row& a, const Row& b, const Study& study) {
  return sim::compare(*a.prospect.work, *b.prospect.work, study.world.constants).verdict ==
         sim::Verdict::too_close;
}

void rank_rows(std::vector<Row>& rows, const Study& study) {
  const auto is_ranked = [](const Row& row) {
    return row.row.legality.legal && row.row.step.has_value();
  };
  std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
    if (is_ranked(a) != is_ranked(b)) {
      return is_ranked(a);
    }
    return is_ranked(a) && a.row.step->value < b.row.step->value;
  });
  // a tie goes the documents' way
  const auto documented = std::ranges::find(
      rows, documented_dispatcher(study), [](const Row& row) { return row.row.name; });
  if (documented != rows.end() && documented != rows.begin() && is_ranked(*documented) &&
      documented->row.fits >= rows.front().row.fits && is_tie(*documented, rows.front(), study)) {
    documented->row.documented = true;
    std::rotate(rows.begin(), documented, documented + 1);
  }
  for (std::size_t i = 0; i < rows.size() && is_ranked(rows[i]); ++i) {
    DispatcherRow& row = rows[i].row;
    row.rank = static_cast<int>(i) + 1;
    if (i == 0) {
      continue;
    }
    const sim::StepWork& first = *rows.front().prospect.work;
    const sim::StepWork& own = *rows[i].prospect.work;
    row.tie = sim::compare(own, first, study.world.constants).verdict == sim::Verdict::too_close;
    if (row.tie) {
      rows.front().row.tie = true;
      row.measurement = deciding_measurement(own, first, study.world.constants, study.knowledge);
    }
  }
}

}  // namespace

namespace {

bool is_opposite(std::string_view a, std::string_view b) {
  return (a == "true" && b == "false") || (a == "false" && b == "true");
}

std::string words_text(const expr::Value::List& items) {
  std::string text;
  for (const expr::Value& item : items) {
    text += (text.empty() ? "" : " ") + item.to_text();
  }
  return text;
}

}  // namespace

PlanChange change_of(const Edit& edit,
                     lint::Tier tier,
                     std::string why,
                     const Evaluator& evaluator) {
  const lint::Fix::Edit spelled = evaluator.spelled(edit);
  PlanChange change;
  change.field = spelled.field;
  change.from = evaluator.is_written(edit.field) ? evaluator.written_text(edit.field) : "";
  // null in the trainer's own word
  change.to = edit.drop ? "" : edit.value.is_unset() ? spelled.value : edit.value.to_text();
  if (spelled.remove) {  // a switch that says no goes
    change.to = "";
  } else if (is_opposite(change.to,
                         spelled.value)) {  // --no-check-…: true where the field is false
    change.to = spelled.value;
    change.from = change.from.empty() ? "" : change.from == "true" ? "false" : "true";
  }
  if (!edit.drop && edit.value.list() != nullptr && change.field.starts_with("--")) {
    change.to = words_text(*edit.value.list());
    change.several = true;
  }
  change.tier = tier;
  change.why = std::move(why);
  return change;
}

std::string assignment_text(const PlanChange& change) {
  if (change.to.empty()) {
    return "no " + change.field;
  }
  if (!change.field.starts_with("--")) {
    return change.field + '=' + change.to;
  }
  return change.to == "true"    ? change.field
         : change.to == "false" ? "no " + change.field
                                : change.field + ' ' + change.to;
}

std::string assignments_text(const std::vector<PlanChange>& changes) {
  std::string text;
  for (const PlanChange& change : changes) {
    text += (text.empty() ? "" : ", ") + assignment_text(change);
  }
  return text;
}

Legality legality_of(const Prospect& prospect, const Evaluator& evaluator) {
  const Assessment& assessment = prospect.assessment;
  Legality legality{assessment.legal, assessment.blocked, assessment.problem, {}, {}, {}};
  if (assessment.legal) {
    legality.companions = assessment.companions;
    legality.warned = assessment.warned;
    for (const Companion& companion : assessment.companions) {
      for (const Edit& edit : companion.edits) {
        legality.with.push_back(
            change_of(edit, lint::Tier::performance, std::string(companion.rule->id), evaluator));
      }
    }
  } else if (assessment.blocked != nullptr) {
    legality.reason = assessment.blocked->what;
  }
  return legality;
}

std::vector<std::string> documented_dispatchers(const Study& study, bool afterwards) {
  const std::string& architecture = study.world.base.target->hw->architecture;
  const bool bring_up = !afterwards && study.world.base.target->purpose == "bring-up";
  std::vector<std::string> names;
  for (const Guideline& line : study.knowledge.by_hardware) {
    const bool here = !bring_up && text::is_one_of(architecture, line.architectures);
    if (!line.names.empty() && (here || line.architectures.empty())) {
      names.push_back(line.names.front());  // the line for all other hardware is the last
    }
  }
  return names;
}

std::string documented_dispatcher(const Study& study) {
  const std::vector<std::string> names = documented_dispatchers(study);
  return names.empty() ? "" : names.front();
}

std::vector<DispatcherRow> dispatcher_table(const Study& study) {
  std::vector<Row> rows;
  const Axis* axis = study.knowledge.axis(kDispatcher);
  const Move* present = study.space.move(study.space.start(), kDispatcher);
  for (const Move& move : axis->moves) {
    const Candidate candidate = study.space.with(study.space.start(), kDispatcher, move.name);
    const bool own = present == &move;
    Row row;
    row.row.name = move.name;
    row.row.present = own;
    row.row.guidance = guidance_for(move.name, study);
    if (!own && !move.stack.empty() && !study.assessor.cache().plain().stack_has(move.stack)) {
      continue;
    }
    if (!own && !study.space.possible(candidate)) {
      row.row.legality.reason = study.assessor.cache().plain().missing_text();
      rows.push_back(std::move(row));
      continue;
    }
    row.prospect = own ? study.present : study.assessor.prospect(with_chosen_sms(study, candidate));
    row.row.legality = own ? Legality{true, nullptr, {}, {}, {}, {}}
                           : legality_of(row.prospect, study.assessor.cache().plain());
    if (row.prospect.work != nullptr) {
      row.row.step = step_range(*row.prospect.work, study.world);
      row.row.needed_memory = row.prospect.assessment.needed_memory;
      row.row.out_of_memory = row.prospect.assessment.out_of_memory;
      row.row.fits = row.prospect.assessment.fits;
      row.row.sms = row.prospect.job->exchange.sms;
    }
    rows.push_back(std::move(row));
  }
  rank_rows(rows, study);
  std::vector<DispatcherRow> table;
  for (Row& row : rows) {
    table.push_back(std::move(row.row));
  }
  return table;
}

namespace {

class Climb {
 public:
  explicit Climb(const Study& study) : study_(study) {}

  Ladder run() {
    Ladder ladder;
    bottom_ = study_.space.start();
    for (auto rung = study_.knowledge.ladder.rbegin(); rung != study_.knowledge.ladder.rend();
         ++rung) {
      const Axis* axis = study_.knowledge.axis(rung->axis);
      bottom_ = study_.space.with(bottom_, rung->axis, axis->moves.front().name);
    }
    below_ = study_.assessor.prospect(bottom_);
    // without any rung it may not be valid: then start from the recipe itself
    if (below_.work == nullptr) {
      bottom_ = study_.space.start();
      below_ = study_.present;
    }
    start_ = below_;
    at_ = bottom_;
    ladder.start = step_range(*start_.work, study_.world);
    for (const Rung& rung : study_.knowledge.ladder) {
      ladder.rungs.push_back(climb(rung));
    }
    return ladder;
  }

 private:
  struct Step {
    Candidate candidate;
    Prospect prospect;
    std::string move;
    std::string reason;  // without a move: why none can be taken here
  };

  /// Whether a move is to be shown rather than another: one that fits, then a valid one, then a fast
  /// one.
  static bool is_better(const Assessment& one, const Assessment& other) {
    const auto key = [](const Assessment& each) {
      return std::tuple(!each.usable(),
                        !each.legal,
                        each.step > 0 ? each.step : std::numeric_limits<double>::max());
    };
    return key(one) < key(other);
  }

  /// The best move of a rung on top of a candidate; the first if none is valid. What rules required of
  /// the candidate stays.
  Step best(const Rung& rung, const Candidate& from, const Prospect& below) {
    Step chosen;
    for (const std::string& move : rung.moves) {
      if (!study_.space.possible(rung.axis, move)) {
        continue;
      }
      Step step;
      step.candidate = study_.space.with(from, rung.axis, move);
      step.move = move;
      const Move* taken = study_.space.move(step.candidate, rung.axis);
      if (taken == nullptr || taken->name != move) {  // what it requires of other axes is not there
        chosen.reason = only_with(*study_.knowledge.axis(rung.axis), move);
        continue;
      }
      if (!study_.space.possible(step.candidate)) {
        continue;
      }
      step.prospect = study_.assessor.prospect(step.candidate, below.assessment.companions);
      if (chosen.move.empty() || is_better(step.prospect.assessment, chosen.prospect.assessment)) {
        chosen = std::move(step);
      }
    }
    return chosen;
  }

  /// "only with expert-parallel overlap: on"
  std::string only_with(const Axis& axis, const std::string& name) const {
    std::vector<Condition> conditions = axis.with;
    const std::vector<Condition>& own = axis.move(name)->with;
    conditions.insert(conditions.end(), own.begin(), own.end());
    std::string text;
    for (const Condition& condition : conditions) {
      const Axis& other = *study_.knowledge.axis(condition.axis);
      std::string titles;
      for (const std::string& each : condition.moves) {
        titles += (titles.empty() ? "" : " or ") + other.move(each)->title;
      }
      text += fmt::format("{} {}: {}", text.empty() ? "only with" : ",", other.what, titles);
    }
    return text;
  }

  RungState climb(const Rung& rung) {
    RungState state;
    state.name = rung.name;
    state.title = rung.title;
    const Step step = best(rung, at_, below_);
    state.move = step.move;
    if (const Move* move = study_.knowledge.axis(rung.axis)->move(step.move)) {
      state.move_title = move->title;
    }
    if (step.move.empty()) {
      state.legality.reason =
          step.reason.empty() ? study_.assessor.cache().plain().missing_text() : step.reason;
      return state;
    }
    const Move* present = study_.space.move(study_.space.start(), rung.axis);
    state.present = present != nullptr && present->name == step.move;
    state.legality = legality_of(step.prospect, study_.assessor.cache().plain());
    state.needs = needs_of(rung, step);
    if (step.prospect.work == nullptr) {
      return state;
    }
    const sim::ConstantTable& constants = study_.world.constants;
    state.out_of_memory = step.prospect.assessment.out_of_memory;
    state.fits = step.prospect.assessment.fits;
    state.step = step_range(*step.prospect.work, study_.world);
    const Ground ground = ground_of(below_, step.prospect);
    const sim::Comparison added = sim::compare(*ground.work, *step.prospect.work, constants);
    state.added = added.speedup;
    state.verdict = added.verdict;
    state.gainers = ground.gainers;
    state.gainers_gain = ground.gain;
    state.together = sim::compare(*start_.work, *step.prospect.work, constants).speedup;
    if (rung.behind.empty()) {
      const Step alone = best(rung, bottom_, start_);
      if (alone.prospect.work != nullptr) {
        const Ground own = ground_of(start_, alone.prospect);
        state.alone = sim::compare(*own.work, *alone.prospect.work, constants).speedup;
      }
    }
    // Also one that does not fit: the ladder is about time, and "added" means to all those above.
    below_ = step.prospect;
    at_ = step.candidate;
    return state;
  }

  /// What a rung is compared with: the candidate below, with those companions of the rung that make
  /// its step shorter without the rung. Their gain is not the rung's.
  struct Ground {
    std::shared_ptr<const sim::StepWork> work;
    std::vector<PlanChange> gainers;
    std::optional<sim::Range> gain;
  };

  Ground ground_of(const Prospect& below, const Prospect& with) {
    constexpr double kGain = 1.005;  // two runs of the same recipe differ by as much
    Ground ground{below.work, {}, std::nullopt};
    Edits edits = below.assessment.edits;
    for (const Companion& companion : with.assessment.companions) {
      const bool had = std::ranges::any_of(companion.edits, [&](const Edit& edit) {
        return find_edit(edits, edit.field) != nullptr;
      });
      if (had) {
        continue;
      }
      Edits more = edits;
      more.insert(more.end(), companion.edits.begin(), companion.edits.end());
      const Prospect without = study_.assessor.prospect(more);
      if (without.work == nullptr ||
          sim::compare(*ground.work, *without.work, study_.world.constants).speedup.value < kGain) {
        continue;
      }
      ground.work = without.work;
      edits = std::move(more);
      for (const Edit& edit : companion.edits) {
        ground.gainers.push_back(change_of(edit,
                                           lint::Tier::performance,
                                           std::string(companion.rule->id),
                                           study_.assessor.cache().plain()));
      }
    }
    if (!ground.gainers.empty()) {
      ground.gain = sim::compare(*below.work, *ground.work, study_.world.constants).speedup;
    }
    return ground;
  }

  std::vector<NeedState> needs_of(const Rung& rung, const Step& step) {
    std::vector<NeedState> states;
    const Move* move = study_.knowledge.axis(rung.axis)->move(step.move);
    const Edits edits = study_.space.edits(step.candidate);
    Evaluator* evaluator = study_.assessor.cache().evaluator(edits);
    if (move == nullptr || evaluator == nullptr) {
      return states;
    }
    const lint::Judgement judgement = evaluator->judge(edits);
    for (const Need& need : move->needs) {
      NeedState state;
      state.what = need.what;
      state.rule = study_.world.base.knowledge().find(need.rule);
      const auto fails = [&](const std::vector<const lint::Rule*>& rules) {
        return std::ranges::find(rules, state.rule) != rules.end();
      };
      state.met = !fails(judgement.failed) && !fails(judgement.explained);
      state.arranged = std::ranges::any_of(
          step.prospect.assessment.companions,
          [&](const Companion& companion) { return companion.rule == state.rule; });
      states.push_back(std::move(state));
    }
    return states;
  }

  const Study& study_;
  Candidate bottom_;
  Candidate at_;
  Prospect start_;
  Prospect below_;
};

}  // namespace

Ladder overlap_ladder(const Study& study) {
  return Climb(study).run();
}

namespace {

/// The recipe's job with a different SM count.
class Counts {
 public:
  Counts(const Prospect& prospect, const sim::Constants& constants)
      : job_(*prospect.job),
        like_(*prospect.work),
        constants_(constants) {}

  /// Valid until the next call.
  const sim::StepWork& with(int sms) {
    job_.exchange.sms = sms;
    work_ = sim::lower(job_, like_.machine, constants_, like_.stated);
    return work_;
  }

 private:
  workload::Workload job_;
  const sim::StepWork& like_;
  const sim::Constants& constants_;
  sim::StepWork work_;
};

/// The loss of the choice in the 90th percentile of a hundred draws.
double regret_of(const SmSweep& sweep, Counts& counts, const sim::ConstantTable& constants) {
  constexpr int kDraws = 64;
  const std::vector<sim::Constants> draws = draw_constants(constants, kDraws);
  std::vector<double> best(draws.size(), 0);
  std::vector<double> chosen(draws.size(), 0);
  for (const SmSweep::Point& point : sweep.points) {
    const sim::StepWork& work = counts.with(point.sms);
    for (std::size_t i = 0; i < draws.size(); ++i) {
      const double step = sim::evaluate(work, draws[i], {}).step;
      best[i] = best[i] > 0 ? std::min(best[i], step) : step;
      chosen[i] = point.sms == sweep.chosen ? step : chosen[i];
    }
  }
  std::vector<double> losses;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    losses.push_back(chosen[i] / best[i] - 1);
  }
  std::ranges::sort(losses);
  return losses[losses.size() * 9 / 10];
}

const Condition* dispatcher_of(const Axis& axis) {
  const bool one = axis.sweep && !axis.with.empty() && axis.with.front().moves.size() == 1;
  return one ? &axis.with.front() : nullptr;
}

/// Whether this candidate uses the dispatcher whose SM count the axis sets.
bool has_dispatcher(const Space& space, const Candidate& candidate, const Condition& condition) {
  const Move* move = space.move(candidate, condition.axis);
  return move != nullptr && move->name == condition.moves.front();
}

/// The counts that a plan may set: those of the flat region from the smallest on, then the others, the
/// fastest first.
std::vector<int> counts_in_order(const Axis& axis, const SmSweep& sweep) {
  std::vector<SmSweep::Point> points;
  for (const Move& move : axis.moves) {
    const int count = std::atoi(move.name.c_str());
    const auto point = std::ranges::find(sweep.points, count, &SmSweep::Point::sms);
    if (point != sweep.points.end()) {
      points.push_back(*point);
    }
  }
  std::ranges::stable_sort(points, {}, [&](const SmSweep::Point& point) {
    const bool flat = point.sms >= sweep.flat_from && point.sms <= sweep.flat_to;
    return std::pair(!flat, flat ? static_cast<double>(point.sms) : point.step);
  });
  std::vector<int> counts;
  for (const SmSweep::Point& point : points) {
    counts.push_back(point.sms);
  }
  return counts;
}

/// Whether the recipe itself uses the dispatcher whose SM count the axis sets.
bool is_in_use(const Study& study, const Axis& axis) {
  return has_dispatcher(study.space, study.space.start(), *dispatcher_of(axis));
}

/// The first of the counts that the rules allow. The present one if the candidate may not change it,
/// or if the gain is not certain; but a likely gain is enough for a dispatcher that the recipe does
/// not use yet: it has no count to keep.
Candidate best_count(const Study& study,
                     const Axis& axis,
                     const Candidate& plain,
                     const Prospect& prospect,
                     const SmSweep& sweep) {
  if (sweep.present >= sweep.flat_from && sweep.present <= sweep.flat_to) {
    return plain;
  }
  for (const int count : counts_in_order(axis, sweep)) {
    const Candidate other = study.space.with(plain, axis.name, std::to_string(count));
    const Prospect faster = study.assessor.prospect(other);
    const bool costs_more = !is_in_use(study, axis) && !faster.assessment.companions.empty();
    if (faster.work != nullptr && faster.assessment.usable() && !costs_more) {
      const auto verdict =
          sim::compare(*prospect.work, *faster.work, study.world.constants).verdict;
      constexpr double kWorth = 0.95;  // below, the default of the other dispatcher is as good
      const bool worth = !is_in_use(study, axis) && verdict != sim::Verdict::a &&
                         faster.assessment.step < kWorth * prospect.assessment.step;
      return verdict == sim::Verdict::b || worth ? other : plain;
    }
  }
  return plain;
}

struct Swept {
  SmSweep sweep;
  Candidate chosen;
};

/// `plain` keeps the recipe's SM count. No points if nothing is exchanged, or the candidate cannot
/// be predicted.
Swept swept(const Study& study, const Axis& axis, const Candidate& plain) {
  Swept result;
  result.chosen = plain;
  const Prospect prospect = study.assessor.prospect(plain);
  const bool own = plain == study.space.start();
  if ((!own && !prospect.assessment.legal) || prospect.work == nullptr) {
    return result;
  }
  SmSweep& sweep = result.sweep;
  sweep.dispatcher = dispatcher_of(axis)->moves.front();
  sweep.in_use = is_in_use(study, axis);
  sweep.present = prospect.job->exchange.sms;
  const sim::SmSweep found =
      sim::sm_sweep(*prospect.work, study.world.constants.values, most_sms(axis));
  for (const sim::SmPoint& point : found.points) {
    sweep.points.push_back({point.sms, point.step});
  }
  if (sweep.points.empty()) {
    return result;
  }
  sweep.flat_from = found.flat_from;
  sweep.flat_to = found.flat_to;
  result.chosen = best_count(study, axis, plain, prospect, sweep);
  sweep.chosen = sweep.present;
  if (result.chosen != plain) {
    sweep.chosen = std::atoi(study.space.move(result.chosen, axis.name)->name.c_str());
  }
  Counts counts(prospect, study.world.constants.values);
  sweep.regret = regret_of(sweep, counts, study.world.constants);
  return result;
}

}  // namespace

int most_sms(const Axis& axis) {
  int most = 0;
  for (const Move& move : axis.moves) {
    most = std::max(most, std::atoi(move.name.c_str()));
  }
  return most;
}

std::vector<SmSweep> sm_sweeps(const Study& study, const Candidate* plan) {
  std::vector<SmSweep> sweeps;
  for (const Axis& axis : study.knowledge.axes) {
    const Condition* condition = dispatcher_of(axis);
    const int at = study.space.index(axis.name);
    if (condition == nullptr || at < 0) {
      continue;
    }
    const bool planned = plan != nullptr && has_dispatcher(study.space, *plan, *condition);
    const Candidate alone =
        study.space.with(study.space.start(), condition->axis, condition->moves.front());
    Candidate candidate = planned ? *plan : alone;
    candidate[static_cast<std::size_t>(at)] = 0;
    if (!study.space.possible(candidate)) {
      continue;
    }
    candidate = study.space.canonical(std::move(candidate));
    Swept each = swept(study, axis, candidate);
    each.sweep.of_plan = planned && candidate != alone;
    if (!each.sweep.points.empty()) {
      sweeps.push_back(std::move(each.sweep));
    }
  }
  return sweeps;
}

Candidate with_chosen_sms(const Study& study, Candidate candidate) {
  for (const Axis& axis : study.knowledge.axes) {
    const Condition* condition = dispatcher_of(axis);
    const int at = study.space.index(axis.name);
    if (condition == nullptr || at < 0 || !has_dispatcher(study.space, candidate, *condition) ||
        !study.space.dimensions()[static_cast<std::size_t>(at)].open) {
      continue;
    }
    Candidate plain = candidate;
    plain[static_cast<std::size_t>(at)] = 0;
    Swept each = swept(study, axis, study.space.canonical(std::move(plain)));
    if (!each.sweep.points.empty()) {
      candidate = std::move(each.chosen);
    }
  }
  return candidate;
}

}  // namespace epwise::advise
