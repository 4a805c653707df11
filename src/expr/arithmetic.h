#pragma once

#include "expr/value.h"

/// Python's arithmetic over known values. Integers that leave 64 bits become reals; a result that
/// Python would refuse is a crash: "ZeroDivisionError: …", "TypeError: '+' between None and int".
/// `+` also joins texts and lists, `*` also repeats them (up to 65536 bytes or items).
namespace epwise::expr {

Value add(const Value& left, const Value& right);
Value subtract(const Value& left, const Value& right);
Value multiply(const Value& left, const Value& right);
Value divide(const Value& left, const Value& right);        // always a real
Value floor_divide(const Value& left, const Value& right);  // rounds towards minus infinity
Value modulo(const Value& left, const Value& right);        // has the sign of the right side
Value negate(const Value& value);

}  // namespace epwise::expr
