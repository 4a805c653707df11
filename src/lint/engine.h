#pragma once

#include <string>
#include <vector>

#include "lint/finding.h"
#include "lint/knowledge.h"
#include "lint/launch.h"
#include "model/facts.h"
#include "model/target.h"
#include "recipe/recipe.h"

namespace epwise::lint {

/// What was found in one recipe.
struct Result {
  const recipe::Recipe* recipe = nullptr;
  std::string framework_version;  // whose defaults and checks were used
  bool version_assumed = false;   // none was given, or the given one is unknown:
  std::string version_unknown;    // that one; empty otherwise
  Launch launch;
  /// The defect that the launch stumbles over where its rule is not reported, because it follows
  /// from this one; null pointer otherwise.
  const Rule* root = nullptr;
  std::vector<model::Rewrite> effective;
  std::vector<Finding> findings;     // by place, then severity, then id
  std::vector<Accepted> accepted;    // were findings, until a user's word took them out
  std::vector<Explained> explained;  // failed, and follow from the failure of another rule, by id
  std::vector<Open> open;
  std::vector<const Rule*> waiting;  // failed, and wait for a value that is wrong by itself
  int rules_checked = 0;
  std::vector<std::string> crashed_rules;  // our own bugs, isolated: exit 70
};

/// Which rules run: ids, codes, prefixes of either ("overlap/", "EPO").
struct Selection {
  std::vector<std::string> select;  // empty: all
  std::vector<std::string> ignore;

  bool takes(const Rule& rule) const;
};

/// Runs the launch model and every selected rule on one recipe. Pure: same inputs, same result.
/// `vocabulary` counts where the recipe does not bring one of its own (the classes that it names).
///
/// 1. Diagnostics of the readers become findings of their built-in rules.
/// 2. The stages of the framework's pipeline run in order; a check that fires is a finding, the
/// first one is the verdict,
///    and the stages go on, so that the user sees all of them at once.
/// 3. Rules without a place in the launch are evaluated on the values as executed.
/// 4. A rule whose premise failed is a consequence and not reported; one whose premise is open is
/// open. A rule that reads a value which another one finds wrong by itself waits, unreported.
Result lint(const recipe::Recipe& recipe,
            const recipe::Vocabulary& vocabulary,
            const model::Target& target,
            const Knowledge& knowledge,
            const Selection& selection = {});

}  // namespace epwise::lint
