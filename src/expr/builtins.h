#pragma once

#include "expr/functions.h"

/// The functions of the rule language, one C++ function each; functions.cc has their table with
/// summaries.
namespace epwise::expr::builtin {

/// "TypeError: len of int": what a function answers to a value it cannot take.
Value refuse(std::string_view function, const Value& argument);

// functions_number.cc
Value absolute(Arguments a);
Value ceil_div(Arguments a);
Value divides(Arguments a);
Value divisors(Arguments a);
Value floor(Arguments a);
Value integer(Arguments a);
Value is_bool(Arguments a);
Value is_int(Arguments a);
Value is_number(Arguments a);
Value pad_to(Arguments a);
Value truthy(Arguments a);

// functions_text.cc
Value ends_with(Arguments a);
Value is_text(Arguments a);
Value join(Arguments a);
Value like(Arguments a);
Value lower(Arguments a);
Value split(Arguments a);
Value starts_with(Arguments a);
Value strip(Arguments a);
Value text(Arguments a);
Value version_of(Arguments a);

// functions_list.cc
Value contains(Arguments a);
Value count(Arguments a);
Value is_list(Arguments a);
Value item(Arguments a);
Value length(Arguments a);
Value maximum(Arguments a);
Value minimum(Arguments a);
Value product(Arguments a);
Value sorted(Arguments a);
Value sum(Arguments a);
Value unique(Arguments a);

// functions_layout.cc
Value frequency(Arguments a);
Value layout_counts(Arguments a);
Value layout_stages(Arguments a);
Value layout_valid(Arguments a);

}  // namespace epwise::expr::builtin
