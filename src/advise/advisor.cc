#include "advise/advisor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "advise/comparison_tables.h"
#include "advise/decision.h"
#include "advise/diagnosis.h"
#include "advise/exploration.h"
#include "advise/measurement.h"
#include "advise/plan_maker.h"
#include "advise/search.h"
#include "advise/starting_points.h"
#include "base/text/line_diff.h"
#include "fix/change.h"
#include "fix/plan.h"
#include "perf/sim/prediction/prediction.h"
#include "perf/sim/step/step.h"
#include "perf/sim/step/waterfall.h"

namespace epwise::advise {

namespace {

/// The recipe after fixing errors, and the applied fixes.
struct Mended {
  session::Analysis recipe;
  std::vector<fix::Repair> repairs;
  std::vector<const lint::Rule*> left;  // errors that no fix settles
  std::string diff;
};

Mended mend(const session::Analysis& base) {
  Mended mended{base, {}, {}, {}};
  for (const lint::Tier tier : {lint::Tier::performance, lint::Tier::training}) {
    if (session::count_errors(mended.recipe.result) == 0) {
      break;
    }
    constexpr fix::Bounds kBounds{.options = 16, .looks = 200, .tidy = false};
    fix::Plan plan = fix::plan(mended.recipe, tier, kBounds);
    fix::append(mended.repairs, std::move(plan.repairs));
    mended.recipe = std::move(plan.after);
  }
  for (const lint::Finding& finding : mended.recipe.result.findings) {
    if (session::is_error(finding)) {
      mended.left.push_back(finding.rule);
    }
  }
  const auto& file = base.document->request.file;
  mended.diff =
      text::unified_diff(file ? file->name() : "", base.draft.bytes, mended.recipe.draft.bytes);
  return mended;
}

/// The recipe with the fixes that its purpose asks for before anything is measured.
void settle(const PurposeAdvice* purpose, session::Analysis& recipe, Advice& advice) {
  if (purpose == nullptr) {
    return;
  }
  for (const std::string& id : purpose->settles) {
    const auto found =
        std::ranges::find_if(recipe.result.findings, [&](const lint::Finding& finding) {
          return finding.rule->id == id && !finding.fixes.empty() &&
                 !finding.fixes.front().edits.empty();
        });
    if (found == recipe.result.findings.end()) {
      continue;
    }
    const lint::Fix& fix = found->fixes.front();
    std::string obstacle;
    session::Draft draft =
        fix::changed(recipe, fix::change_of(fix, *recipe.recipe, recipe.vocabulary()), obstacle);
    if (!obstacle.empty()) {
      continue;
    }
    fix::Repair repair = fix::repair_of(fix, *found);
    session::Analysis after = recipe.with(std::move(draft));
    if (after.result.launch.verdict <= recipe.result.launch.verdict) {
      advice.settled.push_back(std::move(repair));
      recipe = std::move(after);
    }
  }
}

/// What lint says of the recipe for its purpose alone: rules that ask for it.
std::vector<std::string> remarks_on(const session::Analysis& recipe) {
  constexpr std::string_view kPurpose = "purpose";
  std::vector<std::string> remarks;
  for (const lint::Finding& finding : recipe.result.findings) {
    const lint::Rule& rule = *finding.rule;
    const bool asks = rule.given_text.find(kPurpose) != std::string_view::npos ||
                      rule.assert_text.find(kPurpose) != std::string_view::npos;
    if (asks) {
      remarks.push_back(fmt::format("{} ({}){}{}",
                                    finding.message,
                                    rule.id,
                                    finding.fixes.empty() ? "" : ": ",
                                    finding.fixes.empty() ? "" : finding.fixes.front().title));
    }
  }
  return remarks;
}

/// The same world around another state of the recipe.
World around(const World& world, session::Analysis recipe) {
  World other = world;
  other.base = std::move(recipe);
  return other;
}

/// The inputs of a prediction, with their sources.
std::vector<workload::Input> inputs_of(const Prospect& prospect,
                                       const World& world,
                                       const std::vector<std::string>& measured) {
  const sim::Constants& constants = world.constants.values;
  workload::Workload job = *prospect.job;
  sim::note_assumptions(sim::constants().values, prospect.work->stated, job);
  const bool grace = job.machine.cpu == workload::Cpu::grace;
  sim::settle_inputs(measured, grace ? constants.host_arm : constants.host_x86, job.inputs);
  return job.inputs;
}

/// Fills in the values of the recipe itself; false if there is no prediction.
bool read_present(const World& world,
                  const Prospect& present,
                  const Request& request,
                  Advice& advice) {
  if (present.work == nullptr) {
    advice.missing = present.assessment.missing;
    if (advice.missing.empty()) {
      advice.missing.emplace_back().message = present.assessment.problem;
    }
    return false;
  }
  sim::CalibrationEffect effect = request.calibration.value_or(sim::CalibrationEffect{});
  advice.present = sim::predict_measured(*present.job,
                                         present.work->machine,
                                         sim::constants(),
                                         world.constants,
                                         world.measured,
                                         present.work->stated,
                                         effect);
  advice.inputs = inputs_of(present, world, effect.constants);
  if (request.calibration) {
    advice.calibration = std::move(effect);
  }
  advice.fits_risk = present.assessment.out_of_memory;
  return true;
}

/// Certainly better with respect to the goal, or it starts where the recipe does not.
bool is_clear(const Plan& plan, Goal goal, const Assessment& present) {
  if (!plan.settles.empty()) {
    return true;
  }
  constexpr double kLess = 0.97;  // of the memory
  if (goal == Goal::memory) {
    return plan.needed_memory < kLess * present.needed_memory;
  }
  return plan.verdict == sim::Verdict::b;
}

void sort_plans(Goal goal, std::vector<Plan>& plans) {
  std::ranges::stable_sort(plans, [&](const Plan& a, const Plan& b) {
    if (a.settles.size() != b.settles.size()) {
      return a.settles.size() > b.settles.size();
    }
    return goal == Goal::memory ? a.needed_memory < b.needed_memory : a.step.value < b.step.value;
  });
}

/// Of plans as fast as the first, one that moves no weights to other ranks, or fewer, comes first.
void prefer_lighter(const Space& space, Goal goal, std::vector<Plan>& plans) {
  constexpr double kSame = 1.01;
  if (plans.empty() || goal != Goal::speed) {
    return;
  }
  const auto weight = [&](const Plan& plan) {
    const std::vector<std::size_t> changed = space.changed(plan.candidate);
    const auto moved = std::ranges::count_if(changed, [&](std::size_t axis) {
      return space.dimensions()[axis].axis->group == "mapping";
    });
    return std::tuple(moved, plan.risk);
  };
  const Plan& fastest = plans.front();
  auto best = plans.begin();
  for (auto plan = plans.begin(); plan != plans.end(); ++plan) {
    const bool as_good = plan->step.value <= kSame * fastest.step.value &&
                         plan->settles.size() == fastest.settles.size();
    best = as_good && weight(*plan) < weight(*best) ? plan : best;
  }
  std::rotate(plans.begin(), best, best + 1);
}

void make_plans(const Study& study,
                const Request& request,
                const SearchResult& result,
                PlanMaker& maker,
                Advice& advice) {
  // The order of candidates is not that of the plans made from them: which is the first must not depend
  // on how many are shown.
  constexpr std::size_t kLeast = 5;
  const std::size_t most = std::max(request.top, kLeast);
  std::set<Candidate> made;
  for (const Candidate& candidate : maker.choose(result, 4 * most)) {
    if (advice.plans.size() >= most) {
      break;
    }
    std::optional<Plan> plan = maker.make(candidate);
    if (!plan || !made.insert(plan->candidate).second) {
      continue;
    }
    const bool clear = is_clear(*plan, request.goal, study.present.assessment);
    if (!clear && plan->verdict == sim::Verdict::a) {
      continue;
    }
    if (clear) {
      advice.plans.push_back(*std::move(plan));
    } else if (advice.close.size() < most) {
      advice.close.push_back(*std::move(plan));
    }
  }
  maker.remove_dominated(advice.close, advice.plans);
  maker.remove_dominated(advice.close, advice.close);
  maker.remove_dominated(advice.plans, advice.plans);
  if (request.goal != Goal::safe) {
    sort_plans(request.goal, advice.plans);
    prefer_lighter(study.space, request.goal, advice.plans);
    sort_plans(request.goal, advice.close);
  }
  if (request.goal == Goal::speed) {
    maker.remove_needless(advice.plans);
    maker.remove_needless(advice.close);
  }
  for (auto* plans : {&advice.plans, &advice.close}) {
    plans->erase(plans->begin() + static_cast<std::ptrdiff_t>(std::min(request.top, plans->size())),
                 plans->end());
  }
}

/// For a recipe that does not fit: means in the documents' order, then what the goal asks for: the
/// fastest that fits, or what needs the least memory.
void make_fitting_plans(const Study& study,
                        const Request& request,
                        PlanMaker& maker,
                        Advice& advice) {
  Fitting fitting = fit_first(study, request, maker);
  advice.fitting = true;
  advice.plans = std::move(fitting.plans);
  advice.shortage = fitting.shortage;
  if (fitting.seeds.empty()) {
    return;
  }
  if (request.goal == Goal::safe) {
    return;  // a search changes more than a person follows at once
  }
  Expedition expedition{&study.space, request.goal, {}, true};
  constexpr std::size_t kLooks = 1200;
  expedition.bounds.looks = kLooks;
  expedition.bounds.seeds = std::move(fitting.seeds);
  const SearchResult result = explore(study, request, std::move(expedition));
  advice.tally = {
      study.space.size(), result.looked_at, result.skipped, result.exhaustive, result.stopped};
  constexpr double kFaster = 0.97;
  if (result.visits.empty()) {
    return;
  }
  std::optional<Plan> fastest = maker.make(result.visits.front().candidate);
  const bool leanest = request.goal == Goal::memory;
  const auto better = [&](const Plan& plan) {
    return leanest ? plan.needed_memory < kFaster * advice.plans.back().needed_memory
                   : plan.step.value < kFaster * advice.plans.back().step.value;
  };
  if (fastest && (advice.plans.empty() || better(*fastest))) {
    fastest->means = leanest ? "the least memory of all" : "the fastest of all that fit";
    advice.plans.push_back(*std::move(fastest));
  }
}

/// The candidate with what documents leave out of a bring-up: a flex dispatcher, overlap, graphs.
Candidate plain_of(const Space& space, Candidate candidate) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPlain = {
      {{"dispatcher", "alltoall"}, {"wgrad", "off"}, {"overlap", "off"}, {"graphs", "none"}}};
  for (const auto& [axis, move] : kPlain) {
    const int at = space.index(axis);
    const Move* own = space.move(candidate, axis);
    const bool open = at >= 0 && space.dimensions()[static_cast<std::size_t>(at)].open;
    if (open && (own == nullptr || own->name != move)) {
      candidate = space.with(std::move(candidate), axis, move);
    }
  }
  return candidate;
}

std::vector<const Axis*> axes_in_order(const Knowledge& knowledge) {
  std::vector<const Axis*> axes;
  for (const Axis& axis : knowledge.axes) {
    axes.push_back(&axis);
  }
  std::ranges::stable_sort(axes, {}, &Axis::order);
  return axes;
}

/// Adds a valid feature of an axis to the candidate: the recipe's own, what documents recommend, or
/// the first. False if it has none here.
bool take_next(const Study& study, const Axis& axis, Candidate& at) {
  const Assessment before = study.assessor.assess(at);
  std::vector<std::string> names =
      documented_dispatchers(study, true);  // names of moves of that axis only
  if (const Move* own = study.space.move(study.space.start(), axis.name)) {
    names.insert(names.begin(), own->name);
  }
  std::ranges::transform(axis.moves, std::back_inserter(names), &Move::name);
  for (const std::string& name : names) {
    const Move* move = axis.move(name);
    if (move == nullptr || move->plain || !study.space.possible(axis.name, name)) {
      continue;
    }
    const Candidate next = study.space.with(at, axis.name, name);
    if (next == at || study.space.move(next, axis.name) != move) {
      continue;
    }
    const Assessment after = study.assessor.assess(next);
    if (after.legal && !after.costs_as(before)) {
      at = next;
      return true;
    }
  }
  return false;
}

/// First the plainest configuration that fits; then what to add, one at a time.
void make_bring_up_plan(const Study& study,
                        const Request& request,
                        PlanMaker& maker,
                        Advice& advice) {
  constexpr int kAfterLayout = 20;
  advice.bring_up = true;
  std::vector<Candidate> starts{study.space.start()};
  if (!study.present.assessment.fits) {
    Fitting fitting = fit_first(study, request, maker);
    advice.fitting = true;
    advice.shortage = fitting.shortage;
    starts = std::move(fitting.seeds);
  }
  for (const Candidate& start : starts) {
    std::optional<Plan> plan = maker.make_exactly(plain_of(study.space, start));
    if (plan) {
      plan->measurement.clear();
      plan->means = "all-to-all, without overlap and graphs; bring this up first";
      advice.plans.push_back(*std::move(plan));
      break;
    }
  }
  Candidate at = advice.plans.empty() ? study.space.start() : advice.plans.front().candidate;
  for (const Axis* axis : axes_in_order(study.knowledge)) {
    if (axis->order >= kAfterLayout && axis->group != "memory" && take_next(study, *axis, at)) {
      advice.next.push_back({axis->order, axis->what, axis->check});
    }
  }
}

void make_search_plans(const Study& study,
                       const Request& request,
                       PlanMaker& maker,
                       Advice& advice) {
  Expedition expedition{&study.space, request.goal, {}, true};
  std::vector<Precedent> precedents = precedents_of(study, request.freedom);
  expedition.bounds.seeds = starting_points(study, precedents);
  maker.prefer(std::move(precedents));
  const SearchResult result = explore(study, request, std::move(expedition));
  advice.tally = {
      study.space.size(), result.looked_at, result.skipped, result.exhaustive, result.stopped};
  make_plans(study, request, result, maker, advice);
}

void make_plans_for_purpose(const Study& study,
                            const Request& request,
                            bool to_fit,
                            Advice& advice) {
  PlanMaker maker(study, request.goal);
  if (advice.purpose == "bring-up") {
    make_bring_up_plan(study, request, maker, advice);
  } else if (to_fit) {
    make_fitting_plans(study, request, maker, advice);
  } else {
    make_search_plans(study, request, maker, advice);
  }
}

void place_rivals(const Prospect& present,
                  const World& world,
                  const Request& request,
                  Advice& advice) {
  for (const Contender& contender : request.contenders) {
    const sim::Comparison comparison =
        sim::compare(*present.work, *contender.work, world.constants);
    advice.rivals.push_back({contender.name,
                             step_range(*contender.work, world),
                             comparison.tokens,
                             comparison.speedup,
                             comparison.verdict,
                             contender.warning,
                             0});
  }
  constexpr double kOwn = 1;
  std::vector<double> speedups{kOwn};
  for (const Plan& plan : advice.plans) {
    speedups.push_back(plan.speedup.value);
  }
  for (const Rival& rival : advice.rivals) {
    speedups.push_back(rival.speedup.value);
  }
  const auto place = [&](double speedup) {
    return 1 + static_cast<int>(
                   std::ranges::count_if(speedups, [&](double other) { return other > speedup; }));
  };
  for (Rival& rival : advice.rivals) {
    rival.place = place(rival.speedup.value);
  }
  std::ranges::stable_sort(advice.rivals, {}, &Rival::place);
  advice.own_place = place(kOwn);
}

}  // namespace

