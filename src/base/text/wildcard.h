#pragma once

#include <cstddef>
#include <string_view>

/// Patterns in which `*` takes any run of letters. What else a pattern may hold (`?`, `[a-z]`, a
/// backslash) is its language's own affair and comes as a function.
namespace epwise::text {

/// How much of a pattern takes all of `size` pieces; npos if it can't. `is_star(p)`: the element
/// at `p` takes any run; `fits(p, n)`: how many elements of the pattern take piece `n` alone, 0
/// when they don't.
///
/// Greedy with one point of return, the last star seen: an earlier one could only give away pieces
/// that the last one can take itself. So the time is bounded by the product of the lengths.
template <class IsStar, class Fits>
std::size_t match_wildcards(std::size_t pattern_size,
                            std::size_t size,
                            const IsStar& is_star,
                            const Fits& fits) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t behind_star = kNone;
  std::size_t resumed = 0;
  while (n < size) {
    if (p < pattern_size && is_star(p)) {
      behind_star = ++p;
      resumed = n;
      continue;
    }
    const std::size_t length = p < pattern_size ? fits(p, n) : 0;
    if (length > 0) {
      p += length;
      ++n;
    } else if (behind_star != kNone) {
      p = behind_star;
      n = ++resumed;
    } else {
      return kNone;
    }
  }
  return p;
}

/// Whether a pattern takes a whole text. `fits(rest, letter)`: how many letters at the start of
/// `rest`, which doesn't start with a star, take this one letter; 0 when they don't.
template <class Fits>
bool matches_wildcards(std::string_view pattern, std::string_view text, const Fits& fits) {
  const std::size_t end = match_wildcards(
      pattern.size(),
      text.size(),
      [&](std::size_t p) { return pattern[p] == '*'; },
      [&](std::size_t p, std::size_t n) { return fits(pattern.substr(p), text[n]); });
  return end != std::string_view::npos &&
         pattern.find_first_not_of('*', end) == std::string_view::npos;
}

/// Every character except `*` matches itself.
///   matches_wildcards("moe_*_type", "moe_token_dispatcher_type") → true
inline bool matches_wildcards(std::string_view pattern, std::string_view text) {
  return matches_wildcards(pattern, text, [](std::string_view rest, char letter) {
    return static_cast<std::size_t>(rest.front() == letter ? 1 : 0);
  });
}

}  // namespace epwise::text
