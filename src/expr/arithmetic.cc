#include "expr/arithmetic.h"

#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "expr/python_text.h"

namespace epwise::expr {

namespace {

Value operation_refused(std::string_view sign, const Value& left, const Value& right) {
  return Value::crash(
      fmt::format("TypeError: '{}' between {} and {}", sign, type_word(left), type_word(right)));
}

Value divided_by_zero(std::string_view sign) {
  return Value::crash(fmt::format("ZeroDivisionError: '{}' by zero", sign));
}

bool both_numbers(const Value& left, const Value& right) {
  return left.is_number() && right.is_number();
}

struct RealQuotient {
  double quotient = 0;
  double remainder = 0;
};

// Python's divmod of floats: the remainder is exact and has the divisor's sign; the quotient is
// derived from it, because a rounded left / right can end up on the wrong side of an integer.
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

Value too_large(std::string_view sign) {
  return Value::crash(
      fmt::format("MemoryError: '{}' would produce more than {} items", sign, kMaxExtent));
}

Value repeated(const Value& sequence, std::int64_t times) {
  const std::size_t once = extent(sequence);
  if (times > 0 && static_cast<std::uint64_t>(times) > kMaxExtent / once) {
    return too_large("*");
  }
  std::string text;
  Value::List list;
  for (std::int64_t i = 0; i < times; ++i) {
    if (sequence.text() != nullptr) {
      text += *sequence.text();
    } else {
      list.insert(list.end(), sequence.list()->begin(), sequence.list()->end());
    }
  }
  return sequence.text() != nullptr ? Value::of(std::move(text)) : Value::of(std::move(list));
}

bool is_text_or_list(const Value& value) {
  return value.text() != nullptr || value.list() != nullptr;
}

Value concatenated(const Value& left, const Value& right) {
  if (extent(left) + extent(right) > kMaxExtent) {
    return too_large("+");
  }
  if (left.text() != nullptr) {
    return Value::of(*left.text() + *right.text());
  }
  Value::List result = *left.list();
  result.insert(result.end(), right.list()->begin(), right.list()->end());
  return Value::of(std::move(result));
}

}  // namespace

std::optional<std::int64_t> whole(const Value& value) {
  if (const std::int64_t* i = value.integer()) {
    return *i;
  }
  if (const bool* b = value.boolean()) {
    return *b ? 1 : 0;
  }
  return std::nullopt;
}

std::size_t extent(const Value& value) {
  std::size_t size = 1;
  if (const std::string* text = value.text()) {
    size += text->size();
  } else if (const Value::List* list = value.list()) {
    for (const Value& item : *list) {
      size += extent(item);
    }
  }
  return size;
}

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
  const bool texts = left.text() != nullptr && right.text() != nullptr;
  if (texts || (left.list() != nullptr && right.list() != nullptr)) {
    return concatenated(left, right);
  }
  return operation_refused("+", left, right);
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
  return operation_refused("-", left, right);
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
  if (a && is_text_or_list(right)) {
    return repeated(right, *a);
  }
  if (b && is_text_or_list(left)) {
    return repeated(left, *b);
  }
  return operation_refused("*", left, right);
}

Value divide(const Value& left, const Value& right) {
  if (!both_numbers(left, right)) {
    return operation_refused("/", left, right);
  }
  if (right.as_number() == 0) {
    return divided_by_zero("/");
  }
  return Value::of(left.as_number() / right.as_number());
}

Value floor_divide(const Value& left, const Value& right) {
  if (!both_numbers(left, right)) {
    return operation_refused("//", left, right);
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
    return operation_refused("%", left, right);
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
