#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::text {

/// A number and a noun, plural except for one.
///   counted(1, "error") → "1 error"; counted(3, "further rule") → "3 further rules"
template <std::integral Count>
std::string counted(Count count, std::string_view noun) {
  return std::to_string(count).append(1, ' ').append(noun).append(count == 1 ? "" : "s");
}

/// "a", "a and b", "a, b and c"
template <class Text = std::string>
std::string listed(const std::vector<Text>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += i == 0 ? "" : i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

}  // namespace epwise::text
