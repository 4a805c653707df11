#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lint/engine.h"
#include "lint/facts/facts.h"
#include "recipe/recipe.h"
#include "session/document.h"

namespace epwise::session {

/// One recipe of a document on its target, and what every command reports about it: the findings after
/// selection, comments, severities and baseline. A value: copies share the recipe.
///
///   Workspace workspace(host, given);
///   for (const Analysis& analysis : analyze(workspace.open({"recipe.yaml"}))) {
///     analysis.result.findings                     // what `epwise lint` prints
///     analysis.with(draft).result.findings         // the same for a changed text
///     analysis.on(other_target).result.launch      // the same on another machine or stack
///   }
struct Analysis {
  std::shared_ptr<const Document> document;
  std::size_t place = 0;                         // of the recipe among those of the document
  Draft draft;                                   // the text that was read
  std::shared_ptr<const recipe::Recipe> recipe;  // null pointer: the draft holds fewer recipes
  std::shared_ptr<const facts::Target> target;   // with what a launch script determines
  lint::Result result;
  std::vector<Baseline::Entry> known;  // entries of the baseline that findings match

  const lint::Knowledge& knowledge() const { return *document->knowledge; }

  /// The severity of a rule's findings here: from the configuration, otherwise the rule's own.
  lint::Severity severity_of(const lint::Rule& rule) const;

  const lint::Selection& selection() const { return document->selection; }

  /// The tables that a recipe of this document is read by: its own if it has some.
  const recipe::Vocabulary& vocabulary_of(const recipe::Recipe& other) const;

  /// Those of `recipe`, which must be there.
  const recipe::Vocabulary& vocabulary() const { return vocabulary_of(*recipe); }

  /// The recipe as rules see it, before the framework's launch rewrites it. Refers to this object.
  facts::Facts facts() const;

  /// The same place of a changed text, on the same target.
  Analysis with(Draft changed) const;

  /// A changed text, read but not linted: `result` is empty.
  Analysis read(Draft changed) const;

  /// The same text on another target; the recipe is read anew only where another version of the
  /// framework reads it.
  Analysis on(const facts::Target& other) const;
};

/// Every recipe of the document that its choice names, in order. A text that is not a recipe gives
/// one with `recipe->readable == false` and the reasons as findings. Throws os::MissingError
/// if the chosen document does not exist.
///
/// `more` adds findings that come from elsewhere than rules (predictions), before what the user
/// accepts is taken out of them; may be empty.
std::vector<Analysis> analyze(const std::shared_ptr<const Document>& document,
                              const std::function<void(Analysis&)>& more = {});

/// The one recipe of a document, for commands that ask about a single one. Throws os::UsageError
/// for several recipes without a choice, os::MissingError for a text that is not a readable
/// recipe.
Analysis analyze_one(const std::shared_ptr<const Document>& document);

/// Throws os::UsageError if the recipes of two files cannot be paired one by one.
void check_same_number(const std::vector<Analysis>& a, const std::vector<Analysis>& b);

/// The same of analyses that exist; `path` is of their document.
Analysis only_one(std::vector<Analysis> analyses, const std::string& path);

/// Throws os::MissingError for a text that is not a readable recipe.
void check_readable(const Analysis& analysis);

/// Whether a text, found in a folder and not named by the user, is something other than a recipe.
bool is_not_a_recipe(const std::vector<Analysis>& analyses);

/// Whether a finding stops what comes after linting (a prediction, advice): an error of a rule that
/// is neither in preview nor itself a prediction.
bool is_error(const lint::Finding& finding);

int count_errors(const lint::Result& result);

/// The errors that lint reports, predictions included (memory that a GPU does not have): a recipe
/// with one of these still has a predicted step and plans.
int count_reported_errors(const lint::Result& result);

/// Whether a recipe fails a run: a finding at or above the threshold or, under `strict`, an
/// undecided rule. Rules in preview never count.
bool fails(const lint::Result& result, const Threshold& threshold);

}  // namespace epwise::session
