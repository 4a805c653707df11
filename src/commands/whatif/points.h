#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/whatif/axis.h"
#include "lint/engine.h"
#include "session/analysis.h"

namespace epwise::whatif {

/// The request of a what-if run.
struct Question {
  const session::Analysis& base;
  facts::Target target;  // current target
  std::vector<Axis> axes;
  // the severity from which a result is not clean
  std::optional<lint::Severity> fail_on = lint::Severity::error;
  bool strict = false;  // nor with undecided rules

  const lint::Knowledge& knowledge() const { return base.knowledge(); }
};

/// One point of each axis.
using Spot = std::vector<std::size_t>;

/// The result of one rule at one combination.
struct Sighting {
  const lint::Rule* rule = nullptr;
  bool open = false;  // undecided
  lint::Severity severity = lint::Severity::error;
  std::string message;             // of the first finding
  std::vector<std::string> needs;  // open
};

/// The lint result of one combination.
struct Look {
  lint::Launch launch;
  const lint::Rule* cause = nullptr;  // the defect that rejects the launch, as lint reports it
  std::vector<Sighting> sightings;    // one per rule, by id
  std::string framework_version;      // the version whose tables were used
  std::string version_unknown;        // the requested version, if it has no tables of its own
  /// What prevents the combination from being clean: rules at or above the threshold, and the rule
  /// that rejects the launch.
  std::vector<const lint::Rule*> blockers;
  bool accepted = false;  // the launch is rejected, but by nothing that counts for the user

  bool clean() const { return blockers.empty(); }

  const Sighting* find(const lint::Rule* rule) const;
};

/// Lints a recipe at any combination, each once.
class Points {
 public:
  explicit Points(const Question& question) : question_(question) {}

  const Question& question() const { return question_; }

  Spot present() const;
  const Look& look(const Spot& spot);

  std::size_t size() const { return looks_.size(); }  // combinations linted so far

  /// The tables of every framework version used so far.
  std::vector<const recipe::Vocabulary*> vocabularies() const { return vocabularies_; }

 private:
  Look lint(const Spot& spot);

  const session::Analysis& at_version(const facts::Target& target);

  const Question& question_;
  std::map<Spot, Look> looks_;
  std::map<std::string, session::Analysis> readings_;  // by framework versions: each reads it once
  std::vector<const recipe::Vocabulary*> vocabularies_;
};

}  // namespace epwise::whatif
