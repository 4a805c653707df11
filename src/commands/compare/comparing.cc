#include "commands/compare/comparing.h"

#include <utility>

namespace epwise::cli {

report::ComparedRecipes compare_jobs(const Simulator& simulator, SimulatedJob a, SimulatedJob b) {
  report::ComparedRecipes recipes{std::move(a.report), std::move(b.report), {}};
  if (recipes.a.prediction && recipes.b.prediction) {
    const sim::ConstantTable constants = simulator.constants(recipes.a.hw);
    recipes.comparison =
        sim::compare(sim::lower(*a.workload, a.machine, constants.values, a.stated),
                     sim::lower(*b.workload, b.machine, constants.values, b.stated),
                     constants);
  }
  return recipes;
}

ExitCode exit_code_of(const report::ComparedRecipes& recipes, bool force) {
  const bool clean = recipes.a.lint_errors + recipes.b.lint_errors == 0;
  return recipes.comparison && (clean || force) ? ExitCode::clean : ExitCode::findings;
}

}  // namespace epwise::cli
