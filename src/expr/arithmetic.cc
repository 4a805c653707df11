#include "expr/arithmetic.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "expr/python_text.h"

namespace epwise::expr {

namespace {

constexpr std::size_t kMaxRepeated = 65536;

Value refused(std::string_view sign, const Value& left, const Value& right) {
  return Value::crash(
      fmt::format("TypeError: '{}' between {} and {}", sign, type_word(left), type_word(right)));
}

Value divided_by_zero(std::string_view sign) {
  return Value::crash(fmt::format("ZeroDivisionError: '{}' by zero", sign));
}

std::optional<std::int64_t> whole(const Value& value) {
  if (const std::int64_t* i = value.integer()) {
    return *i;
  }
  if (const bool* b = value.boolean()) {
    return *b ? 1 : 0;
  }
  return std::nullopt;
}

bool both_numbers(const Value& left, const Value& right) {
  return left.is_number() && right.is_number();
}

struct RealQuotient {
  double quotient = 0;
  double remainder = 0;
};

// Python's divmod of floats: the remainder is exact and takes the divisor's sign; the quotient is
// derived from it, because a rounded left / right can land on the wrong side of a whole number.
RealQuotient divide_reals(double left, double right) {
  double remainder = std::fmod(left, right);
  double quotient = (left - remainder) / right;
  if (remainder != 0) {
    if ((right < 0) != (remainder < 0)) {
      remainder += right;
      quotient -= 1;
    }
  } else {
    remainder = std::copysign(0.0, right);
  }
  if (quotient == 0) {
    return {std::copysign(0.0, left / right), remainder};
  }
  const double floor = std::floor(quotient);
  return {quotient - floor > 0.5 ? floor + 1 : floor, remainder};
}

Value repeated_text(const std::string& text, std::int64_t times) {
  if (times <= 0 || text.empty()) {
    return Value::of(std::string());
  }
  if (static_cast<std::uint64_t>(times) > kMaxRepeated / text.size()) {
    return Value::crash("MemoryError: '*' makes the text too long");
  }
  std::string result;
  for (std::int64_t i = 0; i < times; ++i) {
    result += text;
  }
  return Value::of(std::move(result));
}

Value repeated_list(const Value::List& list, std::int64_t times) {
  if (times <= 0 || list.empty()) {
    return Value::of(Value::List());
  }
  if (static_cast<std::uint64_t>(times) > kMaxRepeated / list.size()) {
    return Value::crash("MemoryError: '*' makes the list too long");
  }
  Value::List result;
  result.reserve(list.size() * static_cast<std::size_t>(times));
  for (std::int64_t i = 0; i < times; ++i) {
    result.insert(result.end(), list.begin(), list.end());
  }
  return Value::of(std::move(result));
}

Value repeated(const Value& sequence, std::int64_t times) {
  return sequence.text() != nullptr ? repeated_text(*sequence.text(), times)
                                    : repeated_list(*sequence.list(), times);
}

bool is_sequence(const Value& value) { return value.text() != nullptr || value.list() != nullptr; }

Value joined_lists(const Value::List& left, const Value::List& right) {
  if (left.size() + right.size() > kMaxRepeated) {
    return Value::crash("MemoryError: '+' makes the list too long");
  }
  Value::List result = left;
  result.insert(result.end(), right.begin(), right.end());
  return Value::of(std::move(result));
}

}  // namespace

Value add(const Value& left, const Value& right) {
  const auto a = whole(left);
  const auto b = whole(right);
  std::int64_t sum = 0;
  if (a && b && !__builtin_add_overflow(*a, *b, &sum)) {
    return Value::of(sum);
  }
  if (both_numbers(left, right)) {
    return Value::of(left.as_number() + right.as_number());
  }
  if (left.text() != nullptr && right.text() != nullptr) {
    if (left.text()->size() + right.text()->size() > kMaxRepeated) {
      return Value::crash("MemoryError: '+' makes the text too long");
    }
    return Value::of(*left.text() + *right.text());
  }
  if (left.list() != nullptr && right.list() != nullptr) {
    return joined_lists(*left.list(), *right.list());
  }
  return refused("+", left, right);
}

Value subtract(const Value& left, const Value& right) {
  const auto a = whole(left);
  const auto b = whole(right);
  std::int64_t difference = 0;
  if (a && b && !__builtin_sub_overflow(*a, *b, &difference)) {
    return Value::of(difference);
  }
  if (both_numbers(left, right)) {
    return Value::of(left.as_number() - right.as_number());
  }
  return refused("-", left, right);
}

Value multiply(const Value& left, const Value& right) {
  const auto a = whole(left);
  const auto b = whole(right);
  std::int64_t product = 0;
  if (a && b && !__builtin_mul_overflow(*a, *b, &product)) {
    return Value::of(product);
  }
  if (both_numbers(left, right)) {
    return Value::of(left.as_number() * right.as_number());
  }
  if (a && is_sequence(right)) {
    return repeated(right, *a);
  }
  if (b && is_sequence(left)) {
    return repeated(left, *b);
  }
  return refused("*", left, right);
}

Value divide(const Value& left, const Value& right) {
  if (!both_numbers(left, right)) {
    return refused("/", left, right);
  }
  if (right.as_number() == 0) {
    return divided_by_zero("/");
  }
  return Value::of(left.as_number() / right.as_number());
}

Value floor_divide(const Value& left, const Value& right) {
  if (!both_numbers(left, right)) {
    return refused("//", left, right);
  }
  if (right.as_number() == 0) {
    return divided_by_zero("//");
  }
  const auto a = whole(left);
  const auto b = whole(right);
  if (!a || !b) {
    return Value::of(divide_reals(left.as_number(), right.as_number()).quotient);
  }
  if (*a == std::numeric_limits<std::int64_t>::min() && *b == -1) {
    return Value::of(-left.as_number());
  }
  const bool inexact = *a % *b != 0;
  const bool negative = (*a < 0) != (*b < 0);
  return Value::of(*a / *b - (inexact && negative ? 1 : 0));
}

Value modulo(const Value& left, const Value& right) {
  if (!both_numbers(left, right)) {
    return refused("%", left, right);
  }
  if (right.as_number() == 0) {
    return divided_by_zero("%");
  }
  const auto a = whole(left);
  const auto b = whole(right);
  if (!a || !b) {
    return Value::of(divide_reals(left.as_number(), right.as_number()).remainder);
  }
  if (*b == -1) {
    return Value::of(0);
  }
  const std::int64_t remainder = *a % *b;
  const bool other_side = remainder != 0 && (remainder < 0) != (*b < 0);
  return Value::of(other_side ? remainder + *b : remainder);
}

Value negate(const Value& value) {
  if (const auto a = whole(value)) {
    if (*a != std::numeric_limits<std::int64_t>::min()) {
      return Value::of(-*a);
    }
    return Value::of(-value.as_number());
  }
  if (const double* r = value.real()) {
    return Value::of(-*r);
  }
  return Value::crash(fmt::format("TypeError: '-' of {}", type_word(value)));
}

}  // namespace epwise::expr
