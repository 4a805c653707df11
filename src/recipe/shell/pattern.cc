#include "recipe/shell/pattern.h"

#include "base/text/wildcard.h"

namespace epwise::shell {
namespace {

/// The end of a bracket expression at the start; npos when it is none.
std::size_t bracket_end(std::string_view pattern) {
  std::size_t from = 1;
  if (from < pattern.size() && (pattern[from] == '!' || pattern[from] == '^')) {
    ++from;
  }
  return pattern.find(']', from + 1);
}

bool in_bracket(std::string_view inside, char c) {
  const bool negated = inside.starts_with('!') || inside.starts_with('^');
  inside.remove_prefix(negated ? 1 : 0);
  bool found = false;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (i + 2 < inside.size() && inside[i + 1] == '-') {
      found = found || (inside[i] <= c && c <= inside[i + 2]);
      i += 2;
    } else {
      found = found || inside[i] == c;
    }
  }
  return found != negated;
}

/// How many letters at the start of a pattern, which is not a star, match this character; 0: they
/// don't.
std::size_t letters_for(std::string_view pattern, char c) {
  if (pattern[0] == '?') {
    return 1;
  }
  if (pattern[0] == '\\' && pattern.size() > 1) {
    return pattern[1] == c ? 2 : 0;
  }
  if (pattern[0] == '[') {
    const std::size_t end = bracket_end(pattern);
    if (end != std::string_view::npos) {
      return in_bracket(pattern.substr(1, end - 1), c) ? end + 1 : 0;
    }
  }
  return pattern[0] == c ? 1 : 0;
}

}  // namespace

bool fits(std::string_view pattern, std::string_view text) {
  return text::matches_wildcards(pattern, text, letters_for);
}

std::string without(std::string_view text, std::string_view operation, std::string_view pattern) {
  const bool front = operation.starts_with('#');
  const bool longest = operation.size() > 1;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const std::size_t length = longest ? text.size() - i : i;
    const std::string_view part =
        front ? text.substr(0, length) : text.substr(text.size() - length);
    if (fits(pattern, part)) {
      return std::string(front ? text.substr(length) : text.substr(0, text.size() - length));
    }
  }
  return std::string(text);
}

std::string replaced(std::string_view text,
                     std::string_view operation,
                     std::string_view pattern,
                     std::string_view by) {
  const bool front = operation == "/#";
  const bool end = operation == "/%";
  if (pattern.empty()) {
    return (front ? std::string(by) : "") + std::string(text) + (end ? std::string(by) : "");
  }
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t length = text.size() - at;
    const std::size_t least = end ? length : 1;
    while (length >= least && !fits(pattern, text.substr(at, length))) {
      --length;
    }
    if (length >= least) {
      result += by;
      at += length;
    } else if (!front) {
      result += text[at++];
      continue;
    }
    if (operation != "//") {
      break;
    }
  }
  return result += text.substr(at);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) {
      result += '\\';
    }
    result += c;
  }
  return result;
}

}  // namespace epwise::shell
