#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "expr/expression.h"
#include "expr/value.h"
#include "lint/engine.h"
#include "lint/facts/facts.h"
#include "lint/knowledge.h"

namespace epwise::why {

/// An integer division with a remainder: 60 // 16 leaves 12.
struct Remainder {
  std::string dividend;  // values as text: "60"
  std::string divisor;   // "16"
  std::string left;      // "12"
  std::string modulo;  // the same operands as a condition would write them: "gpus % (d.TP * d.PP)"
};

/// Every `//` evaluated in the expression that has a remainder; of `c ? a : b` only the branch that
/// is taken. `text`: the expression as written.
std::vector<Remainder> remainders(const expr::Expression& expression,
                                  std::string_view text,
                                  const expr::Environment& facts);

}  // namespace epwise::why

/// How a value is computed: where it is written, its default, what the launch makes of it, and the
/// values from which it is computed.

namespace epwise::why {

/// One stage of a value.
struct Step {
  enum class Kind : std::uint8_t {
    standard,     // the default of this framework version
    written,      // in the recipe
    replaced,     // by a word after `--`
    environment,  // by an environment variable
    target,       // by an option or a configuration: gpus, hw, stack
    rewritten,    // by the framework, at its start-up
    unsaid,       // not given anywhere
  };

  Kind kind = Kind::unsaid;
  expr::Value value;
  text::Mark mark;           // written, replaced: where
  std::string by;            // "Megatron-Bridge 0.6.2", "--gpus", the stage that rewrites
  std::string why;           // rewritten: one clause
  std::string upstream;      // rewritten: "training/comm_overlap.py:479", in head's line numbers
  text::Mark assigned = {};  // written: the value in the assignment of the script's variable
};

std::string_view to_string(Step::Kind kind);

/// A division in a formula with a remainder, and the rule about it.
struct Inexact {
  Remainder remainder;
  const lint::Rule* rule = nullptr;  // null pointer: no rule
  bool rejects = false;              // this framework makes that check at start-up
  std::string waiver = {};           // ", accepted by run.yaml:7"; ", undecided: unknown gpus"
};

/// A value, its stages, and the values from which it was computed.
struct Trace {
  std::string name;               // in the user's spelling: "model.x", "--x", "DP"
  std::string key;                // as named by rules: "model.x", "d.DP"
  expr::Value value;              // as executed
  std::string doc;                // derived: what it means
  std::string formula;            // derived: the expression
  std::string trainer_step = {};  // of a trainer: what a step of the optimizer has of it, "64"
  bool above = false;             // its inputs are already further up in the tree
  std::vector<Inexact> inexact;   // derived: rounded down during the computation
  std::vector<Step> steps;
  std::vector<Trace> inputs;
};

/// Runs the launch on one recipe and records what happens to every value.
class Tracer {
 public:
  Tracer(const recipe::Recipe& recipe,
         const recipe::Vocabulary& vocabulary,
         const facts::Target& target,
         const lint::Knowledge& knowledge);

  /// The name as written in rules: from that itself, from the spelling of either format
  /// ("--num-experts", "num_experts", "model.num_moe_experts"), from a common name
  /// ("data_parallel_size", "DP"), or from the last part of a path if only one field has it. Empty
  /// if there is none.
  std::string resolve(std::string_view name) const;

  /// Names accepted by `resolve`, for suggestions.
  std::vector<std::string> candidates() const;

  Trace trace(const std::string& key) const;

 private:
  Trace trace(const std::string& key, std::vector<std::string>& shown) const;
  Trace derived_trace(const facts::Derived& derived, std::vector<std::string>& shown) const;
  std::string trainer_step(std::string_view key) const;
  void add_pin(Trace& trace) const;
  void add_remainders(const facts::Derived& derived, Trace& trace) const;
  void add_field_steps(const std::string& key, Trace& trace) const;

  struct Source {
    Step::Kind kind = Step::Kind::unsaid;
    std::string by;
    text::Mark mark;
  };

  Source source_of_variable(const std::string& name) const;
  void add_target_steps(const std::string& key, Trace& trace) const;
  /// In the recipe's spelling; a flag that switches something off is appended to the name.
  std::string name_of(const std::string& key) const;
  const facts::Derived* derived_of(const std::string& key) const;
  std::string by_flag(std::string_view name) const;
  std::string by_last_part(std::string_view name) const;

  const recipe::Recipe& recipe_;
  const recipe::Vocabulary& vocabulary_;
  const facts::Target& target_;
  const lint::Knowledge& knowledge_;
  facts::Facts facts_;
  std::map<expr::NameSlot, std::vector<Step>> rewrites_;
};

/// Takes over what a lint of the same recipe says about the rules of a trace's remainders: accepted,
/// undecided, or not violated (then the remainder has no consequence).
void judge_remainders(const lint::Result& result, Trace& trace);

}  // namespace epwise::why
