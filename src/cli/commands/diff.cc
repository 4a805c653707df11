#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands/all.h"
#include "cli/diff/pairs.h"
#include "cli/files/overlay_files.h"
#include "cli/lint/linting.h"
#include "cli/report_output.h"
#include "cli/simulate/simulation.h"
#include "cli/target/options.h"
#include "cli/target/recipe_on_target.h"
#include "report/diff/writer.h"
#include "report/lint/verdict.h"
#include "sim/constants/constants.h"
#include "sim/step/step.h"

namespace epwise::cli {

namespace {

using world::UsageError;

constexpr std::string_view kAbout = R"(WHAT IS COMPARED
  Values as executed: what the launch makes of them, defaults included. Each that differs is
  legality-changing when an error that reads it comes or goes, else training-changing (the
  mathematics or the data), performance (speed and memory) or neutral. What a finding that
  comes asks to change besides is named with the value: those are usually changed together. Of
  two recipes that start, step time and memory are predicted; of one that does not, the reason is
  told.

  OLD and NEW are files, or REF:PATH for a file as a revision has it; `epwise diff REF:PATH` compares
  with the file of today. As git has it, too: `epwise diff REF PATH...` compares these files with
  their text in a revision, `epwise diff REF` every recipe that differs from it (what differs and is
  no recipe is left aside), and `REF..REF` two revisions. --format markdown is a comment for a pull request.
)";

/// A recipe of one side.
class RecipeReading {
 public:
  RecipeReading(const Session& session, const Arguments& arguments, const DiffSource& source)
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
        reading_(recipe_.read()) {}

  bool is_recipe() const { return reading_.recipe->readable; }

  Session& session() { return session_; }

  const RecipeOnTarget& on_target() const { return recipe_; }

  const RecipeOnTarget::Reading& reading() const { return reading_; }

 private:
  OverlayFiles files_;
  Session session_;
  RecipeOnTarget recipe_;
  RecipeOnTarget::Reading reading_;
};

/// A recipe of one side with everything that is said about it.
class SideReading {
 public:
  SideReading(const Session& session, const Arguments& arguments, const DiffSource& source)
      : recipe_(session, arguments, source),
        result_(lint::lint(*recipe_.reading().recipe,
                           *recipe_.reading().vocabulary,
                           recipe_.on_target().target(),
                           recipe_.on_target().knowledge(),
                           recipe_.on_target().selection())),
        simulator_(recipe_.session(), arguments),
        job_(simulator_.run(source.path, true)) {}

  review::Side side() const {
    return {*recipe_.reading().recipe,
            *recipe_.reading().vocabulary,
            recipe_.on_target().target(),
            result_};
  }

  const lint::Knowledge& knowledge() const { return recipe_.on_target().knowledge(); }

  const SimulatedJob& job() const { return job_; }

  /// What the launch ends with, or what fails behind it; empty for a recipe without errors.
  std::string stopped() const {
    return report::stopped_text({"", recipe_.reading().recipe, result_, {}, {}});
  }

  /// All that lint finds.
  std::vector<review::Told> told() const {
    std::vector<review::Told> told;
    for (const lint::Finding& finding : result_.findings) {
      if (!finding.consequence) {
        told.push_back({std::string(finding.rule->id), finding.severity, finding.message});
      }
    }
    return told;
  }

  std::string target() const {
    return describe(recipe_.on_target().target(), recipe_.reading().recipe->framework);
  }

 private:
  RecipeReading recipe_;
  lint::Result result_;
  Simulator simulator_;  // the job points into it
  SimulatedJob job_;
};

std::string why_unpredicted(const SimulatedJob& job) {
  return job.report.missing.empty() ? "facts are missing" : job.report.missing.front().message;
}

report::RecipeDifference compare(const Session& session,
                                 const Arguments& arguments,
                                 const DiffPair& pair) {
  const SideReading before(session, arguments, *pair.old);
  const SideReading after(session, arguments, *pair.now);
  report::RecipeDifference recipes;
  recipes.before = pair.old->name;
  recipes.after = pair.now->name;
  recipes.target = after.target();
  recipes.difference = review::difference_of(before.side(), after.side(), after.knowledge());
  recipes.stopped_before = before.stopped();
  recipes.stopped_after = after.stopped();
  if (!(recipes.stopped_before + recipes.stopped_after).empty()) {
    return recipes;
  }
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
  return recipes;
}

/// A text of several differences. JSON: one object where there is one pair, else all in one.
class Answer {
 public:
  Answer(std::string_view format, report::Style style, bool several)
      : json_(format == "json"),
        markdown_(format == "markdown"),
        style_(style),
        several_(several && json_) {}

