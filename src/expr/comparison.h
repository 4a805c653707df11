#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expr/value.h"

/// `==`, the orderings and `in` of Python, over values.
namespace epwise::expr {

/// Whether two values are equal; `open` if an unknown inside a list decides.
enum class Likeness : std::uint8_t { different, equal, open };

/// Never crashes: values of different types are different.
Likeness equality(const Value& left, const Value& right);

/// The ordering of `left` relative to `right`. `unordered`: every ordering is false (NaN; null with
/// a version). `refused`: Python would raise; `open`: a list contains an unknown.
enum class Order : std::uint8_t { less, equal, greater, unordered, refused, open };

Order order(const Value& left, const Value& right);

/// `left in right` and the orderings as values: a boolean, an Unknown, or a crash. Both operands
/// must be known. `sign` is the operator for the message: "<=".
Value ordering_value(const Value& left, const Value& right, std::string_view sign);
Value in_value(const Value& left, const Value& right);

/// Adds the needs of every unknown in the value, at any depth, to `needs`.
void collect_needs(const Value& value, std::vector<std::string>& needs);

/// True if the value is an unknown or a list that contains one at any depth.
bool holds_unknown(const Value& value);

}  // namespace epwise::expr
