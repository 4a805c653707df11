#include "fit/step_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "fit/least_squares.h"
#include "perf/sim/prediction/evidence.h"
#include "perf/sim/prediction/likeness.h"
#include "perf/sim/prediction/uncertainty.h"
#include "perf/sim/step/step.h"

namespace epwise::fit {

namespace {

constexpr double kScale = 0.06;
constexpr double kFreedom = 3;
constexpr double kNoSoftness = 1e6;  // the loss is in the residuals already

double student(double error) {
  const double size = std::sqrt(kFreedom * std::log1p(error * error / kFreedom));
  return error < 0 ? -size : size;
}

std::vector<const sim::ConstantNote*> fitted_notes(const sim::ConstantTable& table) {
  std::vector<const sim::ConstantNote*> result;
  for (const sim::ConstantNote& note : table.notes) {
    if (note.status == cost::Status::fitted) {
      result.push_back(&note);
    }
  }
  return result;
}

sim::Constants with(const sim::ConstantTable& table,
                    const std::vector<const sim::ConstantNote*>& notes,
                    const std::vector<double>& logs) {
  sim::Constants result = table.values;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    result.*sim::constant_member(notes[i]->name) = notes[i]->prior * std::exp(logs[i]);
  }
  return result;
}

/// What the chosen rows say of how near a run is to measured ones.
class Known {
 public:
  Known(const StepRows& rows, const Chosen& chosen) {
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      if (chosen[i]) {
        const sim::StepWork& work = rows.works[rows.rows[i].work];
        studies_[sim::kind_of(*work.job, work.machine)].insert(rows.rows[i].study);
        models_.insert(sim::traits_of(*work.job).model);
      }
    }
  }

  double half_width(const sim::StepWork& work, const sim::Constants& constants) const {
    sim::Uncertainty width = sim::uncertainty_of(work, constants);
    const auto kind = studies_.find(sim::kind_of(*work.job, work.machine));
    sim::Evidence evidence;
    evidence.studies = kind == studies_.end() ? 0 : static_cast<int>(kind->second.size());
    evidence.model = models_.contains(sim::traits_of(*work.job).model);
    width.distance = sim::distance_width(evidence, constants);
    return width.half_width();
  }

 private:
  std::map<std::string, std::set<std::string>> studies_;
  std::set<std::string> models_;
};

/// Fisher and Yates, so that every library draws the same.
void shuffle(std::vector<std::string>& names, unsigned seed) {
  std::mt19937 random(seed);
  for (std::size_t i = names.size(); i > 1; --i) {
    std::swap(names[i - 1], names[random() % i]);
  }
}

}  // namespace

std::vector<std::string> fitted_names(const sim::ConstantTable& table) {
  std::vector<std::string> result;
  for (const sim::ConstantNote* note : fitted_notes(table)) {
    result.push_back(note->name);
  }
  return result;
}

std::vector<double> predict_steps(const StepRows& rows, const sim::Constants& constants) {
  std::vector<double> by_work;
  for (const sim::StepWork& work : rows.works) {
    by_work.push_back(std::log(sim::evaluate(work, constants, {}).step));
  }
  std::vector<double> result;
  for (const StepRow& row : rows.rows) {
    result.push_back(by_work[row.work]);
  }
  return result;
}

sim::Constants fit_steps(const StepRows& rows,
                         const Chosen& chosen,
                         const sim::ConstantTable& table) {
  const std::vector<const sim::ConstantNote*> notes = fitted_notes(table);
  Problem problem;
  problem.start.assign(notes.size(), 0);
  problem.scale.assign(notes.size(), 0.1);
  problem.low.assign(notes.size(), std::log(0.1));
  problem.high.assign(notes.size(), std::log(10.0));
  problem.softness = kNoSoftness;
  problem.residuals = [&](const std::vector<double>& logs) {
    const std::vector<double> predicted = predict_steps(rows, with(table, notes, logs));
    std::vector<double> result;
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      const StepRow& row = rows.rows[i];
      if (chosen[i] && row.weight > 0) {
        result.push_back(row.weight * student((predicted[i] - std::log(row.seconds)) / kScale));
      }
    }
    for (std::size_t i = 0; i < logs.size(); ++i) {
      result.push_back(logs[i] / notes[i]->prior_log_sd);
    }
    return result;
  };
  return with(table, notes, minimise(problem));
}

LeftOut leave_out(const StepRows& rows,
                  const sim::ConstantTable& table,
                  std::string StepRow::*group,
                  int folds,
                  unsigned seed) {
  std::vector<std::string> clusters;
  for (const StepRow& row : rows.rows) {
    clusters.push_back(row.*group);
  }
  std::ranges::sort(clusters);
  clusters.erase(std::unique(clusters.begin(), clusters.end()), clusters.end());
  shuffle(clusters, seed);
  std::map<std::string, int> fold_of;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    fold_of[clusters[i]] = static_cast<int>(i) % folds;
  }
  LeftOut result{std::vector<double>(rows.rows.size()), std::vector<double>(rows.rows.size())};
  for (int fold = 0; fold < folds; ++fold) {
    Chosen chosen;
    for (const StepRow& row : rows.rows) {
      chosen.push_back(fold_of[row.*group] != fold);
    }
    const sim::Constants constants = fit_steps(rows, chosen, table);
    const std::vector<double> predicted = predict_steps(rows, constants);
    const Known known(rows, chosen);
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      if (!chosen[i]) {
        result.log_seconds[i] = predicted[i];
        result.half_widths[i] = known.half_width(rows.works[rows.rows[i].work], constants);
      }
    }
  }
  return result;
}

}  // namespace epwise::fit
