#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/crash_log.h"
#include "lint/engine.h"
#include "lint/knowledge.h"

namespace epwise::audit {

/// What a suspicion rests on, the weakest first. Words stay when lines move from one version to the
/// next.
enum class Basis : std::uint8_t {
  place,  // the line of the traceback alone
  alike,  // words that the message shares with the rule's check
  code,   // the source line that the traceback shows
  words,  // the message holds words that only this check says
};

std::string_view to_string(Basis basis);

/// A rule that may be what a crash is about.
struct Suspect {
  const lint::Rule* rule = nullptr;
  Basis basis = Basis::place;
  int score = 0;            // among those of one basis
  int place = 0;            // of the lines of the traceback, beside the words
  bool sure = false;        // its words are there, and nobody else's
  bool of_version = false;  // a line is that of the version that the recipe is for
  int support =
      0;  // by the recipe: 2 its launch ends with the rule, 1 it breaks it, -1 it does not
  std::vector<std::string> grounds;  // `the message holds "…"`, "line 843 of f in mlm 0.19.0"
};

/// The rules that fit a crash, the best first, at most `most`. Only rules that can raise are asked:
/// checks of the launch, and those with `log` fragments. A message that says something else than a
/// rule's check speaks against the rule, whatever the line. With a recipe, what it breaks comes
/// before weak words of what it does not break, decides between equals, and the version of its
/// target tells which line numbers count.
std::vector<Suspect> suspects(const Crash& crash,
                              const lint::Knowledge& knowledge,
                              const lint::Result* recipe = nullptr,
                              int most = 3);

}  // namespace epwise::audit
