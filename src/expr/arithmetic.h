#pragma once

#include <cstddef>

#include "expr/value.h"

/// Python's arithmetic over known values. Integers that leave 64 bits become reals; a result that
/// Python would refuse is a crash: "ZeroDivisionError: …", "TypeError: '+' between None and int".
/// `+` also joins texts and lists, `*` also repeats them, as far as the result stays small
/// (`kMaxExtent`).
namespace epwise::expr {

/// The largest extent that an operator, a list literal or a function may build.
inline constexpr std::size_t kMaxExtent = 65536;

/// Items at every depth and bytes of texts: what a copy of the value costs.
std::size_t extent(const Value& value);

Value add(const Value& left, const Value& right);
Value subtract(const Value& left, const Value& right);
Value multiply(const Value& left, const Value& right);
Value divide(const Value& left, const Value& right);        // always a real
Value floor_divide(const Value& left, const Value& right);  // rounds towards minus infinity
Value modulo(const Value& left, const Value& right);        // has the sign of the right side
Value negate(const Value& value);

}  // namespace epwise::expr