namespace {

/// Names the dispatcher that is certainly the fastest where no plan may take it unasked.
void withhold_fastest(const Study& study, Advice& advice) {
  const int at = study.space.index("dispatcher");
  if (at < 0) {
    return;
  }
  const Space::Dimension& dimension = study.space.dimensions()[static_cast<std::size_t>(at)];
  const Axis* axis = dimension.axis;
  for (const DispatcherRow& row : advice.dispatchers) {
    const Move* move = axis->move(row.name);
    const auto position = static_cast<Position>(axis->find(row.name) + 1);
    if (row.rank == 1 && !row.tie && !row.present && move != nullptr && move->asked &&
        !dimension.allows(position)) {
      advice.withheld.push_back(fmt::format(
          "{}: it ranks first, but no document recommends it and no published run has it",
          title_of(*axis, *move)));
    }
  }
}

/// Everything that does not need a measured step.
Advice study_recipe(const World& given, const Knowledge& knowledge, const Request& request) {
  Advice advice;
  advice.goal = request.goal;
  Mended mended = mend(given.base);
  advice.repairs = std::move(mended.repairs);
  advice.left = std::move(mended.left);
  advice.purpose = given.base.target->purpose.value_or("");
  const PurposeAdvice* purposeful = knowledge.purpose(advice.purpose);
  settle(purposeful, mended.recipe, advice);
  if (!advice.settled.empty()) {
    const auto& file = given.base.document->request.file;
    mended.diff = text::unified_diff(
        file ? file->name() : "", given.base.draft.bytes, mended.recipe.draft.bytes);
  }
  advice.repair_diff = std::move(mended.diff);
  advice.mended = mended.recipe.draft;
  if (!advice.purpose.empty() && advice.purpose != "bring-up") {  // whose plan answers them
    advice.remarks = remarks_on(mended.recipe);
  }
  advice.procedure = purposeful == nullptr ? std::vector<std::string>() : purposeful->procedure;
  const World world = around(given, std::move(mended.recipe));
  Assessor bare(world, nullptr);
  Prospect present = bare.predicted(Edits{});
  constexpr double kOverflows = 0.5;
  Freedom freedom = request.freedom;
  freedom.careful = advice.purpose == "production";
  freedom.same_training = advice.purpose != "benchmark";
  freedom.to_fit = present.assessment.out_of_memory > kOverflows;
  freedom.architecture = world.base.target->hw->architecture;
  freedom.precision = present.job == nullptr ? "" : std::string(to_string(present.job->precision));
  const Space space(knowledge, bare.cache().plain(), freedom);
  present.assessment.legal = true;  // remaining errors apply to every plan
  if (!read_present(world, present, request, advice)) {
    return advice;
  }
  Assessor assessor(world, &space);
  const Study study{world, knowledge, space, assessor, present};
  advice.diagnosis = diagnose(present, world.constants, knowledge, *world.base.target->hw);
  if (present.job->architecture.experts.count > 0) {
    advice.dispatchers = dispatcher_table(study);
    advice.sweeps = sm_sweeps(study);
    Ladder ladder = overlap_ladder(study);
    advice.ladder_start = ladder.start;
    advice.ladder = std::move(ladder.rungs);
  }
  advice.withheld = space.withheld();
  withhold_fastest(study, advice);
  make_plans_for_purpose(study, request, freedom.to_fit, advice);
  if (!advice.sweeps.empty() && !advice.plans.empty()) {
    advice.sweeps = sm_sweeps(study, &advice.plans.front().candidate);
  }
  if (advice.purpose == "tuning" && !advice.plans.empty() && !advice.fitting) {
    advice.tuning = tuning_steps(study, advice.plans.front().candidate);
  }
  place_rivals(present, world, request, advice);
  return advice;
}

/// What measurements of one exchange make of the constants.
struct Refit {
  sim::ConstantTable constants;
  Measured measured;                // with the exchange that its kernels show
  bool doubtful = false;            // the measured exchange contradicts the measured step
  std::vector<std::string> fitted;  // sentences
};

/// Constants rescaled to the measured exchange time. If the resulting step contradicts the measured
/// one, the two measurements disagree: keep the original constants.
Refit refit(const World& world, const Measured& given) {
  constexpr double kAnother = 1.5;
  Refit result{world.constants, given, false, {}};
  Measured& measured = result.measured;
  if (measured.dispatch <= 0 && measured.exposed <= 0 && measured.sends.empty()) {
    return result;
  }
  const World mended = around(world, mend(world.base).recipe);
  Assessor assessor(mended, nullptr);
  const Prospect present = assessor.predicted(Edits{});
  if (present.work == nullptr) {
    return result;
  }
  take_exchange(*present.work, measured);
  sim::ConstantTable table = calibrated(world.constants, *present.work, measured);
  const double step = sim::evaluate(*present.work, table.values, {}).step;
  result.doubtful =
      measured.step > 0 && (step > kAnother * measured.step || step < measured.step / kAnother);
  if (result.doubtful) {
    return result;
  }
  constexpr double kReached = 0.02;
  if (measured.dispatch > 0) {
    result.fitted.emplace_back("the exchange is fitted to the measured dispatch time");
  } else if (measured.exposed > 0 && !measured.mixed) {
    const double reached = exposed_share(*present.work, table.values);
    result.fitted.push_back(
        fmt::format("the exchange is fitted to the measured exposed share of {:.0f} %{}",
                    100 * measured.exposed,
                    std::abs(reached - measured.exposed) <= kReached
                        ? ""
                        : fmt::format("; the model comes no closer than {:.0f} %", 100 * reached)));
  }
  result.constants = std::move(table);
  return result;
}

}  // namespace

