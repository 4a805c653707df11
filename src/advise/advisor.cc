#include "advise/advisor.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "advise/comparison_tables.h"
#include "advise/decision.h"
#include "advise/diagnosis.h"
#include "advise/exploration.h"
#include "advise/measurement.h"
#include "advise/plan_maker.h"
#include "advise/search.h"
#include "advise/starting_points.h"
#include "base/text/line_diff.h"
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
    constexpr fix::Bounds kBounds{16, 200};
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
    text::Diagnostic& problem = advice.missing.emplace_back();
    problem.message = present.assessment.problem;
    problem.help = "`epwise simulate --force` lists all missing facts";
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

/// Certainly better with respect to the goal.
bool is_clear(const Plan& plan, Goal goal, const Assessment& present) {
  constexpr double kLess = 0.97;  // of the memory
  if (goal == Goal::memory) {
    return plan.needed_memory < kLess * present.needed_memory;
  }
  return plan.verdict == sim::Verdict::b;
}

void sort_plans(Goal goal, std::vector<Plan>& plans) {
  std::ranges::stable_sort(plans, [&](const Plan& a, const Plan& b) {
    return goal == Goal::memory ? a.needed_memory < b.needed_memory : a.step.value < b.step.value;
  });
}

void make_plans(const Study& study,
                const Request& request,
                const SearchResult& result,
                PlanMaker& maker,
                Advice& advice) {
  std::set<Candidate> made;
  for (const Candidate& candidate : maker.choose(result, 4 * request.top)) {
    if (advice.plans.size() >= request.top) {
      break;
    }
    std::optional<Plan> plan = maker.make(candidate);
    if (!plan || !made.insert(plan->candidate).second || plan->verdict == sim::Verdict::a) {
      continue;
    }
    const bool clear = is_clear(*plan, request.goal, study.present.assessment);
    if (clear) {
      advice.plans.push_back(*std::move(plan));
    } else if (advice.close.size() < request.top) {
      advice.close.push_back(*std::move(plan));
    }
  }
  if (request.goal != Goal::safe) {
    sort_plans(request.goal, advice.plans);
    sort_plans(request.goal, advice.close);
  }
}

/// For a recipe that does not fit: means in the documents' order, then the fastest that fits.
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
  Expedition expedition{&study.space, Goal::speed, {}, true};
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
  if (fastest && (advice.plans.empty() ||
                  fastest->step.value < kFaster * advice.plans.back().step.value)) {
    fastest->means = "the fastest of all that fit";
    advice.plans.push_back(*std::move(fastest));
  }
}

void make_search_plans(const Study& study,
                       const Request& request,
                       PlanMaker& maker,
                       Advice& advice) {
  Expedition expedition{&study.space, request.goal, {}, true};
  expedition.bounds.seeds = starting_points(study, request.freedom);
  const SearchResult result = explore(study, request, std::move(expedition));
  advice.tally = {
      study.space.size(), result.looked_at, result.skipped, result.exhaustive, result.stopped};
  make_plans(study, request, result, maker, advice);
}

void place_rivals(const Prospect& present,
                  const World& world,
                  const Request& request,
                  Advice& advice) {
  std::vector<double> steps{present.assessment.step};
  for (const Plan& plan : advice.plans) {
    steps.push_back(plan.step.value);
  }
  for (const Contender& contender : request.contenders) {
    steps.push_back(step_range(*contender.work, world).value);
  }
  const auto place = [&](double step) {
    return 1 + static_cast<int>(
                   std::ranges::count_if(steps, [&](double other) { return other < step; }));
  };
  for (const Contender& contender : request.contenders) {
    const sim::Comparison comparison =
        sim::compare(*present.work, *contender.work, world.constants);
    Rival rival{contender.name,
                step_range(*contender.work, world),
                comparison.speedup,
                comparison.verdict,
                0};
    rival.place = place(rival.step.value);
    advice.rivals.push_back(std::move(rival));
  }
  std::ranges::stable_sort(advice.rivals, {}, &Rival::place);
  advice.own_place = place(present.assessment.step);
}

}  // namespace

namespace {

/// Everything that does not need a measured step.
Advice study_recipe(const World& given,
                    const Knowledge& knowledge,
                    const Request& request,
                    std::vector<std::string>& strangers) {
  Advice advice;
  advice.goal = request.goal;
  Mended mended = mend(given.base);
  advice.repairs = std::move(mended.repairs);
  advice.repair_diff = std::move(mended.diff);
  advice.mended = mended.recipe.draft;
  advice.left = std::move(mended.left);
  const World world = around(given, std::move(mended.recipe));
  Assessor bare(world, nullptr);
  Prospect present = bare.predicted(Edits{});
  constexpr double kOverflows = 0.5;
  Freedom freedom = request.freedom;
  freedom.to_fit = present.assessment.out_of_memory > kOverflows;
  freedom.architecture = world.base.target->hw->architecture;
  freedom.precision =
      present.job == nullptr ? "" : std::string(to_string(present.job->precision));
  const Space space(knowledge, bare.cache().plain(), freedom);
  strangers = space.strangers();
  present.assessment.legal = true;  // remaining errors apply to every plan
  if (!strangers.empty() || !read_present(world, present, request, advice)) {
    return advice;
  }
  Assessor assessor(world, &space);
  const Study study{world, knowledge, space, assessor, present};
  advice.diagnosis = diagnose(present, world.constants, knowledge);
  if (present.job->architecture.experts.count > 0) {
    advice.dispatchers = dispatcher_table(study);
    advice.sweeps = sm_sweeps(study);
    Ladder ladder = overlap_ladder(study);
    advice.ladder_start = ladder.start;
    advice.ladder = std::move(ladder.rungs);
  }
  PlanMaker maker(study, freedom.to_fit ? Goal::speed : request.goal);
  if (freedom.to_fit) {
    make_fitting_plans(study, request, maker, advice);
  } else {
    make_search_plans(study, request, maker, advice);
  }
  if (!advice.sweeps.empty() && !advice.plans.empty()) {
    advice.sweeps = sm_sweeps(study, &advice.plans.front().candidate);
  }
  place_rivals(present, world, request, advice);
  return advice;
}

/// Constants rescaled to the measured exchange time. If the resulting step contradicts the measured
/// one, the two measurements disagree: keep the original constants.
sim::ConstantTable held_to(const World& world, Measured& measured, bool& doubtful) {
  constexpr double kAnother = 1.5;
  if (measured.dispatch <= 0 && measured.exposed <= 0 && measured.sends.empty()) {
    return world.constants;
  }
  const World mended = around(world, mend(world.base).recipe);
  Assessor assessor(mended, nullptr);
  const Prospect present = assessor.predicted(Edits{});
  if (present.work == nullptr) {
    return world.constants;
  }
  take_exchange(*present.work, measured);
  sim::ConstantTable table = calibrated(world.constants, *present.work, measured);
  const double step = sim::evaluate(*present.work, table.values, {}).step;
  doubtful =
      measured.step > 0 && (step > kAnother * measured.step || step < measured.step / kAnother);
  return doubtful ? world.constants : table;
}

}  // namespace

