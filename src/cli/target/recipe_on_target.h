#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/files/neighbours.h"
#include "cli/session.h"
#include "cli/settings/run_settings.h"
#include "cli/settings/settings.h"
#include "cli/target/resolution.h"
#include "cli/target/vocabularies.h"
#include "lint/knowledge.h"
#include "recipe/load.h"
#include "recipe/recipe.h"
#include "repair/bench.h"

namespace epwise::cli {

/// The options of a command about a single recipe: target, format (text or json), rules,
/// configuration, document.
std::vector<Option> single_recipe_options();

/// One recipe with all that options, its header and the configuration say about it, for commands
/// that ask about a single one. Throws world::UsageError and world::MissingError.
class RecipeOnTarget {
 public:
  /// `path`: a file, "-", or empty for the words behind `--` alone. `given` is what the options
  /// say about the target.
  RecipeOnTarget(Session& session,
                 const Arguments& arguments,
                 std::string path,
                 const TargetSettings& given);

  const lint::Knowledge& knowledge() const { return knowledge_; }

  const model::Target& target() const { return resolved_.target; }

  const lint::Selection& selection() const { return selection_; }

  const Threshold& threshold() const { return threshold_; }

  /// What is known of the run, "name=value", the weakest source first: later ones count.
  const std::vector<Setting>& inputs() const { return inputs_; }

  struct Reading {
    std::shared_ptr<const recipe::Recipe> recipe;
    const recipe::Vocabulary* vocabulary = nullptr;
  };

  /// As the framework version of a target reads it; each version reads it once.
  Reading read(const model::Target& target);

  Reading read() { return read(resolved_.target); }

  /// The recipe's text on the target, to be linted with changes. Refers to this object.
  repair::Bench bench();

  /// The file that was read; null pointer for words alone.
  const std::shared_ptr<const text::SourceFile>& file() const { return file_; }

 private:
  std::shared_ptr<const text::SourceFile> source(Session& session) const;
  recipe::Request request_for(const model::Target& target) const;
  void take_launcher();
  std::vector<recipe::Recipe> load(const model::Target& target);

  std::string path_;
  std::vector<std::string> words_;
  int document_ = 0;
  bool merge_ = false;
  lint::Knowledge knowledge_;
  std::shared_ptr<const text::SourceFile> file_;
  std::shared_ptr<const text::SourceFile> base_;
  Neighbours neighbours_;
  ResolvedTarget resolved_;
  lint::Selection selection_;
  Threshold threshold_;
  std::vector<Setting> inputs_;
  Vocabularies vocabularies_;
  std::vector<std::pair<std::string, Reading>> readings_;  // by framework versions
};

}  // namespace epwise::cli
