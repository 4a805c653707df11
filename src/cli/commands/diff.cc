#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands/all.h"
#include "cli/files/file_selection.h"
#include "cli/files/git.h"
#include "cli/files/overlay_files.h"
#include "cli/files/places.h"
#include "cli/lint/linting.h"
#include "cli/report_output.h"
#include "cli/simulate/simulation.h"
#include "cli/target/options.h"
#include "cli/target/recipe_on_target.h"
#include "report/diff/writer.h"
#include "sim/constants/constants.h"
#include "sim/step/step.h"

namespace epwise::cli {

namespace {

using world::UsageError;

constexpr std::string_view kAbout = R"(WHAT IS COMPARED
  Values as executed: what the launch makes of them, defaults included. Each that differs is
  legality-changing when an error that reads it comes or goes, else training-changing (the
  mathematics or the data), performance (speed and memory) or neutral. What a finding that
  comes asks to change besides is named with the value: those are usually changed together.

  OLD and NEW are files, or REF:PATH for a file as a revision has it; `epwise diff REF:PATH` compares
  with the file of today. As git has it, too: `epwise diff REF PATH...` compares these files with
  their text in a revision, `epwise diff REF` every recipe that differs from it, and `REF..REF` two
  revisions. --format markdown is a comment for a pull request.
)";

/// One side of the comparison: a name, and the file system in which its path holds its text.
struct Source {
  std::string name;
  std::string path;
  std::optional<std::string> text;  // of a revision
};

struct Pair {
  std::string path;  // as it is shown
  std::optional<Source> old;
  std::optional<Source> now;  // nullopt: that side has no such file
};

/// A recipe of one side.
class RecipeReading {
 public:
  RecipeReading(const Session& session, const Arguments& arguments, const Source& source)
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

/// Turns what was asked for into pairs of texts.
class Pairs {
 public:
  Pairs(const Session& session, const Arguments& arguments)
      : session_(session),
        arguments_(arguments),
        files_(session.files),
        git_(session.programs) {}

  std::vector<Pair> of(const std::vector<std::string>& operands) {
    if (operands.empty()) {
      throw UsageError(std::string(kWhich));
    }
    const auto [old, now] = revisions(operands.front());
    if (!old.empty()) {
      return operands.size() == 1 ? all_between(old, now)
                                  : named({operands.begin() + 1, operands.end()}, old, now);
    }
    if (operands.size() > 2) {
      throw UsageError(std::string(kWhich));
    }
    Source first = source_of(operands.front());
    if (operands.size() == 1 && !first.text) {
      throw UsageError(std::string(kWhich));
    }
    Source second = operands.size() == 1 ? Source{first.path, first.path, std::nullopt}
                                         : source_of(operands[1]);
    return {{first.path, std::move(first), std::move(second)}};
  }

 private:
  static constexpr std::string_view kWhich =
      "which two? `epwise diff old.yaml new.yaml`, `epwise diff main:a.yaml`, or as git has it: "
      "`epwise diff main a.yaml`, `epwise diff main`, `epwise diff main..topic`";

  /// "main" → main and nothing: the files of today; "a..b" → both; nothing where it is a file.
  std::pair<std::string, std::string> revisions(const std::string& word) const {
    if (files_.is_file(word)) {
      return {};
    }
    const std::size_t dots = word.find("..");
    if (dots != std::string::npos && dots > 0) {
      const std::string old = word.substr(0, dots);
      const std::string now = word.substr(dots + 2);
      if (git_.has_revision(old) && (now.empty() || git_.has_revision(now))) {
        return {old, now.empty() ? "HEAD" : now};
      }
    }
    return git_.has_revision(word) ? std::pair(word, std::string())
                                   : std::pair<std::string, std::string>();
  }

  /// From the root of the checkout.
  std::string name_in_checkout(const std::string& path) const {
    const std::string absolute = join(folder_of(files_, path), path.substr(path.rfind('/') + 1));
    const auto name = below(git_.root(), absolute);
    if (!name) {
      throw UsageError(fmt::format("{} lies outside of the checkout", path));
    }
    return *name;
  }

  /// An empty revision is the file of today.
  std::optional<Source> at(const std::string& revision, const std::string& path) const {
    if (revision.empty()) {
      return files_.is_file(path) ? std::optional(Source{path, path, std::nullopt}) : std::nullopt;
    }
    auto text = git_.show(revision, name_in_checkout(path));
    return text ? std::optional(Source{revision + ":" + path, path, std::move(text)})
                : std::nullopt;
  }

