#include "base/text/spelling.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace epwise::text {

namespace {

/// Writes the name in lower case and with `_` for `-`.
void fold(std::string_view name, std::string& folded) {
  folded.assign(name);
  for (char& letter : folded) {
    if (letter >= 'A' && letter <= 'Z') {
      letter = static_cast<char>(letter - 'A' + 'a');
    } else if (letter == '-') {
      letter = '_';
    }
  }
}

/// The edit distance by a table, or nullopt as soon as it must exceed `bound`.
std::optional<int> distance_by_table(std::string_view a, std::string_view b, std::size_t bound) {
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

/// A name to compare with many: a file full of unknown keys compares each of them with every known
/// name. The columns of the usual table are bits of a word (Hyyrö 2003), for names of up to 64
/// bytes.
class Comparer {
 public:
  explicit Comparer(std::string_view name) : name_(name) {
    for (std::size_t i = 0; i < name.size() && name.size() <= kBits; ++i) {
      places_[static_cast<unsigned char>(name[i])] |= std::uint64_t{1} << i;
    }
  }

  /// The edit distance, or nullopt if it exceeds `bound`.
  std::optional<int> distance(std::string_view other, std::size_t bound) const {
    const std::size_t size = name_.size();
    if (std::max(size, other.size()) - std::min(size, other.size()) > bound) {
      return std::nullopt;
    }
    if (size > kBits || size == 0) {
      return distance_by_table(name_, other, bound);
    }
    const std::uint64_t last = std::uint64_t{1} << (size - 1);
    std::uint64_t rises = ~std::uint64_t{0};  // down the column, from one row to the next
    std::uint64_t falls = 0;
    std::uint64_t diagonal = 0;  // places whose distance is that of the place up and left of them
    std::uint64_t places_before = 0;
    std::size_t distance = size;
    std::size_t left = other.size();
    for (const char letter : other) {
      const std::uint64_t places = places_[static_cast<unsigned char>(letter)];
      const std::uint64_t swapped = ((~diagonal & places) << 1) & places_before;
      diagonal = (((places & rises) + rises) ^ rises) | places | falls | swapped;
      const std::uint64_t grows = falls | ~(diagonal | rises);  // along the row
      const std::uint64_t shrinks = diagonal & rises;
      distance += (grows & last) != 0 ? 1U : 0U;
      distance -= (shrinks & last) != 0 ? 1U : 0U;
      if (distance > bound + --left) {
        return std::nullopt;
      }
      rises = (shrinks << 1) | ~(diagonal | (grows << 1) | 1U);
      falls = ((grows << 1) | 1U) & diagonal;
      places_before = places;
    }
    return distance > bound ? std::nullopt : std::optional(static_cast<int>(distance));
  }

 private:
  static constexpr std::size_t kBits = 64;

  std::string_view name_;
  std::array<std::uint64_t, 256> places_{};  // of each letter in the name
};

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
  return Comparer(a).distance(b, a.size() + b.size()).value_or(0);
}

std::vector<std::string> nearest(std::string_view name,
                                 const std::vector<std::string_view>& candidates,
                                 int limit) {
  std::string wanted;
  fold(name, wanted);
  const Comparer comparer(wanted);
  std::vector<Match> matches;
  std::string folded;
  for (const std::string_view candidate : candidates) {
    const std::size_t longer = std::max(wanted.size(), candidate.size());
    const std::size_t bound = longer / 3;
    if (longer - std::min(wanted.size(), candidate.size()) > bound) {
      continue;
    }
    fold(candidate, folded);
    if (const auto distance = comparer.distance(folded, bound)) {
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
