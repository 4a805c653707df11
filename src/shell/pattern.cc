#include "shell/pattern.h"

namespace epwise::shell {
namespace {

/// The end of a bracket expression that starts at `at`; npos when it is none.
std::size_t bracket_end(std::string_view pattern, std::size_t at) {
  std::size_t from = at + 1;
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

/// Whether one character fits the pattern at `at`, which is no star; `next` is behind it.
bool fits_one(std::string_view pattern, std::size_t at, char c, std::size_t& next) {
  next = at + 1;
  if (pattern[at] == '?') {
    return true;
  }
  if (pattern[at] == '\\' && at + 1 < pattern.size()) {
    next = at + 2;
    return pattern[at + 1] == c;
  }
  if (pattern[at] == '[') {
    const std::size_t end = bracket_end(pattern, at);
    if (end != std::string_view::npos) {
      next = end + 1;
      return in_bracket(pattern.substr(at + 1, end - at - 1), c);
    }
  }
  return pattern[at] == c;
}

}  // namespace

bool fits(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resumed = 0;
  while (t < text.size()) {
    std::size_t next = 0;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resumed = t;
    } else if (p < pattern.size() && fits_one(pattern, p, text[t], next)) {
      p = next;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resumed;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') {
    ++p;
  }
  return p == pattern.size();
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