Advice advise(const World& world, const Knowledge& knowledge, const Request& request) {
  World stated = world;
  if (request.measured.host > 0) {
    stated.inputs.push_back(fmt::format("host={}us", request.measured.host * 1e6));
  }
  Refit found = refit(stated, request.measured);
  const World held{.base = stated.base,
                   .laws = stated.laws,
                   .constants = found.constants,
                   .inputs = stated.inputs,
                   .highest = stated.highest,
                   .measured = stated.measured,
                   .level = stated.level};
  Advice advice = study_recipe(held, knowledge, request);
  if (request.stop != nullptr && *request.stop) {
    advice.tally.stopped = true;
    advice.shortage.reset();  // a search that was cut short proves nothing
  }
  calibrate_to_measurement(advice, found.measured);
  advice.doubtful_dispatch = found.doubtful;
  advice.fitted = std::move(found.fitted);
  return advice;
}

namespace {

/// A move that gives a field this value, if it also sets others.
///   model.moe_flex_dispatcher_backend=deepep → that of the dispatcher
const Move* move_with(const Edit& edit, const Knowledge& knowledge) {
  for (const Axis& axis : knowledge.axes) {
    for (const Move& move : axis.moves) {
      if (move.gives(edit.field, edit.value) && (move.sets.size() > 1 || !move.legacy.empty())) {
        return &move;
      }
    }
  }
  return nullptr;
}

Edits edits_of(const std::vector<Setting>& sets, const Evaluator& evaluator) {
  Edits edits;
  for (const Setting& setting : sets) {
    if (evaluator.knows(setting.fields.front())) {
      edits.push_back({setting.fields.front(), setting.value, setting.value.is_unset()});
    }
  }
  return edits;
}

/// The candidates of a recipe that give a field this value: each a move for its GPU, with the first
/// moves of the axes that it depends on, also those that the recipe has already.
///   model.cuda_graph_impl=transformer_engine → the graphs of the router; also of attention
std::vector<Candidate> candidates_with(const Edit& edit,
                                       const Space& space,
                                       std::string_view architecture) {
  std::vector<Candidate> all;
  const auto& dimensions = space.dimensions();
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const std::vector<Move>& moves = dimensions[i].axis->moves;
    for (std::size_t m = 0; m < moves.size(); ++m) {
      const std::vector<std::string>& gpus = moves[m].architectures;
      const bool elsewhere = !gpus.empty() && std::ranges::find(gpus, architecture) == gpus.end();
      if (elsewhere || !moves[m].gives(edit.field, edit.value)) {
        continue;
      }
      Candidate candidate = space.start();
      candidate[i] = static_cast<Position>(m + 1);
      for (const Condition& needed : moves[m].with) {
        if (const int other = space.index(needed.axis); other >= 0) {
          const auto at = static_cast<std::size_t>(other);
          candidate[at] =
              static_cast<Position>(dimensions[at].axis->find(needed.moves.front()) + 1);
        }
      }
      all.push_back(std::move(candidate));
    }
  }
  return all;
}

