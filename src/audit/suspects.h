#pragma once

#include <string>
#include <vector>

#include "audit/crash_log.h"
#include "lint/engine.h"
#include "lint/knowledge.h"

namespace epwise::audit {

/// A rule that may be what a crash is about.
struct Suspect {
  const lint::Rule* rule = nullptr;
  int score = 0;      // 65 and more: hardly anything else; below 20: not worth naming
  bool sure = false;  // it stands out, and the score says so
  std::vector<std::string>
      grounds;  // "raised at that line in mlm 0.19.0", "6 of 8 marks of its message"
};

/// The rules that fit a crash, the best first, at most `most`. What counts: the lines and functions
/// of the traceback (per framework version), the words of the message, the rule's own `log`
/// fragments.
/// With a recipe, what was found in it counts too.
std::vector<Suspect> suspects(const Crash& crash,
                              const lint::Knowledge& knowledge,
                              const lint::Result* recipe = nullptr,
                              int most = 3);

/// Scores from which a rule is named, and from which it is meant.
constexpr int kWorthNaming = 20;
constexpr int kSure = 65;

}  // namespace epwise::audit
