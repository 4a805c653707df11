#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "expr/value.h"
#include "lint/knowledge.h"
#include "model/facts.h"
#include "text/mark.h"
#include "why/division.h"

/// How a value came about: where it was written, what it is by default, what the launch made of it,
/// and from which others it was computed.
namespace epwise::why {

/// One station of a value.
struct Step {
  enum class Kind : std::uint8_t {
    standard,     // the default of this framework version
    written,      // in the recipe
    replaced,     // by a word behind `--`
    environment,  // by an environment variable
    target,       // by an option or a configuration: gpus, hw, stack
    rewritten,    // by the framework, at its start-up
    unsaid,       // by nobody
  };

  Kind kind = Kind::unsaid;
  expr::Value value;
  text::Mark mark;       // written, replaced: where
  std::string by;        // "Megatron-Bridge 0.6.2", "--gpus", the stage that rewrites
  std::string why;       // rewritten: one clause
  std::string upstream;  // rewritten: "training/comm_overlap.py:479", in head's lines
};

std::string_view to_string(Step::Kind kind);

/// A division in a formula that leaves something over, and the rule that speaks of it.
struct Inexact {
  Remainder remainder;
  const lint::Rule* rule = nullptr;  // null pointer: none does
  bool rejects = false;              // this framework makes that check at its start-up
};

/// A value, its stations, and the values that it was computed from.
struct Trace {
  std::string name;              // as the user's format spells it: "model.x", "--x", "DP"
  std::string key;               // as rules name it: "model.x", "d.DP"
  expr::Value value;             // as executed
  std::string doc;               // derived: what it means
  std::string formula;           // derived: the expression
  bool above = false;            // its inputs stand further up in the tree already
  std::vector<Inexact> inexact;  // derived: rounded down on the way
  std::vector<Step> steps;
  std::vector<Trace> inputs;
};

/// Runs the launch on one recipe and remembers what happens to every value on the way.
class Tracer {
 public:
  Tracer(const recipe::Recipe& recipe,
         const recipe::Vocabulary& vocabulary,
         const model::Target& target,
         const lint::Knowledge& knowledge);

  /// The name as rules write it: from that itself, from the spelling of either format
  /// ("--num-experts", "num_experts", "model.num_moe_experts"), from a plain name
  /// ("data_parallel_size", "DP"), or from the last part of a path that only one field has. Empty
  /// when there is none.
  std::string resolve(std::string_view name) const;

  /// Names that `resolve` takes, for suggestions.
  std::vector<std::string> candidates() const;

  Trace trace(const std::string& key) const;

 private:
  Trace trace(const std::string& key, std::vector<std::string>& shown) const;
  Trace derived_trace(const model::Derived& derived, std::vector<std::string>& shown) const;
  void add_pin(Trace& trace) const;
  void add_remainders(const model::Derived& derived, Trace& trace) const;
  void add_field_steps(const std::string& key, Trace& trace) const;

  struct Source {
    Step::Kind kind = Step::Kind::unsaid;
    std::string by;
    text::Mark mark;
  };

  Source source_of_variable(const std::string& name) const;
  void add_target_steps(const std::string& key, Trace& trace) const;
  /// As the recipe spells it; a flag that switches something off stands behind the name of that.
  std::string name_of(const std::string& key) const;
  const model::Derived* derived_of(const std::string& key) const;
  std::string by_flag(std::string_view name) const;
  std::string by_last_part(std::string_view name) const;

  const recipe::Recipe& recipe_;
  const recipe::Vocabulary& vocabulary_;
  const model::Target& target_;
  const lint::Knowledge& knowledge_;
  model::Facts facts_;
  std::map<int, std::vector<Step>> rewrites_;  // by slot
};

}  // namespace epwise::why
