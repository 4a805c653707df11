#include "expr/arithmetic.h"
#include "expr/evaluator.h"
#include "expr/lexer.h"
#include "expr/precedence.h"

namespace epwise::expr {

namespace {

Truth from_bool(bool yes) {
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

// An unknown on the left; the right side adds what it needs, its crash stays unseen.
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
      return known ? from_bool(truth == Truth::no) : truth;
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
  return from_bool(value.truthy());
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
  if (left == from_bool(decisive) || left == Truth::crashed) {
    return left;
  }
  Needs right_needs;
  const Truth right = test(child(node, 1), right_needs);
  if (right == from_bool(decisive)) {
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
  return from_bool(result);
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
      return environment_.is_explicit(node.slot);
    case Op::written:
      return environment_.written(node.slot);
    case Op::origin:
      return environment_.origin(node.slot);
    default:
      return environment_.has_section(
          *expression_.constants[static_cast<std::size_t>(node.constant)].text());
  }
}

Value evaluate(const Expression& expression, const Environment& environment) {
  return Evaluator(expression, environment).run();
}

}  // namespace epwise::expr
