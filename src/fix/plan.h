#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fix/search.h"
#include "fix/verdict.h"
#include "lint/finding.h"
#include "lint/rule.h"

namespace epwise::fix {

/// An applied fix and its reason.
struct Repair {
  struct Edit {
    std::string field;                  // in the user's spelling
    std::optional<std::string> before;  // as it was; nullopt: not set
    std::optional<std::string> after;   // nullopt: the key is removed
  };

  std::string rule;  // id of the finding that offers it
  lint::Tier tier = lint::Tier::neutral;
  std::vector<Edit> edits;
};

/// The effect of a fix of this finding. Its marks must still point into an existing text.
Repair repair_of(const lint::Fix& fix, const lint::Finding& finding);

/// "model.num_moe_experts: 60 → 64", "add model.x: 1", "remove --swiglu"; for words of a command
/// "--num-experts 60 → 64", "model.x=1 → 2", "add --bf16".
std::string to_text(const Repair::Edit& edit, bool of_words = false);

/// Adds repairs made on the text left by earlier ones: if both change a field, the later repair
/// covers the whole change, and a change that ends where it started is dropped.
void append(std::vector<Repair>& made, std::vector<Repair> more);

/// The result of fixing a recipe within a tier.
struct Plan {
  session::Analysis after;      // the changed recipe
  std::vector<Repair> repairs;  // in the order in which they were made
  int trials = 0;               // number of lint runs
  bool bounded = false;         // the search was cut short: fewer changes may suffice
};

/// Errors that are not consequences of others.
std::size_t errors_in(const lint::Result& result);

/// First corrects misspellings. Then finds the cheapest set of fixes that leaves no errors, none
/// above `highest`; then fixes warnings and, if that does not affect the run, notes, one by one;
/// repeats until nothing changes, so planning the result again finds nothing to do. Errors that no
/// fix of the tier resolves remain; a higher tier never leaves more of them than a lower one. Every
/// set is linted before it is accepted: no new finding at or above warning, no worse launch.
Plan plan(const session::Analysis& before, lint::Tier highest, const Bounds& bounds = {});

/// A fix that resolves a finding together with the follow-up fixes that it requires: if switching
/// graphs off leaves a list of modules without effect, the list is removed too. nullopt if a few
/// changes within the tier do not lead to a clean result. `before` is the lint result of the
/// original recipe; the marks of the result point into its text. `trials` is increased by the
/// number of lint runs.
std::optional<lint::Fix> composed_fix(const session::Analysis& before,
                                      const lint::Finding& finding,
                                      lint::Tier highest,
                                      int& trials);

}  // namespace epwise::fix
