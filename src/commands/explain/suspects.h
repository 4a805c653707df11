#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commands/explain/crash_log.h"
#include "lint/engine.h"
#include "lint/knowledge.h"
#include "lint/rule.h"

namespace epwise::audit {

/// What a match is based on, weakest first. Words survive when lines move between versions.
enum class Basis : std::uint8_t {
  place,  // only the line number in the traceback
  alike,  // words shared by the message and the rule's check
  code,   // the source line that the traceback shows
  words,  // the message contains words that are unique to this check
};

std::string_view to_string(Basis basis);

/// A rule that may explain a crash.
struct Suspect {
  const lint::Rule* rule = nullptr;
  Basis basis = Basis::place;
  int score = 0;            // rank among matches with the same basis
  int place = 0;            // the line of the traceback matches, in addition to the words
  bool sure = false;        // its words match, and no other rule's do
  bool of_version = false;  // a line number matches the version that the recipe targets
  // from the recipe: 2 its launch ends with the rule, 1 it violates it, -1 it does not
  int support = 0;
  std::vector<std::string> grounds;  // `the message contains "…"`, "line 843 of f in mlm 0.19.0"
};

/// The rules that match a crash, best first, at most `most`. Only considers rules that can raise:
/// launch checks, and rules with `log` fragments. A message that differs from a rule's check counts
/// against the rule, whatever the line number. With a recipe, violated rules rank above weak word
/// matches of other rules and break ties, and the version of its target determines the line
/// numbers.
std::vector<Suspect> suspects(const Crash& crash,
                              const lint::Knowledge& knowledge,
                              const lint::Result* recipe = nullptr,
                              int most = 3);

/// The lint result of a recipe with respect to one rule.
struct Standing {
  enum class Kind : std::uint8_t {
    found,      // the recipe violates it
    explained,  // it does, as a consequence of another rule's finding
    open,       // undecided
    absent,     // the recipe's framework version does not have this check
    holds,
  };
  Kind kind = Kind::holds;
  bool ends_launch = false;                // it is the check that stops the launch
  const lint::Finding* finding = nullptr;  // found: that one; explained: what explains it
  const lint::Rule* by = nullptr;          // explained
  const lint::Open* open = nullptr;

  bool broken() const { return kind == Kind::found || kind == Kind::explained; }
};

/// "found", "explained", …
std::string_view to_string(Standing::Kind kind);

Standing standing(const lint::Rule& rule, const lint::Result& recipe);

}  // namespace epwise::audit
