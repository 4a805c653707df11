#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/all.h"
#include "commands/diff/comparing.h"
#include "commands/diff/pairs.h"
#include "commands/diff/report.h"
#include "commands/simulate/simulation.h"
#include "session/workspace.h"
#include "ui/report_output.h"

namespace epwise::cli {

namespace {

using os::UsageError;

constexpr std::string_view kAboutDiff = R"(WHAT IS COMPARED
  Values as executed: after the framework's launch has processed them, including defaults. A changed
  value is classified as legality-changing if an error that reads it appears or disappears,
  otherwise as training-changing (numerics or data), performance (speed and memory) or neutral. If a
  new finding asks for further changes, they are listed with the value: these are usually changed
  together. If both recipes start, step time and memory are predicted; if one does not, the reason
  is reported.

  OLD and NEW are files, two directories (the files of the same name in both), or REF:PATH for a
  file at a git revision; `epwise diff REF:PATH` compares with the file in the working tree. As in
  git, `epwise diff REF PATH...` compares these files and directories with a revision, `epwise diff
  REF` compares every changed recipe (changed files that are not recipes are skipped), and
  `REF..REF` compares two revisions. --format markdown writes a pull-request comment.
)";

/// A text of several differences. JSON: one object for a single pair, otherwise all in one.
class Answer {
 public:
  Answer(std::string_view format, report::Style style, bool several)
      : json_(format == "json"),
        markdown_(format == "markdown"),
        style_(style),
        several_(several) {}

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

  std::string text() const {
    return json_ && (several_ || texts_.size() > 1) ? report::diffs_json(texts_)
                                                    : fmt::format("{}", fmt::join(texts_, "\n"));
  }

 private:
  void add(std::string text) { texts_.push_back(std::move(text)); }

  bool json_;
  bool markdown_;
  report::Style style_;
  bool several_;  // pairs of files
  std::vector<std::string> texts_;
};

/// Compares pair by pair: an unreadable recipe does not prevent the others from being reported.
class Comparing {
 public:
  Comparing(Console& console, const Arguments& arguments, DiffPairs& pairs, Answer& answer)
      : console_(console),
        workspace_(console.host(), given_by(arguments)),
        simulator_(console, arguments, workspace_),
        pairs_(pairs),
        answer_(answer) {}

  void take(const DiffPair& pair, bool alone) {
    try {
      tell(pair);
    } catch (const os::MissingError& error) {
      fail(error, alone, ExitCode::unreadable);
    } catch (const UsageError& error) {
      fail(error, alone, ExitCode::usage);
    }
  }

  ExitCode code() const { return code_; }

 private:
  void tell(const DiffPair& pair) {
    if (pair.old && pair.now) {
      tell_both(*pair.old, *pair.now);
    } else if (pair.now) {
      for (const Analysis& added : analyses_of(*pair.now)) {
        const report::OneSided recipe = added_recipe(added.recipe->path, added);
        count(introduces_failure(recipe.introduced, added.document->threshold));
        answer_.add(recipe);
      }
    } else {
      const report::OneSided recipe{pair.path, false, {}, {}, pairs_.naming(pair.path)};
      count(!recipe.named_by.empty());
      answer_.add(recipe);
    }
  }

  /// The recipes of two texts, one by one.
  void tell_both(const DiffSource& old, const DiffSource& now) {
    std::vector<Analysis> before = analyses_of(old);
    std::vector<Analysis> after = analyses_of(now);
    session::check_same_number(before, after);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::string name = name_of(old, before[i]);
      const ComparedSide newer{name_of(now, after[i]), std::move(after[i])};
      const report::RecipeDifference recipes =
          difference_of(simulator_, {name, std::move(before[i])}, newer);
      count(introduces_failure(recipes.difference.introduced, newer.analysis.document->threshold));
      answer_.add(recipes);
    }
  }

  /// "main:job.sbatch#2"
  static std::string name_of(const DiffSource& source, const Analysis& analysis) {
    const std::string& path = analysis.recipe->path;
    const std::size_t hash = path.rfind('#');
    return source.number != 0 || hash == std::string::npos || hash < source.path.size()
               ? source.name
               : source.name + path.substr(hash);
  }

  void count(bool worse) { code_ = worse ? worst(code_, ExitCode::findings) : code_; }

  std::vector<Analysis> analyses_of(const DiffSource& source) {
    std::vector<Analysis> all =
        analyze(workspace_.open({source.path, source.text, false, source.number}));
    std::ranges::for_each(all, check_readable);
    return all;
  }

  template <class Error>
  void fail(const Error& error, bool alone, ExitCode code) {
    if (alone) {
      throw;
    }
    console_.err << "epwise: " << error.what() << '\n';
    code_ = worst(code_, code);
  }

  Console& console_;
  Workspace workspace_;
  Simulator simulator_;  // jobs point into it
  DiffPairs& pairs_;
  Answer& answer_;
  ExitCode code_ = ExitCode::clean;
};

ExitCode run_diff(Console& console, const Arguments& arguments) {
  DiffPairs texts(console);
  const std::vector<DiffPair> pairs = texts.of(arguments);
  if (!texts.left_aside().empty()) {
    console.err << fmt::format("epwise: skipped, not a recipe: {}\n",
                               fmt::join(texts.left_aside(), ", "));
  }
  if (pairs.empty()) {
    console.err << "epwise: no recipe differs\n";
    return ExitCode::clean;
  }
  Answer answer(
      arguments.text_of("--format", "text"), style_of(arguments, console), pairs.size() > 1);
  Comparing comparing(console, arguments, texts, answer);
  for (const DiffPair& pair : pairs) {
    comparing.take(pair, pairs.size() == 1);
  }
  console.out << answer.text();
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
          .summary = "show the effects of a change to a recipe",
          .examples = {{"diff old.yaml new.yaml --hw h100 --gpus 64", "two files"},
                       {"diff main recipes/a.yaml -f markdown",
                        "against a revision, as a pull-request comment"},
                       {"diff main..topic", "every recipe changed on a branch"},
                       {"diff old/ new/", "recipes with the same names"}},
          .options = std::move(options),
          .exits = {{ExitCode::clean, "compared; no new error"},
                    {ExitCode::findings,
                     "the change introduces an error; this includes errors in an added recipe, and "
                     "removing a recipe that another file still refers to"},
                    {ExitCode::nothing_checked,
                     "nothing compared: one directory is empty, or both contain no recipe"}},
          .about = kAboutDiff,
          .operands = Completion::files,
          .takes_words = true,
          .run = run_diff};
}

}  // namespace epwise::cli
