#pragma once

#include "expr/expression.h"

namespace epwise::expr {

/// How tightly an operator holds its operands; the parser and the printer share it. Operators of
/// one level read from left to right, comparisons don't chain.
constexpr int precedence(Op op) {
  switch (op) {
    case Op::conditional:
      return 1;
    case Op::logical_or:
      return 2;
    case Op::logical_and:
      return 3;
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::in:
      return 4;
    case Op::add:
    case Op::subtract:
      return 5;
    case Op::multiply:
    case Op::divide:
    case Op::floor_divide:
    case Op::modulo:
      return 6;
    case Op::negate:
    case Op::logical_not:
      return 7;
    default:
      return 8;
  }
}

/// Nodes whose `slot` is a name's.
constexpr bool reads_name(Op op) {
  return op == Op::name || op == Op::is_explicit || op == Op::written || op == Op::origin;
}

/// Nodes whose value is a boolean whatever their operands are (or unknown, or a crash).
constexpr bool gives_truth(Op op) {
  return op == Op::logical_not || op == Op::logical_and || op == Op::logical_or ||
         precedence(op) == precedence(Op::equal) || op == Op::exists || op == Op::all;
}

constexpr bool is_macro(Op op) {
  return op == Op::exists || op == Op::all || op == Op::filter;
}

}  // namespace epwise::expr
