#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/all.h"
#include "commands/compare/comparing.h"
#include "commands/compare/report.h"
#include "commands/simulate/inputs.h"
#include "commands/simulate/simulation.h"
#include "ui/report_output.h"
#include "ui/single_recipe.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAboutCompare = R"(WHAT IS COMPARED
  T(A)/T(B), the step time of A divided by that of B: above 1, B is faster. Uncertain constants are
  drawn 256 times, with the same draw for both recipes, so that common errors cancel. A recipe is
  called faster if nine of ten draws agree and the difference exceeds the run-to-run variation of
  one recipe; otherwise it is too close to call. The causes are the differences between the two
  waterfalls (`epwise simulate --help`).

  --input states known facts about both runs, as for simulate.
)";

/// The recipes of two directories with the same names.
ExitCode compare_directories(Console& console,
                             const Arguments& arguments,
                             Workspace& workspace,
                             Simulator& simulator) {
  const InputPairs inputs =
      paired_inputs(console.files, arguments.operands[0], arguments.operands[1]);
  std::vector<report::ComparedRecipes> all;
  ExitCode code = ExitCode::clean;
  for (const std::vector<std::string>& alone : {inputs.only_a, inputs.only_b}) {
    for (const std::string& path : alone) {
      console.err << fmt::format("epwise: {} is in one directory only\n", path);
    }
  }
  for (const InputPairs::Pair& pair : inputs.pairs) {
    const ExitCode failed = attempt(console.err, [&] {
      const std::vector<Analysis> a = analyses_of(pair.a, arguments, console, workspace);
      const std::vector<Analysis> b = analyses_of(pair.b, arguments, console, workspace);
      if (is_not_a_recipe(a) || is_not_a_recipe(b)) {
        return;
      }
      session::check_same_number(a, b);
      for (std::size_t i = 0; i < a.size(); ++i) {
        check_readable(a[i]);
        check_readable(b[i]);
        SimulatedJob of_a = simulator.run(a[i], true);
        SimulatedJob of_b = simulator.run(b[i], true);
        if (!of_a.report.takes_steps && !of_b.report.takes_steps) {
          continue;  // reference models
        }
        all.push_back(compare_jobs(simulator, std::move(of_a), std::move(of_b)));
        code = worst(code, exit_code_of(all.back(), arguments.flag("--force")));
      }
    });
    code = worst(code, failed);
  }
  if (all.empty() && code == ExitCode::clean) {
    console.err << "epwise: the directories have no recipe of the same name\n";
    return ExitCode::nothing_checked;
  }
  if (arguments.text_of("--format", "full") == "json") {
    console.out << report::comparisons_json(all, console.newer_releases());
    return code;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    console.out << (i == 0 ? "" : "\n")
                << report::compare_text(all[i], style_of(arguments, console));
  }
  return code;
}

ExitCode run_compare(Console& console, const Arguments& arguments) {
  if (arguments.operands.size() != 2) {
    throw os::UsageError(
        "two recipes are needed: `epwise compare a.yaml b.yaml --hw h100 --gpus 64`");
  }
  Workspace workspace(console.host(), given_by(arguments));
  Simulator simulator(console, arguments, workspace);
  if (console.files.is_directory(arguments.operands[0]) &&
      console.files.is_directory(arguments.operands[1])) {
    return compare_directories(console, arguments, workspace, simulator);
  }
  const report::ComparedRecipes recipes = compare_jobs(simulator,
                                                       simulator.run(arguments.operands[0], true),
                                                       simulator.run(arguments.operands[1], true));
  const ExitCode code = exit_code_of(recipes, arguments.flag("--force"));
  console.out << (arguments.text_of("--format", "full") == "json"
                      ? report::compare_json(recipes, console.newer_releases())
                      : report::compare_text(recipes, style_of(arguments, console)));
  return code;
}

}  // namespace

Command compare_command() {
  std::vector<Option> options = simulation_options({"full", "json"});
  options.push_back({.name = "--force",
                     .summary = "exit 0 even if lint finds errors in one of them",
                     .brief = true});
  return {.name = "compare",
          .usage = "compare [OPTION...] A B [-- WORD...]",
          .summary = "predict which of two recipes is faster, by how much and why",
          .examples = {{"compare off.yaml on.yaml --hw h100 --gpus 16", "is the change worth it?"},
                       {"compare old/ new/ --hw h100 --gpus 16", "recipes with the same names"},
                       {"compare a.yaml b.yaml --hw gb200 --gpus 256 -f json",
                        "machine-readable output"}},
          .options = std::move(options),
          .exits = {{ExitCode::clean, "compared"},
                    {ExitCode::findings,
                     "lint finds errors in one of them and --force is not given (they are compared "
                     "anyway), or facts are missing"},
                    {ExitCode::nothing_checked,
                     "nothing compared: the directories contain no recipes of the same name"}},
          .about = kAboutCompare,
          .operands = Completion::files,
          .takes_words = true,
          .run = run_compare};
}

}  // namespace epwise::cli
