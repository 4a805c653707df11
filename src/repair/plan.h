#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lint/finding.h"
#include "lint/rule.h"
#include "repair/bench.h"
#include "repair/search.h"

namespace epwise::repair {

/// A fix that is made, and what it was made for.
struct Repair {
  struct Edit {
    std::string field;                  // as the user writes it
    std::optional<std::string> before;  // as it stood there; nullopt: it did not
    std::optional<std::string> after;   // nullopt: the key goes
  };

  std::string rule;  // id of the finding that offers it
  lint::Tier tier = lint::Tier::neutral;
  std::vector<Edit> edits;
};

/// What a fix of this finding does. Its marks must still point into a text that is there.
Repair repair_of(const lint::Fix& fix, const lint::Finding& finding);

/// "model.num_moe_experts: 60 → 64", "add model.x: 1", "remove --swiglu"; of the words of a command
/// "--num-experts 60 → 64", "model.x=1 → 2", "add --bf16".
std::string to_text(const Repair::Edit& edit, bool of_words = false);

/// Adds repairs that were made on the text that the others left: where both change a field, the
/// later repair tells of the whole way, and a way that ends where it began is none.
void append(std::vector<Repair>& made, std::vector<Repair> more);

/// What can be done about a recipe within a tier.
struct Plan {
  Trial after;                  // the changed recipe, linted
  std::vector<Repair> repairs;  // in the order in which they were found
  int trials = 0;               // how often the recipe was linted
  bool bounded = false;         // the search was cut short: fewer changes may do
};

/// Errors, without those that others explain.
std::size_t errors_in(const lint::Result& result);

/// First what is misspelt is put right. Then the cheapest set of fixes with which the recipe has no
/// errors, none above `highest`; then what can be done about warnings and, where it changes nothing
/// in the run, notes, one by one; and so on until nothing changes any more: planning the result
/// again finds nothing to do. Errors that no fix of the tier settles stay; a higher tier never
/// leaves more of them than a lower one. Every set is linted before it counts: no new finding at or
/// above warning, no worse launch.
Plan plan(const Bench& bench, const Trial& before, lint::Tier highest, const Bounds& bounds = {});

}  // namespace epwise::repair
