#include "commands/diff/comparing.h"

#include <algorithm>

#include "perf/sim/constants/constants.h"
#include "perf/sim/step/step.h"
#include "session/target/resolution.h"
#include "ui/findings/lint_report.h"

namespace epwise::cli {

namespace {

diff::Side side_of(const Analysis& analysis) {
  return {*analysis.recipe,
          analysis.document->vocabulary(
              *analysis.target, analysis.recipe->framework, analysis.recipe->model_class),
          *analysis.target,
          analysis.result};
}

/// What the launch ends with, or what fails after it; empty for a recipe without errors.
std::string stopped(const Analysis& analysis) {
  return count_reported_errors(analysis.result) == 0 ? "" : report::stopped_text(analysis.result);
}

/// All findings.
std::vector<diff::Told> told(const Analysis& analysis) {
  std::vector<diff::Told> told;
  for (const lint::Finding& finding : analysis.result.findings) {
    told.push_back({std::string(finding.rule->id), finding.severity, finding.message});
  }
  return told;
}

std::string why_unpredicted(const SimulatedJob& job) {
  return job.report.missing.empty() ? "facts are missing" : job.report.missing.front().message;
}

}  // namespace

report::RecipeDifference difference_of(const Simulator& simulator,
                                       const ComparedSide& before,
                                       const ComparedSide& after) {
  const SimulatedJob old_job = simulator.run(before.analysis, true);
  const SimulatedJob new_job = simulator.run(after.analysis, true);
  report::RecipeDifference recipes;
  recipes.before = before.name;
  recipes.after = after.name;
  recipes.target = describe(*after.analysis.target, after.analysis.recipe->framework);
  recipes.against = report::checked_against(after.analysis.result, recipes.target);
  const auto values = [](const Analysis& analysis) {
    return report::checked_against(analysis.result,
                                   target_values(*analysis.target, analysis.recipe->framework));
  };
  if (values(before.analysis) != values(after.analysis)) {
    recipes.target_before = describe(*before.analysis.target, before.analysis.recipe->framework);
    recipes.against_before = report::checked_against(before.analysis.result, recipes.target_before);
  }
  recipes.difference = diff::difference_of(
      side_of(before.analysis), side_of(after.analysis), after.analysis.knowledge());
  recipes.stopped_before = stopped(before.analysis);
  recipes.stopped_after = stopped(after.analysis);
  if (recipes.stopped_before.empty()) {
    recipes.accepted_before = report::accepted_stop(before.analysis.result);
  }
  if (recipes.stopped_after.empty()) {
    recipes.accepted_after = report::accepted_stop(after.analysis.result);
  }
  if (!(recipes.stopped_before + recipes.stopped_after).empty()) {
    return recipes;
  }
  recipes.predicted_before = old_job.report.prediction;
  recipes.predicted_after = new_job.report.prediction;
  if (recipes.predicted_before && recipes.predicted_after) {
    const sim::ConstantTable& constants = sim::constants();
    const auto lowered = [&constants](const SimulatedJob& job) {
      return sim::lower(*job.workload, job.machine, constants.values, job.stated);
    };
    recipes.comparison = sim::compare(lowered(old_job), lowered(new_job), constants);
  } else {
    recipes.unpredicted = why_unpredicted(recipes.predicted_after ? old_job : new_job);
  }
  return recipes;
}

report::OneSided added_recipe(const std::string& path, const session::Analysis& analysis) {
  return {path, true, told(analysis), stopped(analysis), {}};
}

bool introduces_failure(const std::vector<diff::Told>& introduced,
                        const session::Threshold& threshold) {
  return std::ranges::any_of(introduced, [&](const diff::Told& told) {
    return threshold.fail_on && told.severity >= *threshold.fail_on;
  });
}

}  // namespace epwise::cli
