#pragma once

#include <string_view>

/// Parts of a field's name.
namespace epwise::recipe {

/// parent_of("model.moe.topk") → "model.moe"; empty for a name at the top.
inline std::string_view parent_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

/// last_part("model.moe.topk") → "topk"
inline std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

}  // namespace epwise::recipe
