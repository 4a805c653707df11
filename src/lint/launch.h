#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expression.h"
#include "lint/rule.h"
#include "model/facts.h"

/// What the framework does with a recipe between reading it and the first step, as data:
/// rules/launch/<framework>.yaml lists the stages in the order of the real code; a stage rewrites
/// values (its own `rewrites`) and checks them (the rules whose `launch` names it), in the order of
/// upstream's lines. Later stages see what earlier ones wrote.
namespace epwise::lint {

struct RewriteStep {
  std::int32_t slot = -1;    // what is written …
  std::string_view section;  // … or a section that appears or vanishes ("comm_overlap")
  std::int32_t order = 0;
  expr::Expression when;  // empty: always
  expr::Expression value;
  std::string_view why;
  std::vector<Range> versions;
};

struct Stage {
  std::string_view name;    // "comm-overlap"
  std::string_view what;    // one line for `explain`
  std::string_view source;  // upstream function
  expr::Expression when;    // empty: always entered
  std::vector<Range> versions;
  std::vector<std::string_view>
      repeats;                        // runs the steps of these stages once more instead of its own
  std::vector<RewriteStep> rewrites;  // ascending by order
  bool config = false;  // Megatron-LM: the transformer config is built when this stage begins
};

struct Pipeline {
  std::string_view framework;
  std::vector<std::int32_t> created;  // slots of values that only the framework sets
  std::vector<Stage> stages;
};

enum class Verdict : std::uint8_t { starts, rejects, undecided };
std::string_view to_string(Verdict verdict);

/// The launch verdict of one recipe.
struct Launch {
  Verdict verdict = Verdict::starts;
  const Rule* rule = nullptr;      // rejects: the first check that fires
  std::string stage;               // where: "comm-overlap"
  std::string crash;               // rejects by a crash: "TypeError: …"
  std::vector<std::string> needs;  // undecided
};

}  // namespace epwise::lint