Advice advise(const World& world,
              const Knowledge& knowledge,
              const Request& request,
              std::vector<std::string>& strangers) {
  World stated = world;
  if (request.measured.host > 0) {
    stated.inputs.push_back(fmt::format("host={}us", request.measured.host * 1e6));
  }
  bool doubtful = false;
  Measured measured = request.measured;
  const sim::ConstantTable table = held_to(stated, measured, doubtful);
  const World held{.base = stated.base,
                   .laws = stated.laws,
                   .constants = table,
                   .inputs = stated.inputs,
                   .highest = stated.highest,
                   .measured = stated.measured};
  Advice advice = study_recipe(held, knowledge, request, strangers);
  calibrate_to_measurement(advice, measured);
  advice.doubtful_dispatch = doubtful;
  return advice;
}

namespace {

/// The settings that accompany a field that has no effect alone: the other settings of a move that
/// contains it.
///   model.moe_flex_dispatcher_backend=deepep → model.moe_token_dispatcher_type=flex
Edits partners_of(const Edit& edit, const Knowledge& knowledge, const Evaluator& evaluator) {
  for (const Axis& axis : knowledge.axes) {
    for (const Move& move : axis.moves) {
      Edits partners;
      bool holds = false;
      for (const Setting& setting : move.sets) {
        const bool own = std::ranges::find(setting.fields, edit.field) != setting.fields.end();
        holds = holds || (own && !setting.value.is_unset() && setting.value.equals(edit.value));
        if (!own && evaluator.knows(setting.fields.front())) {
          partners.push_back({setting.fields.front(), setting.value, setting.value.is_unset()});
        }
      }
      if (holds && !partners.empty()) {
        return partners;
      }
    }
  }
  return {};
}

/// The prospect of an edit; if it has no effect alone, that of the edit with its companions,
/// returned in `with`.
Prospect prospect_of(const Edit& edit,
                     const Prospect& present,
                     const Knowledge& knowledge,
                     Assessor& assessor,
                     std::string& with) {
  Prospect alone = assessor.prospect(Edits{edit});
  const bool moves = alone.work == nullptr || present.work == nullptr ||
                     alone.assessment.step != present.assessment.step ||
                     alone.assessment.needed_memory != present.assessment.needed_memory;
  Edits edits =
      moves || edit.drop ? Edits{} : partners_of(edit, knowledge, assessor.cache().plain());
  if (edits.empty()) {
    return alone;
  }
  for (const Edit& each : edits) {
    with += fmt::format("{}{}={}", with.empty() ? "" : ", ", each.field, each.value.to_text());
  }
  with = fmt::format("without {} it has no effect; together:", with);
  edits.push_back(edit);
  return assessor.prospect(std::move(edits));
}

}  // namespace

WhyNot why_not(const World& world, const Knowledge& knowledge, const Edit& edit) {
  const World mended = around(world, mend(world.base).recipe);
  Assessor assessor(mended, nullptr);
  WhyNot answer;
  const lint::Fix::Edit spelled = assessor.cache().plain().spelled(edit);
  answer.field = spelled.field;
  answer.value = edit.drop ? "" : edit.value.to_text();
  const Prospect present = assessor.predicted(Edits{});
  std::string with;
  const Prospect other = prospect_of(edit, present, knowledge, assessor, with);
  answer.legality = legality_of(other);
  if (answer.legality.legal) {
    answer.legality.reason = std::move(with);
  }
  if (!other.assessment.legal || other.work == nullptr || present.work == nullptr) {
    return answer;
  }
  const sim::Comparison comparison = sim::compare(*present.work, *other.work, mended.constants);
  answer.step = step_range(*other.work, mended);
  answer.speedup = comparison.speedup;
  answer.verdict = comparison.verdict;
  answer.needed_memory = other.assessment.needed_memory;
  answer.memory_limit = other.job->machine.memory;
  answer.fits = other.assessment.fits;
  for (const sim::CauseOfDifference& cause : comparison.causes) {
    if (cause.saved() < 0) {
      answer.costs.emplace_back(cause.name, -cause.saved());
    }
  }
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