  void add(const report::RecipeDifference& recipes) {
    add(json_       ? report::diff_json(recipes)
        : markdown_ ? report::diff_markdown(recipes)
                    : report::diff_text(recipes, style_));
  }

  void add(const report::OneSided& recipe) {
    add(json_       ? report::diff_json(recipe)
        : markdown_ ? report::diff_markdown(recipe)
                    : report::diff_text(recipe));
  }

  std::string text() const { return several_ ? report::diffs_json(texts_) : text_; }

 private:
  void add(const std::string& text) {
    if (several_) {
      texts_.push_back(text);
      return;
    }
    text_ += text_.empty() ? "" : "\n";
    text_ += text;
  }

  bool json_;
  bool markdown_;
  report::Style style_;
  bool several_;  // in one JSON object
  std::string text_;
  std::vector<std::string> texts_;  // of several_
};

bool is_error(const review::Told& told) {
  return told.severity == lint::Severity::error;
}

report::OneSided added(const Session& session, const Arguments& arguments, const DiffPair& pair) {
  report::OneSided recipe{pair.path, true, {}, {}, {}};
  const SideReading reading(session, arguments, *pair.now);
  recipe.introduced = reading.told();
  recipe.stopped = reading.stopped();
  return recipe;
}

/// Compares pair by pair: what can't be read as a recipe keeps no other from being told.
class Comparing {
 public:
  Comparing(Session& session, const Arguments& arguments, DiffPairs& pairs, Answer& answer)
      : session_(session),
        arguments_(arguments),
        pairs_(pairs),
        answer_(answer) {}

  void take(const DiffPair& pair, bool alone) {
    try {
      tell(pair);
    } catch (const world::MissingError& error) {
      fail(error, alone, ExitCode::unreadable);
    } catch (const UsageError& error) {
      fail(error, alone, ExitCode::usage);
    }
  }

  ExitCode code() const { return code_; }

 private:
  void tell(const DiffPair& pair) {
    bool worse = false;
    if (pair.old && pair.now) {
      const report::RecipeDifference recipes = compare(session_, arguments_, pair);
      worse = std::ranges::any_of(recipes.difference.introduced, is_error);
      answer_.add(recipes);
    } else {
      const report::OneSided recipe =
          pair.now ? added(session_, arguments_, pair)
                   : report::OneSided{pair.path, false, {}, {}, pairs_.naming(pair.path)};
      worse = std::ranges::any_of(recipe.introduced, is_error) || !recipe.named_by.empty();
      answer_.add(recipe);
    }
    code_ = worse ? worst(code_, ExitCode::findings) : code_;
  }

  template <class Error>
  void fail(const Error& error, bool alone, ExitCode code) {
    if (alone) {
      throw;
    }
    session_.err << "epwise: " << error.what() << '\n';
    code_ = worst(code_, code);
  }

  Session& session_;
  const Arguments& arguments_;
  DiffPairs& pairs_;
  Answer& answer_;
  ExitCode code_ = ExitCode::clean;
};

ExitCode run(Session& session, const Arguments& arguments) {
  DiffPairs texts(session);
  const std::vector<DiffPair> pairs = texts.of(arguments.operands);
  if (!texts.left_aside().empty()) {
    session.err << fmt::format("epwise: no recipe, and left aside: {}\n",
                               fmt::join(texts.left_aside(), ", "));
  }
  if (pairs.empty()) {
    session.err << "epwise: no recipe differs\n";
    return ExitCode::clean;
  }
  Answer answer(
      arguments.text_of("--format", "text"), style_of(arguments, session), pairs.size() > 1);
  Comparing comparing(session, arguments, texts, answer);
  for (const DiffPair& pair : pairs) {
    comparing.take(pair, pairs.size() == 1);
  }
  session.out << answer.text();
  return comparing.code();
}

}  // namespace

Command diff_command() {
  std::vector<Option> options = simulation_options({"text", "json", "markdown"});
  for (Option& option : options) {
    if (option.name == "--format") {
      option.summary = "text (default), json, or markdown for a pull request";
    }
  }
  return {.name = "diff",
          .usage = "diff [OPTION...] OLD [NEW] | REF[..REF] [PATH...] [-- WORD...]",
          .summary = "say what a change of a recipe changes",
          .examples = {{"diff old.yaml new.yaml --hw h100 --gpus 64", "two files"},
                       {"diff main recipes/a.yaml -f markdown", "against a revision, as a comment"},
                       {"diff main..topic", "every recipe that a branch changes"}},
          .options = std::move(options),
          .exits = {{ExitCode::clean, "compared; no error is introduced"},
                    {ExitCode::findings,
                     "the change introduces an error: an added recipe's own too, and a removed "
                     "recipe that something still names"}},
          .about = kAbout,
          .operands = Completion::files,
          .takes_words = true,
          .run = run};
}

}  // namespace epwise::cli
