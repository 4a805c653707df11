#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "expr/comparison.h"
#include "expr/expression.h"

namespace epwise::expr {

/// What the unknowns met so far need; allocates only when there is one.
class Needs {
 public:
  void add(const Value& value) {
    open_ = true;
    collect_needs(value, names_);
  }

  void add(Needs other) {
    open_ = open_ || other.open_;
    names_.insert(names_.end(), other.names_.begin(), other.names_.end());
  }

  bool open() const { return open_; }

  Value value() { return Value::unknown(std::move(names_)); }

 private:
  bool open_ = false;
  std::vector<std::string> names_;
};

enum class Truth : std::uint8_t { no, yes, open, crashed };

/// One evaluation of an expression: a walk over its tree. Nodes that give booleans are decided
/// without making values of them. evaluate.cc holds the operators, evaluate_lists.cc what runs over
/// items and arguments.
class Evaluator {
 public:
  Evaluator(const Expression& expression, const Environment& environment)
      : expression_(expression),
        environment_(environment) {}

  Value run() { return compute(expression_.nodes.back()); }

 private:
  static constexpr std::size_t kMaxLocals = 8;
  // Macros in macros over a hostile recipe's lists would run for hours.
  static constexpr std::size_t kMaxRounds = 1000000;

  const Node& child(const Node& node, std::int32_t index) const {
    const auto at = static_cast<std::size_t>(node.first) + static_cast<std::size_t>(index);
    return expression_.nodes[static_cast<std::size_t>(expression_.children[at])];
  }

  // The value of a node without a copy where it already stands somewhere, else computed into
  // `scratch`.
  const Value& read(const Node& node, Value& scratch) {
    switch (node.op) {
      case Op::literal:
        return expression_.constants[static_cast<std::size_t>(node.constant)];
      case Op::name:
        return environment_.value(node.slot);
      case Op::local:
        return *locals_[static_cast<std::size_t>(node.slot)];
      default:
        scratch = compute(node);
        return scratch;
    }
  }

  Value compute(const Node& node);

  // Python's truth of a node. `open` has added what is needed to `needs`, `crashed` has put the
  // crash into `crash_`.
  Truth test(const Node& node, Needs& needs);
  Truth decide(const Node& node, Needs& needs);  // of nodes that give booleans
  Truth truth_of(const Value& value, Needs& needs);
  Value to_value(Truth truth, Needs& needs);

  Truth connective(const Node& node, bool decisive, Needs& needs);
  Truth compare(const Node& node, Needs& needs);
  Truth compare_known(Op op, const Value& left, const Value& right, Needs& needs);
  Truth membership(const Node& node, Needs& needs);
  Truth among(const Value& wanted, const Node& list, Needs& needs);
  Truth quantifier(const Node& node, bool decisive, Needs& needs);

  Value negation(const Node& node);
  Value conditional(const Node& node);
  Value arithmetic(const Node& node);
  Value list(const Node& node);
  Value call(const Node& node);
  Value call_with(const Node& node, std::span<Value> scratch, std::span<const Value*> arguments);
  Value filter(const Node& node);
  Value special_form(const Node& node) const;

  // False when the evaluation has gone round too often.
  bool spend(std::size_t rounds) {
    rounds_ -= std::min(rounds, rounds_);
    return rounds_ > 0;
  }

  static Value too_long() { return Value::unknown({"a shorter list"}); }

  const Expression& expression_;
  const Environment& environment_;
  std::array<const Value*, kMaxLocals> locals_ = {};
  std::size_t rounds_ = kMaxRounds;
  Value crash_;
};

}  // namespace epwise::expr
