#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lint/facts/facts.h"
#include "lint/facts/target.h"
#include "lint/finding.h"
#include "lint/knowledge.h"
#include "recipe/recipe.h"

namespace epwise::lint {

struct Ledger;  // lint/launch_run.h

/// The lint result of one recipe.
struct Result {
  const recipe::Recipe* recipe = nullptr;
  std::string framework_version;  // the version whose defaults and checks were used
  bool version_assumed = false;   // no version was given, or the given one is unknown:
  std::string version_unknown;    // that one; empty otherwise
  Launch launch;
  /// The defect that stops the launch if its own rule is not reported because it follows from this
  /// one; otherwise a null pointer.
  const Rule* root = nullptr;
  bool stop_selected = true;  // whether the selection takes the rule that stops the launch
  std::vector<facts::Rewrite> effective;
  std::vector<Finding> findings;     // by place, then severity, then id
  std::vector<Accepted> accepted;    // findings that the user has accepted
  std::vector<Explained> explained;  // failed as a consequence of another rule's failure, by id
  std::vector<Open> open;
  std::vector<const Rule*> waiting;  // failed, but suppressed by an invalid value
  int rules_checked = 0;
  std::vector<std::string> crashed_rules;  // internal errors, isolated: exit 70
  std::shared_ptr<const Ledger> ledger;    // for Variants of the same recipe

  /// The defect that stops the launch, as it is reported; a null pointer if nothing does.
  const Rule* cause() const { return root == nullptr ? launch.rule : root; }
};

/// Why the defect that stops the launch does not count for the user.
struct Waiver {
  enum class Kind : std::uint8_t { none, accepted, lowered, deselected };
  Kind kind = Kind::none;               // none: it counts, or nothing stops the launch
  std::string source = {};              // accepted: "recipe.yaml:12", "baseline.yaml"
  Severity severity = Severity::error;  // lowered: what it counts as here
};

/// The waiver of the launch's verdict, after everything that the user accepts was taken out of the
/// findings. Every command that weighs a rejected launch asks this.
Waiver waiver_of(const Result& result);

/// Which rules run. A pattern is an id, a code, a prefix of either ("overlap/", "EPO"), or a
/// confidence ("proven": rules that an upstream check or a run confirms).
struct Selection {
  /// A change of what `select` and `ignore` take.
  struct Extension {
    std::string pattern;
    bool takes = true;  // false: ignores
  };

  std::vector<std::string> select;  // empty: all
  std::vector<std::string> ignore;
  std::vector<Extension> extensions = {};  // the last match applies

  bool takes(const Rule& rule) const;
};

/// Runs the launch model and every selected rule on one recipe. Pure: same inputs, same result.
/// `defaults` is used unless the recipe brings its own (for the classes that it names).
///
/// 1. Diagnostics of the readers become findings of their built-in rules.
/// 2. The stages of the framework's pipeline run in order; a check that fires is a finding, the first
///    one is the verdict, and the stages go on, so that the user sees all of them at once.
/// 3. Rules without a place in the launch are evaluated on the values as executed.
/// 4. A rule whose premise failed is a consequence and not reported; one whose premise is undecided is
///    undecided. A rule that reads a value that is invalid by itself is suppressed.
Result lint(const recipe::Recipe& recipe,
            const recipe::Vocabulary& defaults,
            const facts::Target& target,
            const Knowledge& knowledge,
            const Selection& selection = {});

}  // namespace epwise::lint
