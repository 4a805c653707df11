#include "advise/decision.h"

#include <algorithm>
#include <cmath>

#include "perf/sim/prediction/uncertainty.h"
#include "perf/sim/step/step.h"
#include "perf/sim/step/step_nodes.h"

namespace epwise::advise {

namespace {

double log_ratio(const sim::StepWork& a, const sim::StepWork& b, const sim::Constants& constants) {
  return std::log(sim::evaluate(a, constants, {}).step / sim::evaluate(b, constants, {}).step);
}

}  // namespace

std::vector<sim::Constants> draw_constants(const sim::ConstantTable& table, int count) {
  sim::NormalDraws draws;
  std::vector<sim::Constants> all;
  for (int i = 0; i < count; ++i) {
    sim::Constants constants = table.values;
    for (const sim::ConstantNote& note : table.notes) {
      if (note.log_sd > 0) {
        constants.*sim::constant_member(note.name) *= std::exp(note.log_sd * draws.next());
      }
    }
    all.push_back(constants);
  }
  return all;
}

std::string deciding_measurement(const sim::StepWork& a,
                                 const sim::StepWork& b,
                                 const sim::ConstantTable& table,
                                 const Knowledge& knowledge) {
  constexpr double kNothing = 0.002;  // of the step
  const Measurement* best = nullptr;
  double most = kNothing;
  for (const Measurement& measurement : knowledge.measurements) {
    double square = 0;
    for (const std::string& name : measurement.constants) {
      const auto note = std::ranges::find(table.notes, name, &sim::ConstantNote::name);
      if (note == table.notes.end() || note->log_sd <= 0) {
        continue;
      }
      sim::Constants high = table.values;
      sim::Constants low = table.values;
      high.*sim::constant_member(name) *= std::exp(note->log_sd);
      low.*sim::constant_member(name) *= std::exp(-note->log_sd);
      const double moved = (log_ratio(a, b, high) - log_ratio(a, b, low)) / 2;
      square += moved * moved;
    }
    if (std::sqrt(square) > most) {
      most = std::sqrt(square);
      best = &measurement;
    }
  }
  return best == nullptr ? knowledge.any_measurement : best->what;
}

double event_factor(const sim::StepWork& work, const sim::Constants& constants) {
  constexpr int kMostTasks = 40'000;
  const sim::StepRun run = sim::run_events(work, constants, {}, kMostTasks);
  sim::StepWork part = work;
  part.pipeline.micro_batches = run.micro_batches;
  return run.timeline.seconds / sim::evaluate(part, constants, {}).step;
}

sim::Range step_range(const sim::StepWork& work, const World& world) {
  const sim::Constants& constants = world.constants.values;
  sim::Uncertainty unknown = sim::uncertainty_of(work, constants);
  if (!world.measured.empty()) {
    unknown = sim::narrowed(unknown, work, sim::constants(), world.measured);
  }
  return sim::around(sim::evaluate(work, constants, {}).step, unknown.half_width());
}

}  // namespace epwise::advise