constexpr const char* kNothingDepends = "neither the predicted step nor the memory depends on it";

/// The question --why-not: a value, and the other settings without which it has no effect.
class Question {
 public:
  Question(const World& world, const Knowledge& knowledge, const Edit& edit)
      : world_(world),
        knowledge_(knowledge),
        assessor_(world, nullptr, Bar::runs),
        present_(assessor_.predicted(Edits{})),
        move_(move_with(edit, knowledge)),
        edit_(edit) {
    if (move_ != nullptr && !evaluator().knows(edit.field) && !move_->legacy.empty()) {
      partners_ = edits_of(move_->legacy, evaluator());
      note_ = "this version spells it " + listed(partners_);
    } else if (move_ != nullptr) {
      partners_ = edits_of(move_->sets, evaluator());
      std::erase_if(partners_, [&](const Edit& each) { return each.field == edit.field; });
    }
  }

  /// With nothing that undoes it: its partners are guarded.
  Prospect answer() {
    if (!evaluator().knows(edit_.field)) {
      return partners_.empty() ? Prospect{} : assessor_.prospect(partners_, fields_of(partners_));
    }
    if (const auto choices = evaluator().refused_for(edit_.field, edit_.value); !choices.empty()) {
      note_ = fmt::format("this version takes only {}", fmt::join(choices, ", "));
      return {};
    }
    Edits missing = partners_;  // the recipe has the others
    std::erase_if(missing, [&](const Edit& each) { return evaluator().is_idle(each); });
    const bool stands = evaluator().is_idle(edit_);  // perhaps by default, beside what ignores it
    if (stands && (missing.empty() || evaluator().is_written(edit_.field))) {
      note_ = "the recipe has it already";
      Prospect same = present_;
      same.assessment.legal = true;
      return same;
    }
    std::vector<std::string> guarded = fields_of(partners_);
    guarded.push_back(edit_.field);
    Prospect alone = assessor_.prospect(Edits{edit_}, guarded);
    if (!alone.assessment.legal && !edit_.drop) {
      return with_its_move(alone);
    }
    const bool moves = alone.work == nullptr || present_.work == nullptr ||
                       !alone.assessment.costs_as(present_.assessment);
    if (!moves && missing.empty()) {
      note_ = kNothingDepends;
    }
    if (moves || edit_.drop || missing.empty()) {
      return alone;
    }
    Edits edits = partners_;
    edits.push_back(edit_);
    Prospect together = assessor_.prospect(std::move(edits), guarded);
    if (!stands && together.work != nullptr &&
        together.assessment.costs_as(assessor_.predicted(partners_).assessment)) {
      note_ = kNothingDepends;  // the partners do it all
      return alone;
    }
    note_ = fmt::format("without {} it has no effect; together:", listed(missing));
    return together;
  }

