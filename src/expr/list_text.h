#pragma once

#include <optional>
#include <string_view>

#include "expr/value.h"

namespace epwise::expr {

/// What Megatron-LM makes of a list expression such as "([0]*3+[1]*58)", which it hands to Python:
/// integers and lists of them with `+`, `*`, brackets and commas. nullopt where Python raises,
/// where the text holds any other character (blanks included, as there), and for what no recipe
/// needs: tuples, powers, subscripts.
///   evaluate_list_text("([0]*2+[1]*3)") → [0, 0, 1, 1, 1];  evaluate_list_text("2*3") → 6
/// At most 4096 characters, 64 brackets deep, 65536 items; more gives nullopt.
std::optional<Value> evaluate_list_text(std::string_view text);

}  // namespace epwise::expr
