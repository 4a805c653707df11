#include "advise/assessor.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "perf/sim/step/step.h"
#include "perf/sim/work/machine.h"
#include "perf/workload/memory.h"

namespace epwise::advise {

namespace {

/// What is more probable than this counts as not fitting, even if the recipe itself needs no less.
constexpr double kEven = 0.5;

bool holds(const std::vector<const lint::Rule*>& rules, const lint::Rule* rule) {
  return std::ranges::find(rules, rule) != rules.end();
}

/// Failed, or suppressed by another failure.
bool is_known(const lint::Judgement& base, const lint::Rule* rule) {
  return holds(base.failed, rule) || holds(base.explained, rule) || holds(base.waiting, rule) ||
         holds(base.assumed, rule);
}

int verdict_rank(lint::Verdict verdict) {
  return verdict == lint::Verdict::starts ? 0 : verdict == lint::Verdict::undecided ? 1 : 2;
}

Edits edits_of_both(const Edits& edits, const Edits& more) {
  Edits all = edits;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

Assessor::Assessor(const World& world, const Space* space, Bar bar)
    : world_(world),
      space_(space),
      bar_(bar),
      cache_(world.base) {
  Assessment present;
  sim::StepWork work;
  if (world.base.target->hw != nullptr) {
    predict(present, work);
  }
  present_memory_ = present.out_of_memory <= kEven ? present.needed_memory : 0;
}

bool Assessor::fits(const Assessment& assessment) const {
  return assessment.out_of_memory <= kMostMemoryRisk ||
         (assessment.out_of_memory <= kEven && assessment.needed_memory <= present_memory_);
}

/// Whether a rule is only about the lines of a section that an edit replaces as a whole.
bool Assessor::is_replaced(const lint::Rule& rule, const Edits& edits) const {
  return std::ranges::any_of(edits, [&](const Edit& edit) {
    return edit.field.find('.') == std::string::npos && !rule.operands.empty() &&
           std::ranges::all_of(rule.operands, [&](const lint::Operand& operand) {
             const std::string_view name = world_.base.knowledge().names.name(operand.slot);
             return name.size() > edit.field.size() && name.starts_with(edit.field) &&
                    name[edit.field.size()] == '.';
           });
  });
}

/// An error or a warning that the recipe itself does not have, or an error about other values: a
/// candidate that changes the sizes answers for them, even if those of the recipe are wrong too.
bool Assessor::is_new(const lint::Rule& rule, const Edits& edits) {
  if (rule.severity <= lint::Severity::note || is_replaced(rule, edits)) {
    return false;
  }
  if (!is_known(cache_.plain().base(), &rule)) {
    return true;
  }
  Evaluator* evaluator = rule.severity == lint::Severity::error ? cache_.evaluator(edits) : nullptr;
  return evaluator != nullptr && evaluator->changes_operand(rule, edits);
}

bool Assessor::tolerates(const lint::Rule& rule) const {
  return bar_ == Bar::runs && rule.severity < lint::Severity::error;
}

std::vector<const lint::Rule*> Assessor::tolerated(const lint::Judgement& judgement,
                                                   const Edits& edits) {
  std::vector<const lint::Rule*> rules;
  std::ranges::copy_if(judgement.failed, std::back_inserter(rules), [&](const lint::Rule* rule) {
    return tolerates(*rule) && is_new(*rule, edits);
  });
  return rules;
}

void Assessor::count_errors(const lint::Judgement& judgement, Assessment& assessment) {
  assessment.settles.clear();
  assessment.left = 0;
  for (const lint::Rule* rule : cache_.plain().base().failed) {
    if (rule->severity < lint::Severity::error) {
      continue;
    }
    if (is_known(judgement, rule)) {
      ++assessment.left;
    } else {
      assessment.settles.push_back(rule);
    }
  }
}

std::vector<const lint::Rule*> Assessor::news(const lint::Judgement& judgement,
                                              const Edits& edits) {
  const lint::Judgement& base = cache_.plain().base();
  std::vector<const lint::Rule*> rules;
  for (const auto* list : {&judgement.failed, &judgement.explained, &judgement.assumed}) {
    for (const lint::Rule* rule : *list) {
      if (!tolerates(*rule) && is_new(*rule, edits)) {
        rules.push_back(rule);
      }
    }
  }
  // A finding says more than the consequence that it explains, even if that ends the launch.
  const lint::Rule* first = holds(judgement.explained, judgement.first) ? nullptr : judgement.first;
  std::ranges::stable_sort(rules, [&](const lint::Rule* a, const lint::Rule* b) {
    return (a == first) != (b == first) ? a == first : a->severity > b->severity;
  });
  if (rules.empty() && verdict_rank(judgement.verdict) > verdict_rank(base.verdict) &&
      judgement.first != nullptr) {
    rules.push_back(judgement.first);
  }
  return rules;
}

bool Assessor::may_touch(const Edits& edits, const std::vector<std::string>& guarded) const {
  return std::ranges::all_of(edits, [&](const Edit& edit) {
    return (space_ == nullptr || !space_->is_frozen(edit.field)) &&
           std::ranges::find(guarded, edit.field) == guarded.end();
  });
}

bool Assessor::add_companion(const std::vector<const lint::Rule*>& failing,
                             const std::vector<std::string>& guarded,
                             Assessment& assessment) {
  for (const lint::Rule* rule : failing) {
    Evaluator* evaluator = cache_.evaluator(assessment.edits);
    for (const Edits& fix : evaluator->fixes_of(*rule, assessment.edits, world_.highest)) {
      Edits tried = edits_of_both(assessment.edits, fix);
      Evaluator* under = may_touch(fix, guarded) ? cache_.evaluator(tried) : nullptr;
      if (under == nullptr) {
        continue;
      }
      const std::vector<const lint::Rule*> left = news(under->judge(tried), tried);
      const bool better = !holds(left, rule) && std::ranges::all_of(left, [&](const auto* each) {
        return holds(failing, each);
      });
      if (better) {
        assessment.edits = std::move(tried);
        assessment.companions.push_back({rule, fix});
        return true;
      }
    }
  }
  return false;
}

bool Assessor::complete(const std::vector<std::string>& guarded, Assessment& assessment) {
  constexpr int kMostCompanions = 4;
  for (int round = 0; round <= kMostCompanions; ++round) {
    Evaluator* evaluator = cache_.evaluator(assessment.edits);
    if (evaluator == nullptr) {
      assessment.problem = "the recipe has no field for it";
      return false;
    }
    const lint::Judgement judgement = evaluator->judge(assessment.edits);
    const std::vector<const lint::Rule*> failing = news(judgement, assessment.edits);
    if (failing.empty()) {
      assessment.warned = tolerated(judgement, assessment.edits);
      count_errors(judgement, assessment);
      return true;
    }
    assessment.blocked = failing.front();
    if (round == kMostCompanions || !add_companion(failing, guarded, assessment)) {
      return false;
    }
    assessment.blocked = nullptr;
  }
  return false;
}

std::shared_ptr<workload::Workload> Assessor::predict(Assessment& assessment,
                                                      sim::StepWork& work,
                                                      bool unpriced) {
  Evaluator* evaluator = cache_.evaluator(assessment.edits);
  if (evaluator == nullptr) {
    return nullptr;
  }
  workload::WorkloadReading reading = evaluator->workload(assessment.edits, unpriced);
  if (!reading.problems.empty()) {
    assessment.problem = reading.problems.front().message;
    assessment.missing = std::move(reading.problems);
    return nullptr;
  }
  const auto* hw = world_.base.target->hw;
  sim::StatedInputs stated;
  sim::state_profile(*hw, reading.workload, stated);
  for (const std::string& input : world_.inputs) {
    sim::state(input, reading.workload, stated);
  }
  sim::prefer_measured(world_.measured, reading.workload.machine.cpu, stated);
  sim::state_level(world_.level, stated);
  auto job = std::make_shared<workload::Workload>(std::move(reading.workload));
  const sim::MachineReading machine =
      sim::machine_of(*hw, job->machine, world_.laws, world_.constants);
  if (!machine.problem.empty()) {
    assessment.problem = machine.problem;
    return nullptr;
  }
  work = sim::lower(*job, machine.machine, world_.constants.values, stated);
  const double step = sim::evaluate(work, world_.constants.values, {}).step;
  if (!std::isfinite(step) || step <= 0) {
    assessment.problem = "these sizes do not yield a step time";
    return nullptr;
  }
  assessment.step = step;
  const workload::MemoryEstimate memory = workload::estimate_memory(*job);
  assessment.needed_memory = memory.needed;
  if (job->machine.memory > 0) {
    assessment.out_of_memory = workload::out_of_memory(memory, job->machine.memory);
  }
  assessment.fits = fits(assessment);
  return job;
}

Assessment Assessor::assess(const Candidate& candidate) {
  Assessment assessment;
  assessment.edits = space_->edits(candidate);
  assessment.legal = complete(space_->guarded(candidate), assessment);
  if (assessment.legal) {
    sim::StepWork work;
    predict(assessment, work, false);
  }
  return assessment;
}

Assessment Assessor::judged(const Candidate& candidate, Bar bar) {
  Assessment assessment;
  assessment.edits = space_->edits(candidate);
  const Bar own = std::exchange(bar_, bar);
  assessment.legal = complete(space_->guarded(candidate), assessment);
  bar_ = own;
  return assessment;
}

Assessment Assessor::forecast(const Candidate& candidate) {
  Assessment assessment;
  assessment.edits = space_->edits(candidate);
  sim::StepWork work;
  predict(assessment, work, false);
  return assessment;
}

bool Assessor::is_legal(const Edits& edits) {
  Evaluator* evaluator = cache_.evaluator(edits);
  return evaluator != nullptr && news(evaluator->judge(edits), edits).empty();
}

bool Assessor::impossible(const Candidate& candidate, const std::vector<const lint::Rule*>& quick) {
  const Edits edits = space_->edits(candidate);
  Evaluator* evaluator = cache_.evaluator(edits);
  return evaluator == nullptr || evaluator->fails_any(quick, edits);
}

Prospect Assessor::prospect(const Candidate& candidate) {
  Prospect prospect;
  prospect.assessment.edits = space_->edits(candidate);
  prospect.assessment.legal = complete(space_->guarded(candidate), prospect.assessment);
  return prospect.assessment.legal ? predicted(std::move(prospect)) : prospect;
}

Prospect Assessor::prospect(const Candidate& candidate, const std::vector<Companion>& kept) {
  const std::vector<std::string> guarded = space_->guarded(candidate);
  Prospect prospect;
  Assessment& assessment = prospect.assessment;
  assessment.edits = space_->edits(candidate);
  for (const Companion& companion : kept) {
    const bool free = std::ranges::none_of(companion.edits, [&](const Edit& edit) {
      return find_edit(assessment.edits, edit.field) != nullptr;
    });
    if (free && may_touch(companion.edits, guarded)) {
      assessment.edits = edits_of_both(assessment.edits, companion.edits);
      assessment.companions.push_back(companion);
    }
  }
  if (assessment.companions.empty()) {
    return this->prospect(candidate);
  }
  assessment.legal = complete(guarded, assessment);
  return assessment.legal ? predicted(std::move(prospect)) : this->prospect(candidate);
}

Prospect Assessor::prospect(Edits edits, const std::vector<std::string>& guarded) {
  Prospect prospect;
  prospect.assessment.edits = std::move(edits);
  prospect.assessment.legal = complete(guarded, prospect.assessment);
  return prospect.assessment.legal ? predicted(std::move(prospect)) : prospect;
}

Prospect Assessor::predicted(Edits edits) {
  Prospect prospect;
  prospect.assessment.edits = std::move(edits);
  return predicted(std::move(prospect));
}

Prospect Assessor::predicted(Prospect prospect) {
  struct Lowered {
    std::shared_ptr<const workload::Workload> job;  // the work points into it
    sim::StepWork work;
  };

  const auto lowered = std::make_shared<Lowered>();
  prospect.job = predict(prospect.assessment, lowered->work);
  if (prospect.job != nullptr) {
    lowered->job = prospect.job;
    prospect.work = std::shared_ptr<const sim::StepWork>(lowered, &lowered->work);
  }
  return prospect;
}

}  // namespace epwise::advise
