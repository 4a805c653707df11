#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "expr/arithmetic.h"
#include "expr/comparison.h"
#include "expr/expression.h"
#include "expr/functions.h"
#include "expr/lexer.h"
#include "expr/python_text.h"

namespace epwise::expr {

/// The needs of the unknowns met so far; allocates only if there is one.
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

/// One evaluation of an expression: a walk over its tree. Boolean nodes are decided without
/// creating values. evaluate.cc implements the operators, evaluate_lists.cc iteration over items
/// and arguments.
class Evaluator {
 public:
  Evaluator(const Expression& expression, const Environment& environment)
      : expression_(expression),
        environment_(environment) {}

  Value run() { return compute(expression_.nodes.back()); }

 private:
  static constexpr std::size_t kMaxLocals = 8;
  // Nested macros over the lists of a malicious recipe could run for hours.
  static constexpr std::size_t kMaxRounds = 1000000;

  const Node& child(const Node& node, std::int32_t index) const {
    const auto at = static_cast<std::size_t>(node.first) + static_cast<std::size_t>(index);
    return expression_.nodes[static_cast<std::size_t>(expression_.children[at])];
  }

  // The value of a node, without a copy if it is already stored somewhere, otherwise computed into
  // `scratch`.
  const Value& read(const Node& node, Value& scratch) {
    switch (node.op) {
      case Op::literal:
        return expression_.constant(node).value;
      case Op::name:
        return environment_.value(node.name());
      case Op::local:
        return *locals_[static_cast<std::size_t>(node.slot)];
      default:
        scratch = compute(node);
        return scratch;
    }
  }

  Value compute(const Node& node);

  // Python's truth of a node. `open` has added its needs to `needs`, `crashed` has stored the crash
  // in `crash_`.
  Truth test(const Node& node, Needs& needs);
  Truth decide(const Node& node, Needs& needs);  // for boolean nodes
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

