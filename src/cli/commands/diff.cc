#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/commands/all.h"
#include "cli/git.h"
#include "cli/linting.h"
#include "cli/overlay_files.h"
#include "cli/recipe_on_target.h"
#include "cli/report_output.h"
#include "cli/simulation.h"
#include "cli/target_options.h"
#include "report/diff_writer.h"
#include "sim/constants.h"
#include "sim/step.h"

namespace epwise::cli {

namespace {

using world::UsageError;

constexpr std::string_view kAbout = R"(WHAT IS COMPARED
  Values as executed: what the launch makes of them, defaults included. Each that differs is
  legality-changing when a finding that reads it comes or goes, else training-changing (the
  mathematics or the data), performance (speed and memory) or neutral. Of findings that come, the
  parameters that they read and nobody changed are named: those are usually changed together.

  OLD and NEW are files, or REF:PATH for a file as a revision has it; `epwise diff REF:PATH` compares
  with the file of today. --format markdown is a comment for a pull request.
)";

/// One side of the comparison: a name, and the file system in which its path holds its text.
struct Source {
  std::string name;
  std::string path;
  std::optional<std::string> text;  // of a revision
};

Source source_of(const Session& session, const std::string& word) {
  const std::size_t colon = word.find(':');
  if (session.files.is_file(word) || colon == std::string::npos || colon == 0) {
    return {word, word, std::nullopt};
  }
  const std::string path = word.substr(colon + 1);
  auto text = Git(session.programs).show(word.substr(0, colon), path);
  if (!text) {
    throw world::MissingError(fmt::format("{} has no file {}", word.substr(0, colon), path));
  }
  return {word, path, std::move(text)};
}

/// A recipe of one side with everything that is said about it.
class SideReading {
 public:
  SideReading(const Session& session, const Arguments& arguments, const Source& source)
      : files_(session.files,
               source.text ? std::map<std::string, std::string>{{source.path, *source.text}}
                           : std::map<std::string, std::string>()),
        session_{session.in,
                 session.out,
                 session.err,
                 files_,
                 session.variables,
                 session.terminal,
                 session.devices},
        recipe_(session_, arguments, source.path, target_settings(arguments)),
        reading_(recipe_.read()),
        result_(lint::lint(*reading_.recipe,
                           *reading_.vocabulary,
                           recipe_.target(),
                           recipe_.knowledge(),
                           recipe_.selection())),
        job_(Simulator(session_, arguments).run(source.path, true)) {}

  review::Side side() const {
    return {*reading_.recipe, *reading_.vocabulary, recipe_.target(), result_};
  }

  const lint::Knowledge& knowledge() const { return recipe_.knowledge(); }

  const SimulatedJob& job() const { return job_; }

  std::string target() const { return describe(recipe_.target(), reading_.recipe->framework); }

 private:
  OverlayFiles files_;
  Session session_;
  RecipeOnTarget recipe_;
  RecipeOnTarget::Reading reading_;
  lint::Result result_;
  SimulatedJob job_;
};

std::string why_unpredicted(const SimulatedJob& job) {
  return job.report.missing.empty() ? "facts are missing" : job.report.missing.front().message;
}

ExitCode run(Session& session, const Arguments& arguments) {
  if (arguments.operands.empty() || arguments.operands.size() > 2) {
    throw UsageError("which two? `epwise diff old.yaml new.yaml`, or `epwise diff main:a.yaml`");
  }
  const Source old = source_of(session, arguments.operands.front());
  if (arguments.operands.size() == 1 && !old.text) {
    throw UsageError("which two? `epwise diff old.yaml new.yaml`, or `epwise diff main:a.yaml`");
  }
  const Source now = arguments.operands.size() == 1 ? Source{old.path, old.path, std::nullopt}
                                                    : source_of(session, arguments.operands[1]);
  const SideReading before(session, arguments, old);
  const SideReading after(session, arguments, now);
  report::RecipeDifference recipes;
  recipes.before = old.name;
  recipes.after = now.name;
  recipes.target = after.target();
  recipes.difference = review::difference_of(before.side(), after.side(), after.knowledge());
  recipes.predicted_before = before.job().report.prediction;
  recipes.predicted_after = after.job().report.prediction;
  if (recipes.predicted_before && recipes.predicted_after) {
    const sim::ConstantTable& constants = sim::constants();
    const auto lowered = [&constants](const SimulatedJob& job) {
      return sim::lower(*job.workload, job.machine, constants.values, job.stated);
    };
    recipes.comparison = sim::compare(lowered(before.job()), lowered(after.job()), constants);
  } else {
    recipes.unpredicted = why_unpredicted(recipes.predicted_after ? before.job() : after.job());
  }
  const std::string format = arguments.text_of("--format", "text");
  session.out << (format == "json" ? report::diff_json(recipes)
                  : format == "markdown"
                      ? report::diff_markdown(recipes)
                      : report::diff_text(recipes, style_of(arguments, session)));
  const bool worse = std::ranges::any_of(
      recipes.difference.introduced,
      [](const review::Told& told) { return told.severity == lint::Severity::error; });
  return worse ? ExitCode::findings : ExitCode::clean;
}

}  // namespace

Command diff_command() {
  std::vector<Option> options = simulation_options({"text", "json", "markdown"});
  for (Option& option : options) {
    if (option.name == "--format") {
      option.summary = "text (default), json, or markdown for a pull request";
    }
  }
  return {
      .name = "diff",
      .usage = "diff [OPTION...] OLD [NEW] [-- WORD...]",
      .summary = "say what a change of a recipe changes",
      .examples = {{"diff old.yaml new.yaml --hw h100 --gpus 64", "two files"},
                   {"diff main:recipes/a.yaml -f markdown", "against a revision, as a comment"}},
      .options = std::move(options),
      .exits = {{ExitCode::clean, "compared; no error is introduced"},
                {ExitCode::findings, "the change introduces an error"}},
      .about = kAbout,
      .operands = Completion::files,
      .takes_words = true,
      .run = run};
}

}  // namespace epwise::cli
