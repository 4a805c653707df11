#include "base/units/version.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>

#include "base/text/ascii.h"

namespace epwise::units {

namespace {

bool is_letter(char letter) {
  return letter >= 'a' && letter <= 'z';
}

bool is_separator(char letter) {
  return letter == '.' || letter == '-' || letter == '_';
}

/// Walks over a version's text from left to right.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  std::string_view rest() const { return rest_; }

  bool skip(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) {
      return false;
    }
    rest_.remove_prefix(prefix.size());
    return true;
  }

  void skip_separator() {
    if (!rest_.empty() && is_separator(rest_[0])) {
      rest_.remove_prefix(1);
    }
  }

  /// Digits that fit; nullopt does not advance the scanner.
  std::optional<long long> number() {
    long long value = 0;
    const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (rest_.empty() || !text::is_digit(rest_[0]) || result.ec != std::errc()) {
      return std::nullopt;
    }
    rest_.remove_prefix(static_cast<std::size_t>(result.ptr - rest_.data()));
    return value;
  }

  /// `[separator] word [separator] [number]`; a missing number is 0, nullopt when no word stands
  /// here.
  std::optional<long long> part(std::string_view word) {
    Scanner ahead = *this;
    ahead.skip_separator();
    if (!ahead.skip(word)) {
      return std::nullopt;
    }
    ahead.skip_separator();  // "1.0a-" is a version too
    const auto value = ahead.number();
    *this = ahead;
    return value.value_or(0);
  }

 private:
  std::string_view rest_;
};

struct Spelling {
  std::string_view word;
  long long rank;
};

// Longer spellings before their prefixes.
constexpr std::array<Spelling, 8> kPreReleases = {{
    {"alpha", 0},
    {"a", 0},
    {"beta", 1},
    {"b", 1},
    {"preview", 2},
    {"pre", 2},
    {"rc", 2},
    {"c", 2},
}};
constexpr std::array<std::string_view, 3> kPostReleases = {"post", "rev", "r"};

// Sort position of each kind of version: 1.0.dev1 < 1.0a1 < 1.0 < 1.0.post1.
constexpr long long kOnlyDevelopment = -1;
constexpr long long kNoPreRelease = 3;
constexpr long long kNoPostRelease = -1;
constexpr long long kNoDevelopment = std::numeric_limits<long long>::max();

/// Each number plus one, then a zero: the shorter of two equal beginnings sorts first.
bool read_release(Scanner& scan, std::vector<long long>& key) {
  const std::size_t first = key.size();
  do {
    const auto number = scan.number();
    if (!number || *number == std::numeric_limits<long long>::max()) {
      return false;
    }
    key.push_back(*number + 1);
  } while (scan.rest().size() > 1 && text::is_digit(scan.rest()[1]) && scan.skip("."));
  while (key.size() > first + 1 && key.back() == 1) {
    key.pop_back();
  }
  key.push_back(0);
  return true;
}

struct PreRelease {
  long long rank = kNoPreRelease;
  long long number = 0;
};

PreRelease read_pre_release(Scanner& scan) {
  for (const Spelling& spelling : kPreReleases) {
    if (const auto number = scan.part(spelling.word)) {
      return {.rank = spelling.rank, .number = *number};
    }
  }
  return {};
}

std::optional<long long> read_post_release(Scanner& scan) {
  for (const std::string_view word : kPostReleases) {
    if (const auto number = scan.part(word)) {
      return number;
    }
  }
  Scanner ahead = scan;
  if (ahead.skip("-")) {  // "1.0-2" is an old spelling of "1.0.post2"
    if (const auto number = ahead.number()) {
      scan = ahead;
      return number;
    }
  }
  return std::nullopt;
}

std::optional<std::vector<std::string>> read_local(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char letter : text) {
    if (is_separator(letter)) {
      parts.emplace_back();
    } else if (text::is_digit(letter) || is_letter(letter)) {
      parts.back() += letter;
    } else {
      return std::nullopt;
    }
  }
  const bool hollow =
      std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); });
  return hollow ? std::nullopt : std::optional(parts);
}

bool is_number(std::string_view part) {
  return std::all_of(part.begin(), part.end(), text::is_digit);
}

/// Numbers sort after words, by value; they may be dates too long for an integer.
std::strong_ordering compare_local(std::string_view a, std::string_view b) {
  if (is_number(a) != is_number(b)) {
    return is_number(a) <=> is_number(b);
  }
  if (is_number(a)) {
    a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
    b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
    if (a.size() != b.size()) {
      return a.size() <=> b.size();
    }
  }
  return a <=> b;
}

}  // namespace

std::optional<Version> Version::parse(std::string_view text) {
  const std::string lower = text::lower(text::trimmed(text, " \t\r\n\f\v"));
  Version version;
  version.text_ = std::string(text);
  if (lower == "head") {
    version.head_ = true;
    return version;
  }
  Scanner scan(lower);
  scan.skip("v");
  Scanner epoch_ahead = scan;
  const auto epoch = epoch_ahead.number();
  const bool has_epoch = epoch && epoch_ahead.skip("!");
  if (has_epoch) {
    scan = epoch_ahead;
  }
  constexpr std::size_t kUsualLength = 9;  // of an epoch, three numbers and what follows them
  version.key_.reserve(kUsualLength);
  version.key_.push_back(has_epoch ? *epoch : 0);
  if (!read_release(scan, version.key_)) {
    return std::nullopt;
  }
  if (scan.at_end()) {  // most versions, and rules compare thousands of them
    version.key_.insert(version.key_.end(), {kNoPreRelease, 0, kNoPostRelease, kNoDevelopment});
    return version;
  }
  PreRelease pre = read_pre_release(scan);
  const auto post = read_post_release(scan);
  const auto development = scan.part("dev");
  if (pre.rank == kNoPreRelease && !post && development) {
    pre.rank = kOnlyDevelopment;
  }
  version.key_.insert(
      version.key_.end(),
      {pre.rank, pre.number, post.value_or(kNoPostRelease), development.value_or(kNoDevelopment)});
  if (scan.skip("+")) {
    const auto local = read_local(scan.rest());
    if (!local) {
      return std::nullopt;
    }
    version.local_ = *local;
    return version;
  }
  return scan.at_end() ? std::optional(version) : std::nullopt;
}

std::strong_ordering Version::operator<=>(const Version& other) const {
  if (head_ || other.head_) {
    return head_ <=> other.head_;
  }
  if (key_ != other.key_) {
    return key_ < other.key_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  for (std::size_t i = 0; i < std::min(local_.size(), other.local_.size()); ++i) {
    const auto part = compare_local(local_[i], other.local_[i]);
    if (std::is_neq(part)) {
      return part;
    }
  }
  return local_.size() <=> other.local_.size();
}

}  // namespace epwise::units
