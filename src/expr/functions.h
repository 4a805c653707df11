#pragma once

#include <span>
#include <string_view>

#include "expr/type.h"
#include "expr/value.h"

namespace epwise::expr {

/// One built-in function. Arguments arrive known (unknowns and crashes are handled before the
/// call).
struct Function {
  std::string_view name;
  int min_arguments = 1;
  int max_arguments = 1;
  std::string_view arguments;  // for the reference: "list, item"
  std::string_view summary;    // one line with an example
  Kind result = Kind::any;
  Value (*call)(std::span<const Value>) = nullptr;
};

/// THE list of functions, sorted by name. Among them: abs ceil_div contains divides floor int
/// is_int is_text is_bool is_list is_number len lower max min pad_to product split starts_with
/// ends_with text truthy version_of matches sorted unique layout_stages layout_counts layout_valid
/// (pipeline layout strings), frequency (moe_layer_freq → list).
std::span<const Function> functions();

/// Index in functions(); -1 when there is none.
int find_function(std::string_view name);

}  // namespace epwise::expr
