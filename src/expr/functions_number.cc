#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "expr/arithmetic.h"
#include "expr/builtins.h"
#include "expr/python_text.h"

namespace epwise::expr::builtin {

namespace {

// A whole real as an integer where 64 bits hold it.
Value whole(double value, std::string_view function) {
  constexpr double kLimit = 9223372036854775808.0;
  if (!std::isfinite(value)) {
    return Value::crash(fmt::format("OverflowError: {} of {}", function, value));
  }
  if (value >= -kLimit && value < kLimit) {
    return Value::of(static_cast<std::int64_t>(value));
  }
  return Value::of(value);
}

}  // namespace

Value refuse(std::string_view function, const Value& argument) {
  return Value::crash(fmt::format("TypeError: {} of {}", function, type_word(argument)));
}

Value absolute(Arguments a) {
  const Value& value = *a[0];
  if (!value.is_number()) {
    return refuse("abs", value);
  }
  if (value.real() != nullptr) {
    return Value::of(std::fabs(*value.real()));
  }
  return value.as_number() < 0 ? negate(value) : add(value, Value::of(0));
}

Value ceil_div(Arguments a) {
  Value floor = floor_divide(negate(*a[0]), *a[1]);
  return floor.is_crash() ? floor : negate(floor);
}

Value divides(Arguments a) {
  Value remainder = modulo(*a[1], *a[0]);
  return remainder.is_crash() ? remainder : Value::of(!remainder.truthy());
}

Value divisors(Arguments a) {
  constexpr std::int64_t kMost = 1 << 24;  // of ranks, layers or experts; keeps the search short
  const std::int64_t* whole = a[0]->integer();
  if (whole == nullptr) {
    return refuse("divisors", *a[0]);
  }
  if (*whole < 1 || *whole > kMost) {
    return Value::crash(fmt::format("ValueError: divisors of {}", *whole));
  }
  Value::List below;
  Value::List above;
  for (std::int64_t n = 1; n * n <= *whole; ++n) {
    if (*whole % n == 0) {
      below.push_back(Value::of(n));
      if (n * n < *whole) {
        above.push_back(Value::of(*whole / n));
      }
    }
  }
  below.insert(below.end(), above.rbegin(), above.rend());
  return Value::of(std::move(below));
}

Value floor(Arguments a) {
  const Value& value = *a[0];
  if (!value.is_number()) {
    return refuse("floor", value);
  }
  return value.real() == nullptr ? add(value, Value::of(0))
                                 : whole(std::floor(*value.real()), "floor");
}

Value integer(Arguments a) {
  const Value& value = *a[0];
  if (value.text() != nullptr) {
    const std::optional<Value> number = python_int(*value.text());
    return number ? *number : Value::crash(fmt::format("ValueError: int of '{}'", *value.text()));
  }
  if (!value.is_number()) {
    return refuse("int", value);
  }
  return value.real() == nullptr ? add(value, Value::of(0))
                                 : whole(std::trunc(*value.real()), "int");
}

Value is_bool(Arguments a) {
  return Value::of(a[0]->boolean() != nullptr);
}

Value is_int(Arguments a) {
  const Value& value = *a[0];
  if (value.text() != nullptr) {
    return Value::of(python_int(*value.text()).has_value());
  }
  return Value::of(value.integer() != nullptr || value.boolean() != nullptr);
}

Value is_number(Arguments a) {
  return Value::of(a[0]->is_number());
}

Value pad_to(Arguments a) {
  Value steps = ceil_div(a);
  return steps.is_crash() ? steps : multiply(steps, *a[1]);
}

Value truthy(Arguments a) {
  return Value::of(a[0]->truthy());
}

}  // namespace epwise::expr::builtin
