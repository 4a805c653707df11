#include "recipe/overrides/interpolation_text.h"

#include <utility>

namespace epwise::recipe {

/// Offset of the brace that closes the interpolation whose content starts at `begin`; npos when
/// none does.
std::size_t closing_brace(std::string_view text, std::size_t begin) {
  int open = 1;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text.substr(i, 2) == "${") {
      ++open;
      ++i;
    } else if (text[i] == '}' && --open == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

std::string_view strip_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

std::string_view strip_quotes(std::string_view text) {
  const bool quoted = text.size() > 1 && (text.front() == '\'' || text.front() == '"') &&
                      text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

std::vector<std::string> path_parts(std::string_view path) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : path) {
    if (c == '.' || c == '[' || c == ']') {
      if (!part.empty()) {
        parts.push_back(std::move(part));
      }
      part.clear();
    } else {
      part.push_back(c);
    }
  }
  if (!part.empty()) {
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace epwise::recipe
