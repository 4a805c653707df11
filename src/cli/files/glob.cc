#include "cli/files/glob.h"

#include <cstddef>
#include <vector>

namespace epwise::cli {

namespace {

std::vector<std::string_view> split_path(std::string_view path) {
  std::vector<std::string_view> names;
  while (true) {
    const std::size_t slash = path.find('/');
    names.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) {
      return names;
    }
    path.remove_prefix(slash + 1);
  }
}

/// One element of a name's pattern that takes exactly one letter; `length` letters of pattern.
struct Letter {
  bool matches = false;
  std::size_t length = 1;
};

Letter match_set(std::string_view pattern, char letter) {
  std::size_t i = 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  i += negated ? 1 : 0;
  bool inside = false;
  for (bool first = true; i < pattern.size() && (first || pattern[i] != ']'); first = false) {
    const char low = pattern[i];
    const bool range = i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']';
    const char high = range ? pattern[i + 2] : low;
    inside = inside || (low <= letter && letter <= high);
    i += range ? 3 : 1;
  }
  if (i >= pattern.size()) {
    return {letter == '[', 1};  // never closed: a plain bracket
  }
  return {inside != negated, i + 1};
}

Letter match_letter(std::string_view pattern, char letter) {
  switch (pattern.front()) {
    case '?':
      return {true, 1};
    case '[':
      return match_set(pattern, letter);
    case '\\':
      return pattern.size() > 1 ? Letter{pattern[1] == letter, 2} : Letter{letter == '\\', 1};
    default:
      return {pattern.front() == letter, 1};
  }
}

/// Greedy with one point of return: the last `*` seen. Enough, because an earlier `*` could only
/// give away letters that the last one can take itself.
bool name_matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_name = n;
      continue;
    }
    const Letter letter =
        p < pattern.size() ? match_letter(pattern.substr(p), name[n]) : Letter{false, 0};
    if (letter.matches) {
      p += letter.length;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star;
      n = ++star_name;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') {
    ++p;
  }
  return p == pattern.size();
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view path) {
  const std::vector<std::string_view> patterns = split_path(pattern);
  const std::vector<std::string_view> names = split_path(path);
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_name = 0;
  while (n < names.size()) {
    if (p < patterns.size() && patterns[p] == "**") {
      if (p + 1 == patterns.size()) {
        return true;  // at least the name at `n` is left for it
      }
      star = ++p;
      star_name = n;
    } else if (p < patterns.size() && name_matches(patterns[p], names[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star;
      n = ++star_name;
    } else {
      return false;
    }
  }
  return p == patterns.size();
}

bool is_glob(std::string_view word) {
  return word.find_first_of("*?[") != std::string_view::npos;
}

}  // namespace epwise::cli
