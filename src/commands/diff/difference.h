#pragma once

#include <string>
#include <vector>

#include "commands/diff/effect.h"
#include "lint/engine.h"
#include "lint/facts/target.h"
#include "lint/knowledge.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::diff {

/// A parameter whose effective value differs, as executed.
struct Changed {
  std::string field;   // in the spelling of the newer recipe's format
  std::string before;  // "-" if it has no value
  std::string after;
  Effect effect = Effect::neutral;
  std::vector<std::string> rules;  // findings that appeared or disappeared and read it
  std::string about = {};          // "token dispatch"; empty: not classified
  bool default_before = false;     // not written in that recipe
  bool default_after = false;
};

struct Told {
  std::string rule;
  lint::Severity severity = lint::Severity::note;
  std::string message;
};

/// An unchanged parameter that an introduced finding asks to change, by the first of its fixes that
/// does not revert the change.
struct Wanted {
  std::string field;  // in the spelling of the newer recipe's format
  std::string value;  // as written in a file; empty: the key is removed
  std::string rule;

  auto operator<=>(const Wanted&) const = default;
};

/// The effects of a change to a recipe.
struct Difference {
  std::vector<Changed> changed;  // legality first, then training, performance, neutral; by name
  std::vector<Told> introduced;
  std::vector<Told> removed;
  std::vector<Told> waived;    // new, and accepted by the user at once
  std::vector<Told> accepted;  // reported before, and now accepted by the user
  std::vector<Wanted> wanted;  // by name
  /// Unchanged fields read by introduced findings without such a fix.
  std::vector<std::string> coupled;
};

/// One side: a linted recipe.
struct Side {
  const recipe::Recipe& recipe;
  const recipe::Vocabulary& vocabulary;
  const facts::Target& target;
  const lint::Result& result;
};

Difference difference_of(const Side& before, const Side& after, const lint::Knowledge& knowledge);

}  // namespace epwise::diff
