#pragma once

#include <array>
#include <span>
#include <string_view>

#include "expr/type.h"
#include "expr/value.h"

namespace epwise::expr {

/// Arguments are handed over by address, so that a call copies neither texts nor lists.
using Arguments = std::span<const Value* const>;

/// One built-in function. Arguments arrive known (unknowns and crashes are handled before the
/// call), lists hold no unknown item unless the function is `shallow`.
struct Function {
  std::string_view name;
  int min_arguments = 1;
  int max_arguments = 1;
  std::string_view arguments;  // for the reference: "list, item"
  std::string_view summary;    // one line with an example
  Kind result = Kind::any;
  Value (*call)(Arguments) = nullptr;
  std::array<Kind, 3> takes = {};  // what each argument must be for the call to make sense; any: no
                                   // wish; arguments beyond the third are like the third
  bool shallow = false;            // looks at no item of a list: unknown items don't matter
};

/// THE list of functions, sorted by name. Among them: abs ceil_div contains divides floor int
/// is_int is_text is_bool is_list is_number len lower max min pad_to product split starts_with
/// ends_with text truthy version_of matches sorted unique layout_stages layout_counts layout_valid
/// (pipeline layout strings), frequency (moe_layer_freq → list).
std::span<const Function> functions();

/// Index in functions(); -1 when there is none.
int find_function(std::string_view name);

}  // namespace epwise::expr
