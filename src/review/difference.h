#pragma once

#include <string>
#include <vector>

#include "lint/engine.h"
#include "lint/knowledge.h"
#include "model/target.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"
#include "review/effect.h"

namespace epwise::review {

/// A parameter that counts differently, as executed.
struct Changed {
  std::string field;   // as the newer recipe's format writes it
  std::string before;  // "-" where it has no value
  std::string after;
  Effect effect = Effect::neutral;
  std::vector<std::string> rules;  // findings that came or went and read it
  std::string about = {};          // "how tokens reach their experts"; empty: nobody classed it
  bool default_before = false;     // that recipe does not write it
  bool default_after = false;
};

struct Told {
  std::string rule;
  lint::Severity severity = lint::Severity::note;
  std::string message;
};

/// A parameter that nobody changed and that an introduced finding asks to change: by the first of
/// its fixes that takes nothing of the change back.
struct Wanted {
  std::string field;  // as the newer recipe's format writes it
  std::string value;  // as the file would write it; empty: the key goes
  std::string rule;

  auto operator<=>(const Wanted&) const = default;
};

/// What a change of a recipe changes.
struct Difference {
  std::vector<Changed> changed;  // legality first, then training, performance, neutral; by name
  std::vector<Told> introduced;
  std::vector<Told> removed;
  std::vector<Wanted> wanted;  // by name
  /// Fields that nobody changed, and that introduced findings without such a fix read.
  std::vector<std::string> coupled;
};

/// One side: a recipe, linted.
struct Side {
  const recipe::Recipe& recipe;
  const recipe::Vocabulary& vocabulary;
  const model::Target& target;
  const lint::Result& result;
};

Difference difference_of(const Side& before, const Side& after, const lint::Knowledge& knowledge);

}  // namespace epwise::review
