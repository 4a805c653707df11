#include "expr/arithmetic.h"
#include "expr/evaluator.h"
#include "expr/lexer.h"

namespace epwise::expr {

Value Evaluator::compute(const Node& node) {
  switch (node.op) {
    case Op::literal:
    case Op::name:
    case Op::local: {
      Value unused;
      return read(node, unused);
    }
    case Op::negate:
    case Op::logical_not:
      return unary(node);
    case Op::logical_and:
      return connective(node, false);
    case Op::logical_or:
      return connective(node, true);
    case Op::conditional:
      return conditional(node);
    case Op::in:
      return membership(node);
    case Op::list:
      return list(node);
    case Op::call:
      return call(node);
    case Op::exists:
      return quantifier(node, true);
    case Op::all:
      return quantifier(node, false);
    case Op::filter:
      return filter(node);
    case Op::is_explicit:
    case Op::written:
    case Op::has_section:
    case Op::origin:
      return special_form(node);
    default:
      return binary(node);
  }
}

Value Evaluator::unary(const Node& node) {
  Value scratch;
  const Value& operand = read(child(node, 0), scratch);
  if (!operand.is_known()) {
    return operand;
  }
  return node.op == Op::negate ? negate(operand) : Value::of(!operand.truthy());
}

Value Evaluator::connective(const Node& node, bool decisive) {
  Value left_scratch;
  const Value& left = read(child(node, 0), left_scratch);
  if (left.is_crash()) {
    return left;
  }
  if (!left.is_unknown() && left.truthy() == decisive) {
    return Value::of(decisive);
  }
  Value right_scratch;
  const Value& right = read(child(node, 1), right_scratch);
  if (right.is_known() && right.truthy() == decisive) {
    return Value::of(decisive);
  }
  if (left.is_unknown()) {
    return both_open(left, right);
  }
  return right.is_known() ? Value::of(!decisive) : right;
}

Value Evaluator::both_open(const Value& left, const Value& right) {
  Needs needs;
  needs.add(left);
  if (holds_unknown(right)) {
    needs.add(right);
  }
  return needs.value();
}

Value Evaluator::conditional(const Node& node) {
  Value scratch;
  const Value& condition = read(child(node, 0), scratch);
  if (condition.is_crash()) {
    return condition;
  }
  if (!condition.is_unknown()) {
    return compute(child(node, condition.truthy() ? 1 : 2));
  }
  Needs needs;
  needs.add(condition);
  for (const std::int32_t choice : {1, 2}) {
    Value choice_scratch;
    const Value& value = read(child(node, choice), choice_scratch);
    if (holds_unknown(value)) {
      needs.add(value);
    }
  }
  return needs.value();
}

Value Evaluator::binary(const Node& node) {
  Value left_scratch;
  const Value& left = read(child(node, 0), left_scratch);
  if (left.is_crash()) {
    return left;
  }
  Value right_scratch;
  const Value& right = read(child(node, 1), right_scratch);
  if (left.is_unknown()) {
    return both_open(left, right);
  }
  if (!right.is_known()) {
    return right;
  }
  return combine(node.op, left, right);
}

Value Evaluator::combine(Op op, const Value& left, const Value& right) {
  switch (op) {
    case Op::equal:
      return equal_value(left, right);
    case Op::not_equal: {
      Value same = equal_value(left, right);
      return same.is_unknown() ? same : Value::of(!*same.boolean());
    }
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
    case Op::modulo:
      return modulo(left, right);
    default:
      return ordering_value(left, right, sign_of(op));
  }
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
