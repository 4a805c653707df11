#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lint/rule.h"

namespace epwise::lint {

/// What one evaluation of a rule says.
struct Outcome {
  enum class Kind : std::uint8_t { passes, fails, open, crashes };
  Kind kind = Kind::passes;
  std::vector<std::string> needs = {};  // open
  std::string crash = {};               // crashes: what upstream's Python would raise
};

/// given → assert in three-valued logic: passes when `given` is false or `assert` true, fails when
/// `given` is true and `assert` false.
Outcome decide(const Rule& rule, const expr::Environment& facts);

/// The union of two lists of names, sorted.
void add_needs(std::vector<std::string>& all, const std::vector<std::string>& more);

}  // namespace epwise::lint
