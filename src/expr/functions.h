#pragma once

#include <array>
#include <span>
#include <string_view>

#include "expr/value.h"

namespace epwise::expr {

/// Arguments are passed by address, so that a call copies neither texts nor lists.
using Arguments = std::span<const Value* const>;

/// One built-in function. Arguments are known (unknowns and crashes are handled before the call);
/// lists contain no unknown items unless the function is `shallow`.
struct Function {
  std::string_view name;
  int min_arguments = 1;
  int max_arguments = 1;
  std::string_view arguments;  // for the reference: "list, item"
  std::string_view summary;    // one line with an example
  Kind result = Kind::any;
  Value (*call)(Arguments) = nullptr;
  // the required kind of each argument; any: no requirement; arguments after the third are like the
  // third
  std::array<Kind, 3> takes = {};
  bool shallow = false;  // does not look at list items: unknown items do not matter
};

/// The list of functions, sorted by name. Including: abs ceil_div contains divides floor int is_int
/// is_text is_bool is_list is_number len lower max min pad_to product split starts_with ends_with
/// text truthy version_of matches sorted unique layout_stages layout_counts layout_valid (pipeline
/// layout strings), frequency (moe_layer_freq → list).
std::span<const Function> functions();

/// Index in functions(); -1 if unknown.
int find_function(std::string_view name);

}  // namespace epwise::expr