  std::vector<Pair> named(const std::vector<std::string>& paths,
                          const std::string& old,
                          const std::string& now) const {
    std::vector<Pair> pairs;
    for (const std::string& path : paths) {
      Pair pair{path, at(old, path), at(now, path)};
      if (!pair.old && !pair.now) {
        throw world::MissingError(fmt::format("no such file: {}, and none in {}", path, old));
      }
      pairs.push_back(std::move(pair));
    }
    return pairs;
  }

  /// Recipes and launch scripts; whatever else changed is left out.
  std::vector<Pair> all_between(const std::string& old, const std::string& now) const {
    std::vector<Pair> pairs;
    const std::string root = git_.root();
    for (const std::string& name :
         now.empty() ? git_.changed_since(old) : git_.changed_between(old, now)) {
      if (!is_lintable(name)) {
        continue;
      }
      const std::string path = shown(files_, join(root, name));
      Pair pair{path, at(old, path), at(now, path)};
      if (is_recipe(pair.old) || is_recipe(pair.now)) {
        pairs.push_back(std::move(pair));
      }
    }
    return pairs;
  }

  /// What can't be looked at is compared, so that it is told why.
  bool is_recipe(const std::optional<Source>& source) const {
    if (!source) {
      return false;
    }
    try {
      return RecipeReading(session_, arguments_, *source).is_recipe();
    } catch (const world::MissingError&) {
      return true;
    } catch (const UsageError&) {
      return true;
    }
  }

  Source source_of(const std::string& word) const {
    const std::size_t colon = word.find(':');
    if (files_.is_file(word) || word == "-") {
      return {word, word, std::nullopt};
    }
    if (colon == std::string::npos || colon == 0) {
      throw world::MissingError(
          fmt::format("{}: neither a file nor a revision that git knows here", word));
    }
    const std::string path = word.substr(colon + 1);
    auto found = at(word.substr(0, colon), path);
    if (!found) {
      throw world::MissingError(fmt::format("{} has no file {}", word.substr(0, colon), path));
    }
    return std::move(*found);
  }

  const Session& session_;
  const Arguments& arguments_;
  const world::Files& files_;
  Git git_;
};

/// A recipe of one side with everything that is said about it.
class SideReading {
 public:
  SideReading(const Session& session, const Arguments& arguments, const Source& source)
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
                                 const Pair& pair) {
  const SideReading before(session, arguments, *pair.old);
  const SideReading after(session, arguments, *pair.now);
  report::RecipeDifference recipes;
  recipes.before = pair.old->name;
  recipes.after = pair.now->name;
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

  /// A recipe that only one side has.
  void add(std::string_view what, const std::string& path) {
    if (json_) {
      add(report::one_sided_json(path, what));
    } else if (markdown_) {
      add(fmt::format("### epwise: `{}` is {}\n", path, what));
    } else {
      add(fmt::format("{}: {}\n", path, what));
    }
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

ExitCode run(Session& session, const Arguments& arguments) {
  const std::vector<Pair> pairs = Pairs(session, arguments).of(arguments.operands);
  if (pairs.empty()) {
    session.err << "epwise: no recipe differs\n";
    return ExitCode::clean;
  }
  Answer answer(
      arguments.text_of("--format", "text"), style_of(arguments, session), pairs.size() > 1);
  bool worse = false;
  for (const Pair& pair : pairs) {
    if (!pair.old || !pair.now) {
      answer.add(pair.now ? "added" : "removed", pair.path);
      continue;
    }
    const report::RecipeDifference recipes = compare(session, arguments, pair);
    answer.add(recipes);
    worse =
        worse || std::ranges::any_of(recipes.difference.introduced, [](const review::Told& told) {
          return told.severity == lint::Severity::error;
        });
  }
  session.out << answer.text();
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
  return {.name = "diff",
          .usage = "diff [OPTION...] OLD [NEW] | REF[..REF] [PATH...] [-- WORD...]",
          .summary = "say what a change of a recipe changes",
          .examples = {{"diff old.yaml new.yaml --hw h100 --gpus 64", "two files"},
                       {"diff main recipes/a.yaml -f markdown", "against a revision, as a comment"},
                       {"diff main..topic", "every recipe that a branch changes"}},
          .options = std::move(options),
          .exits = {{ExitCode::clean, "compared; no error is introduced"},
                    {ExitCode::findings, "the change introduces an error"}},
          .about = kAbout,
          .operands = Completion::files,
          .takes_words = true,
          .run = run};
}

}  // namespace epwise::cli
