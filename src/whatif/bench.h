#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lint/engine.h"
#include "whatif/axis.h"

namespace epwise::whatif {

/// A recipe as the framework version of one target reads it.
struct Reading {
  std::shared_ptr<const recipe::Recipe> recipe;
  const recipe::Vocabulary* vocabulary = nullptr;
};

/// What is asked about a recipe.
struct Question {
  const lint::Knowledge& knowledge;
  const lint::Selection& selection;
  model::Target target;  // as it stands now
  std::vector<Axis> axes;
  std::function<Reading(const model::Target&)> read;
  std::optional<lint::Severity> fail_on = lint::Severity::error;  // from here on it is not clean
  bool strict = false;                                            // nor with open rules
};

/// One point of each axis.
using Spot = std::vector<std::size_t>;

/// What one rule said at one spot.
struct Sighting {
  const lint::Rule* rule = nullptr;
  bool open = false;  // could not be decided
  lint::Severity severity = lint::Severity::error;
  std::string message;             // of the first finding
  std::vector<std::string> needs;  // open
};

/// What linting at one spot gave.
struct Look {
  lint::Launch launch;
  std::vector<Sighting> sightings;  // one a rule, by id
  std::string framework_version;    // whose tables were used
  std::string version_unknown;      // the version that was asked for, where it has none of its own
  /// What keeps the spot from being clean: rules at or above the threshold, and what rejects the
  /// launch.
  std::vector<const lint::Rule*> blockers;

  bool clean() const { return blockers.empty(); }

  const Sighting* find(const lint::Rule* rule) const;
};

/// Lints a recipe on any spot, each once.
class Bench {
 public:
  explicit Bench(const Question& question) : question_(question) {}

  const Question& question() const { return question_; }

  Spot present() const;
  const Look& look(const Spot& spot);

  std::size_t size() const { return looks_.size(); }  // spots linted so far

  /// The tables of every framework version looked at so far.
  std::vector<const recipe::Vocabulary*> vocabularies() const { return vocabularies_; }

 private:
  Look lint(const Spot& spot);

  const Question& question_;
  std::map<Spot, Look> looks_;
  std::vector<const recipe::Vocabulary*> vocabularies_;
};

}  // namespace epwise::whatif