  const Prospect& present() const { return present_; }

  const std::string& note() const { return note_; }

  const Evaluator& evaluator() { return assessor_.cache().plain(); }

  std::vector<std::string> kept() const {
    std::vector<std::string> fields = fields_of(partners_);
    fields.push_back(edit_.field);
    return fields;
  }

  /// The recipe with it, on its target with the variables among the edits; nullopt if the text
  /// cannot be edited.
  std::optional<session::Analysis> applied(const Edits& edits) {
    std::string obstacle;
    session::Draft draft = draft_with(edits, assessor_.cache(), world_.base, obstacle);
    if (!obstacle.empty()) {
      return std::nullopt;
    }
    constexpr std::string_view kPrefix = "env.";
    facts::Target target = *world_.base.target;
    for (const Edit& edit : edits) {
      if (edit.field.starts_with(kPrefix) && !evaluator().is_written(edit.field)) {
        target.environment[edit.field.substr(kPrefix.size())] = edit.value.to_text();
      }
    }
    return world_.base.with(std::move(draft)).on(target);
  }

 private:
  /// The fastest of the moves that make it valid; `alone` if none does.
  Prospect with_its_move(const Prospect& alone) {
    std::optional<Prospect> best;
    std::optional<Prospect> invalid;  // for another reason than without the move, which it settles
    const Space space(knowledge_, evaluator(), {});
    const std::string_view gpu = world_.base.target->hw->architecture;
    for (const Candidate& candidate : candidates_with(edit_, space, gpu)) {
      Edits edits = space.edits(candidate);
      std::vector<std::string> guarded = space.guarded(candidate);
      std::erase_if(edits, [&](const Edit& each) { return each.field == edit_.field; });
      edits.push_back(edit_);
      guarded.push_back(edit_.field);
      Prospect tried = assessor_.prospect(edits, guarded);
      const bool better = tried.assessment.legal && tried.work != nullptr &&
                          (!best || tried.assessment.step < best->assessment.step);
      if (better) {
        best = std::move(tried);
        edits.pop_back();
        partners_ = std::move(edits);
      } else if (!invalid && tried.assessment.blocked != nullptr &&
                 tried.assessment.blocked != alone.assessment.blocked) {
        invalid = std::move(tried);
      }
    }
    if (!best) {
      return invalid ? *std::move(invalid) : alone;
    }
    const lint::Rule* rule = alone.assessment.blocked;
    note_ = fmt::format("alone it is not valid{}; with {}:",
                        rule == nullptr ? "" : fmt::format(" ({})", rule->code),
                        listed(partners_));
    return std::move(*best);
  }