  // False if the evaluation has exceeded its iteration limit.
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

namespace {

Truth bool_truth(bool yes) {
  return yes ? Truth::yes : Truth::no;
}

bool satisfies(Order order, Op op) {
  switch (op) {
    case Op::less:
      return order == Order::less;
    case Op::less_equal:
      return order == Order::less || order == Order::equal;
    case Op::greater:
      return order == Order::greater;
    default:
      return order == Order::greater || order == Order::equal;
  }
}

// An unknown on the left; the right side adds its needs, a crash there is ignored.
void add_both(Needs& needs, const Value& left, const Value& right) {
  needs.add(left);
  if (holds_unknown(right)) {
    needs.add(right);
  }
}

Value calculated(Op op, const Value& left, const Value& right) {
  switch (op) {
    case Op::add:
      return add(left, right);
    case Op::subtract:
      return subtract(left, right);
    case Op::multiply:
      return multiply(left, right);
    case Op::divide:
      return divide(left, right);
    case Op::floor_divide:
      return floor_divide(left, right);
    default:
      return modulo(left, right);
  }
}

}  // namespace

Value Evaluator::compute(const Node& node) {
  switch (node.op) {
    case Op::literal:
    case Op::name:
    case Op::local: {
      Value unused;
      return read(node, unused);
    }
    case Op::negate:
      return negation(node);
    case Op::conditional:
      return conditional(node);
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::floor_divide:
    case Op::modulo:
      return arithmetic(node);
    case Op::list:
      return list(node);
    case Op::call:
      return call(node);
    case Op::filter:
      return filter(node);
    case Op::is_explicit:
    case Op::written:
    case Op::has_section:
    case Op::origin:
      return special_form(node);
    default: {
      Needs needs;
      const Truth truth = decide(node, needs);
      return to_value(truth, needs);
    }
  }
}

Truth Evaluator::test(const Node& node, Needs& needs) {
  if (gives_truth(node.op)) {
    return decide(node, needs);
  }
  Value scratch;
  return truth_of(read(node, scratch), needs);
}

Truth Evaluator::decide(const Node& node, Needs& needs) {
  switch (node.op) {
    case Op::logical_not: {
      const Truth truth = test(child(node, 0), needs);
      const bool known = truth == Truth::yes || truth == Truth::no;
      return known ? bool_truth(truth == Truth::no) : truth;
    }
    case Op::logical_and:
      return connective(node, false, needs);
    case Op::logical_or:
      return connective(node, true, needs);
    case Op::in:
      return membership(node, needs);
    case Op::exists:
      return quantifier(node, true, needs);
    case Op::all:
      return quantifier(node, false, needs);
    default:
      return compare(node, needs);
  }
}

Truth Evaluator::truth_of(const Value& value, Needs& needs) {
  if (value.is_unknown()) {
    needs.add(value);
    return Truth::open;
  }
  if (value.is_crash()) {
    crash_ = value;
    return Truth::crashed;
  }
  return bool_truth(value.truthy());
}

Value Evaluator::to_value(Truth truth, Needs& needs) {
  switch (truth) {
    case Truth::open:
      return needs.value();
    case Truth::crashed:
      return std::move(crash_);
    default:
      return Value::of(truth == Truth::yes);
  }
}

// `&&` is decided by false, `||` by true.
Truth Evaluator::connective(const Node& node, bool decisive, Needs& needs) {
  Needs left_needs;
  const Truth left = test(child(node, 0), left_needs);
  if (left == bool_truth(decisive) || left == Truth::crashed) {
    return left;
  }
  Needs right_needs;
  const Truth right = test(child(node, 1), right_needs);
  if (right == bool_truth(decisive)) {
    return right;
  }
  const bool open = left == Truth::open || right == Truth::open;
  if (open) {
    needs.add(std::move(left_needs));
    needs.add(std::move(right_needs));
  }
  return open ? Truth::open : right;
}

Truth Evaluator::compare(const Node& node, Needs& needs) {
  Value left_scratch;
  const Value& left = read(child(node, 0), left_scratch);
  if (left.is_crash()) {
    return truth_of(left, needs);
  }
  Value right_scratch;
  const Value& right = read(child(node, 1), right_scratch);
  if (left.is_unknown()) {
    add_both(needs, left, right);
    return Truth::open;
  }
  return right.is_known() ? compare_known(node.op, left, right, needs) : truth_of(right, needs);
}

Truth Evaluator::compare_known(Op op, const Value& left, const Value& right, Needs& needs) {
  bool open = false;
  bool result = false;
  if (op == Op::equal || op == Op::not_equal) {
    const Likeness same = equality(left, right);
    open = same == Likeness::open;
    result = (same == Likeness::equal) == (op == Op::equal);
  } else {
    const Order found = order(left, right);
    if (found == Order::refused) {
      return truth_of(ordering_value(left, right, sign_of(op)), needs);
    }
    open = found == Order::open;
    result = satisfies(found, op);
  }
  if (open) {
    needs.add(left);
    needs.add(right);
    return Truth::open;
  }
  return bool_truth(result);
}

Value Evaluator::negation(const Node& node) {
  Value scratch;
  const Value& operand = read(child(node, 0), scratch);
  return operand.is_known() ? negate(operand) : operand;
}

Value Evaluator::conditional(const Node& node) {
  Needs needs;
  const Truth condition = test(child(node, 0), needs);
  if (condition == Truth::crashed) {
    return std::move(crash_);
  }
  if (condition != Truth::open) {
    return compute(child(node, condition == Truth::yes ? 1 : 2));
  }
  Value yes_scratch;
  Value no_scratch;
  const Value& yes = read(child(node, 1), yes_scratch);
  const Value& no = read(child(node, 2), no_scratch);
  if (yes.is_known() && yes == no && !holds_unknown(yes)) {
    return yes;  // whichever it is
  }
  for (const Value* value : {&yes, &no}) {
    if (holds_unknown(*value)) {
      needs.add(*value);
    }
  }
  return needs.value();
}

Value Evaluator::arithmetic(const Node& node) {
  Value left_scratch;
  const Value& left = read(child(node, 0), left_scratch);
  if (left.is_crash()) {
    return left;
  }
  Value right_scratch;
  const Value& right = read(child(node, 1), right_scratch);
  if (left.is_unknown()) {
    Needs needs;
    add_both(needs, left, right);
    return needs.value();
  }
  return right.is_known() ? calculated(node.op, left, right) : right;
}

Value Evaluator::special_form(const Node& node) const {
  switch (node.op) {
    case Op::is_explicit:
      return environment_.is_explicit(node.name());
    case Op::written:
      return environment_.written(node.name());
    case Op::origin:
      return environment_.origin(node.name());
    default:
      return environment_.has_section(*expression_.constant(node).value.text());
  }
}

Value evaluate(const Expression& expression, const Environment& environment) {
  return Evaluator(expression, environment).run();
}

namespace {

// The letters of a text as a list; nullopt for anything else.
std::optional<Value::List> letters(const Value& value) {
  const std::string* text = value.text();
  if (text == nullptr) {
    return std::nullopt;
  }
  Value::List items;
  for (std::size_t begin = 0; begin < text->size();) {
    std::size_t end = begin + 1;
    while (end < text->size() && (static_cast<unsigned char>((*text)[end]) & 0xC0) == 0x80) {
      ++end;
    }
    items.push_back(Value::of(std::string_view(*text).substr(begin, end - begin)));
    begin = end;
  }
  return items;
}

Value not_iterable(const Value& value) {
  return Value::crash("TypeError: " + std::string(type_word(value)) + " is not a list");
}

}  // namespace

Truth Evaluator::membership(const Node& node, Needs& needs) {
  Value left_scratch;
  const Value& left = read(child(node, 0), left_scratch);
  if (left.is_crash()) {
    return truth_of(left, needs);
  }
  if (child(node, 1).op == Op::list) {
    return among(left, child(node, 1), needs);
  }
  Value right_scratch;
  const Value& right = read(child(node, 1), right_scratch);
  if (right.is_unknown() || (left.is_unknown() && right.list() == nullptr)) {
    needs.add(left);
    if (holds_unknown(right)) {
      needs.add(right);
    }
    return Truth::open;
  }
  if (right.list() != nullptr && !spend(right.list()->size())) {
    return truth_of(too_long(), needs);
  }
  return truth_of(right.is_crash() ? right : in_value(left, right), needs);
}

// `x in ["a", "b"]` compares with the items in place and builds no list.
Truth Evaluator::among(const Value& wanted, const Node& list, Needs& needs) {
  Needs item_needs;
  bool found = false;
  for (std::int32_t i = 0; i < list.count; ++i) {
    Value scratch;
    const Value& item = read(child(list, i), scratch);
    if (item.is_crash()) {
      return truth_of(wanted.is_unknown() ? wanted : item, needs);
    }
    const Likeness same = equality(wanted, item);
    found = found || same == Likeness::equal;
    if (same == Likeness::open) {
      item_needs.add(item);
    }
  }
  if (found || !item_needs.open()) {
    return found ? Truth::yes : Truth::no;
  }
  needs.add(std::move(item_needs));
  needs.add(wanted);
  return Truth::open;
}

Value Evaluator::list(const Node& node) {
  Value::List items;
  items.reserve(static_cast<std::size_t>(node.count));
  std::size_t size = 0;
  for (std::int32_t i = 0; i < node.count; ++i) {
    items.push_back(compute(child(node, i)));
    if (items.back().is_crash()) {
      return std::move(items.back());
    }
    size += extent(items.back());
    if (size > kMaxExtent) {
      return Value::crash("MemoryError: the list is too long");
    }
  }
  return Value::of(std::move(items));
}

Value Evaluator::call(const Node& node) {
  constexpr std::int32_t kFew = 3;
  if (node.count <= kFew) {
    std::array<Value, kFew> scratch;
    std::array<const Value*, kFew> arguments = {};
    return call_with(node, scratch, arguments);
  }
  std::vector<Value> scratch(static_cast<std::size_t>(node.count));
  std::vector<const Value*> arguments(scratch.size());
  return call_with(node, scratch, arguments);
}

Value Evaluator::call_with(const Node& node,
                           std::span<Value> scratch,
                           std::span<const Value*> arguments) {
  const Function& function = functions()[static_cast<std::size_t>(node.slot)];
  Needs needs;
  for (std::int32_t i = 0; i < node.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Value& argument = read(child(node, i), scratch[at]);
    if (argument.is_crash()) {
      return needs.open() ? needs.value() : argument;
    }
    if (argument.is_unknown() || (!function.shallow && holds_unknown(argument))) {
      needs.add(argument);
    }
    arguments[at] = &argument;
  }
  if (needs.open()) {
    return needs.value();
  }
  return function.call(arguments.first(static_cast<std::size_t>(node.count)));
}

Truth Evaluator::quantifier(const Node& node, bool decisive, Needs& needs) {
  Value scratch;
  const Value& target = read(child(node, 0), scratch);
  if (!target.is_known()) {
    return truth_of(target, needs);
  }
  const std::optional<Value::List> spelled = letters(target);
  const Value::List* items = spelled ? &*spelled : target.list();
  if (items == nullptr) {
    return truth_of(not_iterable(target), needs);
  }
  const Truth decision = decisive ? Truth::yes : Truth::no;
  Needs open;
  for (const Value& item : *items) {
    if (!spend(1)) {
      return truth_of(too_long(), needs);
    }
    locals_[static_cast<std::size_t>(node.slot)] = &item;
    const Truth truth = test(child(node, 1), open);
    if (truth == decision || (truth == Truth::crashed && !open.open())) {
      return truth;
    }
  }
  if (open.open()) {
    needs.add(std::move(open));
    return Truth::open;
  }
  return decisive ? Truth::no : Truth::yes;
}

Value Evaluator::filter(const Node& node) {
  Value scratch;
  const Value& target = read(child(node, 0), scratch);
  if (!target.is_known()) {
    return target;
  }
  const std::optional<Value::List> spelled = letters(target);
  const Value::List* items = spelled ? &*spelled : target.list();
  if (items == nullptr) {
    return not_iterable(target);
  }
  Needs needs;
  Value::List kept;
  for (const Value& item : *items) {
    if (!spend(1)) {
      return too_long();
    }
    locals_[static_cast<std::size_t>(node.slot)] = &item;
    const Truth truth = test(child(node, 1), needs);
    if (truth == Truth::crashed) {
      return needs.open() ? needs.value() : std::move(crash_);
    }
    if (truth == Truth::yes) {
      kept.push_back(item);
    }
  }
  return needs.open() ? needs.value() : Value::of(std::move(kept));
}

}  // namespace epwise::expr
