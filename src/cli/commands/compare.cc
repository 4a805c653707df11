#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/all.h"
#include "cli/report_output.h"
#include "cli/simulate/simulation.h"
#include "report/compare/writer.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAbout = R"(WHAT IS COMPARED
  T(A)/T(B), the step time of A over that of B: above 1, B is faster. Constants that nobody knows
  exactly are drawn 256 times, each time the same for both recipes, so that what both get wrong
  cancels. The faster one is named when nine of ten draws agree and the steps differ by more than two
  runs of one recipe do; otherwise it is too close to call. The causes are the differences of both
  waterfalls (`epwise simulate --help`).

  --input states what is known of both runs, as for simulate.
)";

ExitCode run(Session& session, const Arguments& arguments) {
  if (arguments.operands.size() != 2) {
    throw world::UsageError(
        "which two recipes? `epwise compare a.yaml b.yaml --hw h100 --gpus 64`");
  }
  Simulator simulator(session, arguments);
  SimulatedJob a = simulator.run(arguments.operands[0], true);
  SimulatedJob b = simulator.run(arguments.operands[1], true);
  report::ComparedRecipes recipes{std::move(a.report), std::move(b.report), {}};
  ExitCode code = ExitCode::findings;
  if (recipes.a.prediction && recipes.b.prediction) {
    const sim::ConstantTable constants = simulator.constants(recipes.a.hw);
    recipes.comparison =
        sim::compare(sim::lower(*a.workload, a.machine, constants.values, a.stated),
                     sim::lower(*b.workload, b.machine, constants.values, b.stated),
                     constants);
    const bool clean = recipes.a.lint_errors + recipes.b.lint_errors == 0;
    code = clean || arguments.flag("--force") ? ExitCode::clean : ExitCode::findings;
  }
  session.out << (arguments.text_of("--format", "full") == "json"
                      ? report::compare_json(recipes)
                      : report::compare_text(recipes, style_of(arguments, session)));
  return code;
}

}  // namespace

Command compare_command() {
  std::vector<Option> options = simulation_options({"full", "json"});
  options.push_back({.name = "--force",
                     .summary = "exit 0 though lint finds errors in one of them",
                     .brief = true});
  return {.name = "compare",
          .usage = "compare [OPTION...] A B [-- WORD...]",
          .summary = "say which of two recipes is faster, by how much and why",
          .examples = {{"compare off.yaml on.yaml --hw h100 --gpus 16", "is the change worth it?"},
                       {"compare a.yaml b.yaml --hw gb200 --gpus 256 -f json", "for a program"}},
          .options = std::move(options),
          .exits = {{ExitCode::clean, "compared"},
                    {ExitCode::findings,
                     "lint finds errors in one of them and there is no --force (they are compared "
                     "all the same), or facts are missing"}},
          .about = kAbout,
          .operands = Completion::files,
          .takes_words = true,
          .run = run};
}

}  // namespace epwise::cli