  static std::vector<std::string> fields_of(const Edits& edits) {
    std::vector<std::string> fields;
    for (const Edit& edit : edits) {
      fields.push_back(edit.field);
    }
    return fields;
  }

  /// In the recipe's own spelling.
  std::string listed(const Edits& edits) {
    std::vector<PlanChange> changes;
    for (const Edit& each : edits) {
      changes.push_back(change_of(each, lint::Tier::performance, "", evaluator()));
    }
    return assignments_text(changes);
  }

  const World& world_;
  const Knowledge& knowledge_;
  Assessor assessor_;
  Prospect present_;
  const Move* move_;
  Edit edit_;
  Edits partners_;
  std::string note_;
};

/// The best plan with the value fixed, and what both gain together.
void price_around(const World& world,
                  const Knowledge& knowledge,
                  Question& question,
                  const Prospect& other,
                  Request request,
                  WhyNot& answer) {
  request.top = 1;
  for (const std::string& field : question.kept()) {
    if (std::ranges::any_of(knowledge.axes, [&](const Axis& axis) { return axis.sets(field); })) {
      request.freedom.keep.push_back(field);
    }
  }
  std::optional<session::Analysis> applied = question.applied(other.assessment.edits);
  if (!applied) {
    return;
  }
  const World fixed = around(world, std::move(*applied));
  Advice advice = study_recipe(fixed, knowledge, request);
  answer.shortage = advice.shortage;
  if (advice.plans.empty() || question.present().work == nullptr) {
    return;
  }
  Plan& plan = advice.plans.front();
  const double speedup = answer.speedup->value * plan.speedup.value;
  const sim::Range& gain = plan.speedup;
  answer.around_speedup =
      sim::Range{speedup, speedup * gain.low / gain.value, speedup * gain.high / gain.value};
  answer.around = std::move(plan);
}

}  // namespace

