#pragma once

#include <optional>
#include <string_view>

#include "expr/expression.h"

namespace epwise::expr {

/// What is known of a node's value before running.
struct Fact {
  Kind kind = Kind::any;
  std::optional<units::Dimension> dimension =
      units::Dimension::none;  // nullopt: nothing is claimed
  bool null = false;           // the literal
  bool bare = false;           // a number literal without unit, other than 0
  bool whole = false;          // kind real: may be an integer all the same (max, sum, …)
};

/// "a boolean", "a text", "null", "a value".
std::string_view word_for(const Fact& fact);

bool is_open(const Fact& fact);      // nothing is known of its kind
bool is_numeric(const Fact& fact);   // boolean, integer or real
bool is_sequence(const Fact& fact);  // text or list
bool may_be_number(const Fact& fact);

/// Kinds whose values can be equal, or stand in an order, to each other.
bool comparable(const Fact& left, const Fact& right);

/// The kind of `left op right` for numbers: whole when both are, real when one surely is not.
Fact number_of(const Fact& left, const Fact& right);

/// True when an argument of that kind can be meant.
bool suits(const Fact& fact, Kind wanted);

/// True when the arithmetic `left op right` crashes whatever the values are.
bool never_computes(Op op, const Fact& left, const Fact& right);

}  // namespace epwise::expr
