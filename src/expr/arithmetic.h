#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "expr/value.h"

/// Python arithmetic on known values. Integers that overflow 64 bits become reals; a result that
/// Python would reject is a crash: "ZeroDivisionError: …", "TypeError: '+' between None and int".
/// `+` also concatenates texts and lists, `*` also repeats them, up to a limit (`kMaxExtent`).
namespace epwise::expr {

/// The largest extent that an operator, a list literal or a function may produce.
inline constexpr std::size_t kMaxExtent = 65536;

/// Items at every depth and bytes of texts: the cost of copying the value.
std::size_t extent(const Value& value);

/// An integer, or a boolean as 0 or 1; nullopt: something else.
std::optional<std::int64_t> whole(const Value& value);

Value add(const Value& left, const Value& right);
Value subtract(const Value& left, const Value& right);
Value multiply(const Value& left, const Value& right);
Value divide(const Value& left, const Value& right);        // always a real
Value floor_divide(const Value& left, const Value& right);  // rounds towards minus infinity
Value modulo(const Value& left, const Value& right);        // has the sign of the right side
Value negate(const Value& value);

}  // namespace epwise::expr