Advice which_dispatcher(const World& given, const Knowledge& knowledge) {
  Advice advice;
  Mended mended = mend(given.base);
  advice.repairs = std::move(mended.repairs);
  advice.purpose = given.base.target->purpose.value_or("");
  settle(knowledge.purpose(advice.purpose), mended.recipe, advice);
  const World world = around(given, std::move(mended.recipe));
  Assessor bare(world, nullptr);
  Prospect present = bare.predicted(Edits{});
  present.assessment.legal = true;
  Request request;
  if (!read_present(world, present, request, advice)) {
    return advice;
  }
  const Space space(knowledge, bare.cache().plain(), {});
  Assessor assessor(world, &space);
  const Study study{world, knowledge, space, assessor, present};
  advice.diagnosis = diagnose(present, world.constants, knowledge, *world.base.target->hw);
  if (present.job->architecture.experts.count == 0) {
    advice.choice = Choice{};
    advice.choice->because = "the model has no experts: it uses no dispatcher";
    return advice;
  }
  advice.dispatchers = dispatcher_table(study);
  advice.sweeps = sm_sweeps(study);
  advice.choice = choice_of(study, advice.dispatchers);
  return advice;
}

WhyNot why_not(const World& world, const Knowledge& knowledge, const Edit& edit, Request request) {
  const World mended = around(world, mend(world.base).recipe);
  Question question(mended, knowledge, edit);
  WhyNot answer;
  const lint::Fix::Edit spelled = question.evaluator().spelled(edit);
  answer.field = spelled.field;
  answer.value = edit.drop ? "none" : edit.value.to_text();
  const Prospect& present = question.present();
  const Prospect other = question.answer();
  answer.legality = legality_of(other, question.evaluator());
  for (const Edit& each : other.assessment.edits) {
    const bool along =
        std::ranges::any_of(other.assessment.companions, [&](const Companion& companion) {
          return find_edit(companion.edits, each.field) != nullptr;
        });
    if (!along && !question.evaluator().is_idle(each)) {
      answer.changed.push_back(each.field);
    }
  }
  if (answer.changed.empty() && !question.evaluator().is_idle(edit)) {
    answer.changed.push_back(edit.field);  // not tried: the framework refuses the value
  }
  const bool unknown = answer.legality.legal && other.work == nullptr;
  if (!unknown && (answer.legality.legal || answer.legality.reason.empty())) {
    answer.legality.reason = question.note();
  }
  if (!answer.legality.legal && answer.legality.reason.empty()) {
    answer.legality.reason = question.evaluator().missing_text();
  }
  if (!other.assessment.legal || other.work == nullptr || present.work == nullptr) {
    return answer;
  }
  const sim::Comparison comparison = sim::compare(*present.work, *other.work, mended.constants);
  answer.step = step_range(*other.work, mended);
  answer.speedup = comparison.speedup;
  answer.tokens = comparison.tokens;
  answer.verdict = comparison.verdict;
  answer.needed_memory = other.assessment.needed_memory;
  answer.memory_limit = other.job->machine.memory;
  answer.out_of_memory = other.assessment.out_of_memory;
  answer.fits = other.assessment.fits;
  answer.recipe_fits = present.assessment.fits;
  answer.other_model = !(sizes_of(present.job->architecture) == sizes_of(other.job->architecture));
  if (answer.other_model) {
    return answer;
  }
  for (const sim::CauseOfDifference& cause : comparison.causes) {
    constexpr double kNothing = 1e-9;  // of the step: rounding
    if (std::abs(cause.saved()) > kNothing * answer.step->value) {
      answer.costs.emplace_back(cause.name, -cause.saved());
    }
  }
  price_around(mended, knowledge, question, other, std::move(request), answer);
  return answer;
}

std::vector<std::string> words_of(const Knowledge& knowledge) {
  std::set<std::string> words;
  for (const Axis& axis : knowledge.axes) {
    words.insert(axis.group);
    words.insert(axis.name);
    for (const Move& move : axis.moves) {
      for (const Setting& set : move.sets) {
        words.insert(set.fields.begin(), set.fields.end());
      }
    }
  }
  return {words.begin(), words.end()};
}

}  // namespace epwise::advise
