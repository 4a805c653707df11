#pragma once

#include <algorithm>
#include <array>
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

  bool open() const { return open_; }

  Value value() { return Value::unknown(std::move(names_)); }

 private:
  bool open_ = false;
  std::vector<std::string> names_;
};

/// One evaluation of an expression: a walk over its tree. evaluate.cc holds the operators,
/// evaluate_lists.cc what runs over items and arguments.
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
    const auto at = static_cast<std::size_t>(node.first + index);
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
  Value unary(const Node& node);
  // `&&` is decided by false, `||` by true.
  Value connective(const Node& node, bool decisive);
  // An unknown on the left; the right side adds what it needs, its crash stays unseen.
  static Value both_open(const Value& left, const Value& right);
  Value conditional(const Node& node);
  Value binary(const Node& node);
  static Value combine(Op op, const Value& left, const Value& right);
  // `x in ["a", "b"]` compares with the items where they stand and builds no list.
  Value membership(const Node& node);
  static Value with(Needs needs, const Value& value);
  Value plain_membership(const Node& node);
  Value list(const Node& node);
  Value call(const Node& node);
  Value call_with(const Node& node, std::span<Value> scratch, std::span<const Value*> arguments);
  // The items that a macro runs over: those of a list, the letters of a text.
  static std::optional<Value::List> letters(const Value& value);
  const Value& bind(const Node& node, const Value& item, Value& scratch);
  Value quantifier(const Node& node, bool decisive);
  Value filter(const Node& node);
  static Value not_iterable(const Value& value);
  Value special_form(const Node& node) const;

  bool spend(std::size_t rounds) {
    rounds_ -= std::min(rounds, rounds_);
    return rounds_ > 0;
  }

  static Value too_long() { return Value::unknown({"a shorter list"}); }

  const Expression& expression_;
  const Environment& environment_;
  std::array<const Value*, kMaxLocals> locals_ = {};
  std::size_t rounds_ = kMaxRounds;
};

}  // namespace epwise::expr
