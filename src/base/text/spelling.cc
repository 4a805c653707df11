#include "base/text/spelling.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>

namespace epwise::text {

namespace {

std::string fold(std::string_view name) {
  std::string folded(name);
  for (char& letter : folded) {
    if (letter >= 'A' && letter <= 'Z') {
      letter = static_cast<char>(letter - 'A' + 'a');
    } else if (letter == '-') {
      letter = '_';
    }
  }
  return folded;
}

/// The edit distance, or nullopt as soon as it must exceed `bound`: a file full of unknown keys
/// compares each of them with every known name.
std::optional<int> bounded_distance(std::string_view a, std::string_view b, std::size_t bound) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > bound) {
    return std::nullopt;
  }
  std::vector<std::size_t> before(b.size() + 1);  // rows i - 2, i - 1 and i of the usual table
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    above[j] = j;
  }
  std::size_t smallest_above = 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t smallest = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
      smallest = std::min(smallest, row[j]);
    }
    if (std::min(smallest, smallest_above) > bound) {  // a swap reaches back two rows
      return std::nullopt;
    }
    smallest_above = smallest;
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()] > bound ? std::nullopt : std::optional(static_cast<int>(above[b.size()]));
}

std::size_t shared_prefix(std::string_view a, std::string_view b) {
  const auto [end, unused] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(end - a.begin());
}

struct Match {
  int distance = 0;
  std::size_t prefix = 0;
  std::string_view name;

  bool operator<(const Match& other) const {
    if (distance != other.distance) {
      return distance < other.distance;
    }
    return prefix != other.prefix ? prefix > other.prefix : name < other.name;
  }
};

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  return bounded_distance(a, b, a.size() + b.size()).value_or(0);
}

std::vector<std::string> nearest(std::string_view name,
                                 const std::vector<std::string_view>& candidates,
                                 int limit) {
  const std::string wanted = fold(name);
  std::vector<Match> matches;
  for (const std::string_view candidate : candidates) {
    const std::string folded = fold(candidate);
    const std::size_t bound = std::max(wanted.size(), folded.size()) / 3;
    if (const auto distance = bounded_distance(wanted, folded, bound)) {
      matches.push_back(
          {.distance = *distance, .prefix = shared_prefix(wanted, folded), .name = candidate});
    }
  }
  std::sort(matches.begin(), matches.end());
  std::vector<std::string> names;
  for (const Match& match : matches) {
    // An exact spelling, or one clearly more similar than the rest, is suggested alone.
    const int best = matches.front().distance;
    const bool near = match.distance <= (best == 0 ? 0 : best + 1);
    if (!near || static_cast<int>(names.size()) >= limit) {
      break;
    }
    if (names.empty() || names.back() != match.name) {
      names.emplace_back(match.name);
    }
  }
  return names;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
  const auto names = nearest(name, candidates, 2);
  if (names.empty()) {
    return {};
  }
  std::string question = ", did you mean `" + names[0] + "`";
  if (names.size() > 1) {
    question += " or `" + names[1] + "`";
  }
  return question + "?";
}

}  // namespace epwise::text
