#include "commands/compare/comparing.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace epwise::cli {

namespace {

std::string_view named(std::string_view text) {
  return text.empty() ? "not stated" : text;
}

/// The model alone: how far its vocabulary is padded follows from the tensor ranks.
workload::Architecture model_of(const SimulatedJob& job) {
  workload::Architecture model = job.workload->architecture;
  model.padded_vocab = model.vocab;
  return model;
}

/// Differences that are not the recipes' own speed.
std::vector<std::string> cautions_of(const SimulatedJob& a, const SimulatedJob& b) {
  std::vector<std::string> cautions;
  const auto differ = [&](std::string_view what, std::string_view of_a, std::string_view of_b) {
    if (of_a != of_b) {
      cautions.push_back(fmt::format("{} differs: A {}, B {}", what, named(of_a), named(of_b)));
    }
  };
  if (a.workload->architecture.experts.count > 0 && b.workload->architecture.experts.count > 0) {
    differ("routing",
           workload::to_string(a.workload->routing.balance),
           workload::to_string(b.workload->routing.balance));
  }
  differ("the stack", a.report.stack, b.report.stack);
  differ("the target", a.report.target_values, b.report.target_values);
  if (!(model_of(a) == model_of(b))) {
    cautions.emplace_back("the models differ");
  }
  return cautions;
}

}  // namespace

report::ComparedRecipes compare_jobs(const Simulator& simulator, SimulatedJob a, SimulatedJob b) {
  report::ComparedRecipes recipes;
  if (a.workload != nullptr && b.workload != nullptr) {
    recipes.cautions = cautions_of(a, b);
  }
  for (const SimulatedJob* job : {&a, &b}) {
    const auto& used = job->report.calibration;
    for (const std::string& note : used ? used->notes : std::vector<std::string>()) {
      std::string caution = fmt::format("{}: {}", used->path, note);
      if (std::ranges::find(recipes.cautions, caution) == recipes.cautions.end()) {
        recipes.cautions.push_back(std::move(caution));
      }
    }
  }
  recipes.a = std::move(a.report);
  recipes.b = std::move(b.report);
  if (recipes.a.prediction && recipes.b.prediction) {
    const sim::ConstantTable constants = simulator.constants(recipes.a.hw);
    recipes.comparison =
        sim::compare(sim::lower(*a.workload, a.machine, constants.values, a.stated),
                     sim::lower(*b.workload, b.machine, constants.values, b.stated),
                     constants);
    if (recipes.comparison->tokens != 1) {
      recipes.tokens_ratio = recipes.b.prediction->tokens_per_second.value /
                             recipes.a.prediction->tokens_per_second.value;
    }
  }
  return recipes;
}

ExitCode exit_code_of(const report::ComparedRecipes& recipes, bool force) {
  const bool clean = !recipes.a.fails && !recipes.b.fails;
  return recipes.comparison && (clean || force) ? ExitCode::clean : ExitCode::findings;
}

}  // namespace epwise::cli
