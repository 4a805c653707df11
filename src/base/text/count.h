#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace epwise::text {

/// A number and a noun, plural except for one.
///   counted(1, "error") → "1 error"; counted(3, "further rule") → "3 further rules"
template <std::integral Count>
std::string counted(Count count, std::string_view noun) {
  return std::to_string(count).append(1, ' ').append(noun).append(count == 1 ? "" : "s");
}

}  // namespace epwise::text
