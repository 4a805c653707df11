#include "expr/fact.h"

namespace epwise::expr {

std::string_view word_for(const Fact& fact) {
  if (fact.null) {
    return "null";
  }
  switch (fact.kind) {
    case Kind::boolean:
      return "a boolean";
    case Kind::integer:
      return "an integer";
    case Kind::real:
      return "a number";
    case Kind::text:
      return "a text";
    case Kind::version:
      return "a version";
    case Kind::list:
      return "a list";
    case Kind::any:
      break;
  }
  return "a value";
}

bool is_open(const Fact& fact) {
  return fact.kind == Kind::any && !fact.null;
}

bool is_numeric(const Fact& fact) {
  return fact.kind == Kind::boolean || fact.kind == Kind::integer || fact.kind == Kind::real;
}

bool may_be_number(const Fact& fact) {
  return is_open(fact) || is_numeric(fact);
}

bool is_sequence(const Fact& fact) {
  return fact.kind == Kind::text || fact.kind == Kind::list;
}

bool comparable(const Fact& left, const Fact& right) {
  if (is_open(left) || is_open(right)) {
    return true;
  }
  const bool versions = left.kind == Kind::version || right.kind == Kind::version;
  if (versions) {
    const Fact& other = left.kind == Kind::version ? right : left;
    return other.kind == Kind::version || other.kind == Kind::text;
  }
  return (is_numeric(left) && is_numeric(right)) || left.kind == right.kind;
}

Fact number_of(const Fact& left, const Fact& right) {
  if (is_open(left) || is_open(right)) {
    return {.kind = Kind::real, .whole = true};
  }
  const bool real = left.kind == Kind::real || right.kind == Kind::real;
  const bool strict =
      (left.kind == Kind::real && !left.whole) || (right.kind == Kind::real && !right.whole);
  return {.kind = real ? Kind::real : Kind::integer, .whole = !strict};
}

bool suits(const Fact& fact, Kind wanted) {
  if (wanted == Kind::any || fact.kind == Kind::any) {
    return true;
  }
  if (wanted == Kind::real) {
    return is_numeric(fact);
  }
  if (wanted == Kind::integer) {
    return fact.kind == Kind::integer || fact.kind == Kind::boolean || fact.whole;
  }
  return fact.kind == wanted;
}

bool never_computes(Op op, const Fact& left, const Fact& right) {
  const bool numbers = may_be_number(left) && may_be_number(right);
  if (numbers) {
    return false;
  }
  const bool left_joins = is_sequence(left) || is_open(left);
  const bool right_joins = is_sequence(right) || is_open(right);
  if (op == Op::add) {
    return !left_joins || !right_joins ||
           (left.kind != right.kind && !is_open(left) && !is_open(right));
  }
  if (op == Op::multiply) {
    return !((left_joins && may_be_number(right)) || (may_be_number(left) && right_joins));
  }
  return true;
}

}  // namespace epwise::expr
