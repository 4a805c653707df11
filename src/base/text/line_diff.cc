#include "base/text/line_diff.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "base/text/source_file.h"

namespace epwise::text {

namespace {

using Lines = std::vector<std::string_view>;

constexpr int kContext = 3;
/// Texts that differ in more lines than this are shown as replaced: the search for the shortest
/// difference needs memory that grows quadratically.
constexpr int kMostDifferences = 1000;

/// Myers' greedy walk: `rounds[d]` contains how far the old text is read on each diagonal with at
/// most d differences.
class Walk {
 public:
  Walk(const Lines& before, const Lines& after)
      : before_(before),
        after_(after),
        n_(static_cast<int>(before.size())),
        m_(static_cast<int>(after.size())) {}

  std::vector<Hunk> run() {
    if (n_ == 0 && m_ == 0) {
      return {};
    }
    for (int d = 0; d <= std::min(n_ + m_, kMostDifferences); ++d) {
      if (advance(d)) {
        return trace(d);
      }
    }
    return {{0, n_, 0, m_}};
  }

 private:
  /// The position of diagonal k (old minus new) after a round.
  static int reached(const std::vector<int>& round, int k) {
    const int place = k + static_cast<int>(round.size() / 2);
    return round[static_cast<std::size_t>(place)];
  }

  bool comes_from_above(int d, int k) const {
    const auto& last = rounds_[static_cast<std::size_t>(d - 1)];
    return k == -d || (k != d && reached(last, k - 1) < reached(last, k + 1));
  }

  int start(int d, int k) const {
    if (d == 0) {
      return 0;
    }
    const auto& last = rounds_[static_cast<std::size_t>(d - 1)];
    return comes_from_above(d, k) ? reached(last, k + 1) : reached(last, k - 1) + 1;
  }

  bool same(int x, int y) const {
    return before_[static_cast<std::size_t>(x)] == after_[static_cast<std::size_t>(y)];
  }

  bool advance(int d) {
    const int diagonals = 2 * d + 3;
    std::vector<int> round(static_cast<std::size_t>(diagonals), -1);
    for (int k = -d; k <= d; k += 2) {
      int x = start(d, k);
      while (x < n_ && x - k >= 0 && x - k < m_ && same(x, x - k)) {
        ++x;
      }
      const int place = k + d + 1;
      round[static_cast<std::size_t>(place)] = x;
      if (x >= n_ && x - k >= m_) {
        rounds_.push_back(std::move(round));
        return true;
      }
    }
    rounds_.push_back(std::move(round));
    return false;
  }

  /// From the end back to the start; adjacent steps form one hunk.
  std::vector<Hunk> trace(int d) const {
    std::vector<Hunk> hunks;
    int k = n_ - m_;
    for (; d > 0; --d) {
      const bool added = comes_from_above(d, k);
      const int x = start(d, k) - (added ? 0 : 1);
      const int y = start(d, k) - k - (added ? 1 : 0);
      add(hunks, {x, added ? 0 : 1, y, added ? 1 : 0});
      k += added ? 1 : -1;
    }
    std::ranges::reverse(hunks);
    return hunks;
  }

  static void add(std::vector<Hunk>& hunks, const Hunk& step) {
    if (!hunks.empty()) {
      Hunk& later = hunks.back();
      if (step.old_begin + step.old_count == later.old_begin &&
          step.new_begin + step.new_count == later.new_begin) {
        later = {step.old_begin,
                 step.old_count + later.old_count,
                 step.new_begin,
                 step.new_count + later.new_count};
        return;
      }
    }
    hunks.push_back(step);
  }

  const Lines& before_;
  const Lines& after_;
  int n_;
  int m_;
  std::vector<std::vector<int>> rounds_;
};

void print(std::string& out, char sign, std::string_view line) {
  out += sign;
  out += line;
  if (!line.ends_with('\n')) {
    out += "\n\\ No newline at end of file\n";
  }
}

std::string range_text(int begin, int count) {
  const int shown = count == 0 ? begin : begin + 1;
  return count == 1 ? std::to_string(shown) : fmt::format("{},{}", shown, count);
}

/// One block of the diff: hunks [first, last) and the lines around them.
void print_block(std::string& out,
                 const Lines& before,
                 const Lines& after,
                 const std::vector<Hunk>& hunks,
                 std::size_t first,
                 std::size_t last) {
  const int begin = std::max(hunks[first].old_begin - kContext, 0);
  const Hunk& final = hunks[last - 1];
  const int end =
      std::min(final.old_begin + final.old_count + kContext, static_cast<int>(before.size()));
  const int new_begin = hunks[first].new_begin - (hunks[first].old_begin - begin);
  const int new_end = final.new_begin + final.new_count + (end - final.old_begin - final.old_count);
  out += fmt::format("@@ -{} +{} @@\n",
                     range_text(begin, end - begin),
                     range_text(new_begin, new_end - new_begin));
  const auto print_lines = [&out](char sign, const Lines& lines, int from, int to) {
    for (int i = from; i < to; ++i) {
      print(out, sign, lines[static_cast<std::size_t>(i)]);
    }
  };
  int at = begin;
  for (std::size_t i = first; i < last; ++i) {
    const Hunk& hunk = hunks[i];
    print_lines(' ', before, at, hunk.old_begin);
    print_lines('-', before, hunk.old_begin, hunk.old_begin + hunk.old_count);
    print_lines('+', after, hunk.new_begin, hunk.new_begin + hunk.new_count);
    at = hunk.old_begin + hunk.old_count;
  }
  print_lines(' ', before, at, end);
}

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F;
}

/// Whether a name printed as it is would be read as another one, or as more than a name.
bool hides_something(std::string_view name) {
  constexpr std::array<std::string_view, 5> kHidden = {
      "\xD8\x9C", "\xE2\x80\x8B", "\xE2\x80\x8E", "\xE2\x80\x8F", "\xEF\xBB\xBF"};
  for (std::size_t at = 0; at < name.size(); ++at) {
    const auto byte = static_cast<unsigned char>(name[at]);
    const auto rest = name.substr(at);
    const auto second = rest.size() < 2 ? 0U : static_cast<unsigned char>(rest[1]);
    const auto third = rest.size() < 3 ? 0U : static_cast<unsigned char>(rest[2]);
    const bool control = byte < 0x20 || byte == 0x7F || (byte == 0xC2 && second < 0xA0);
    const bool line_or_direction = rest.starts_with("\xE2\x80") && third >= 0xA8 && third <= 0xAE;
    const bool invisible = rest.starts_with("\xE2\x81") && third >= 0xA0 && third <= 0xAF;
    if (control || name[at] == '"' || name[at] == '\\' || line_or_direction || invisible ||
        std::ranges::any_of(kHidden,
                            [rest](std::string_view mark) { return rest.starts_with(mark); })) {
      return true;
    }
  }
  return SourceFile("", std::string(name)).first_invalid_utf8() != SourceFile::npos;
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

std::vector<Hunk> line_diff(const Lines& before, const Lines& after) {
  return Walk(before, after).run();
}

std::string quoted_name(std::string_view name) {
  if (!hides_something(name)) {
    return std::string(name);
  }
  std::string quoted = "\"";
  for (const char c : name) {
    constexpr std::string_view kSigns = "\a\b\t\n\v\f\r\"\\";
    constexpr std::string_view kLetters = "abtnvfr\"\\";
    const std::size_t at = kSigns.find(c);
    if (at != std::string_view::npos) {
      quoted += '\\';
      quoted += kLetters[at];
    } else if (is_plain(c)) {
      quoted += c;
    } else {
      quoted += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return quoted + '"';
}

std::string unified_diff(std::string_view path, std::string_view before, std::string_view after) {
  const Lines old_lines = lines_of(before);
  const Lines new_lines = lines_of(after);
  const std::vector<Hunk> hunks = line_diff(old_lines, new_lines);
  if (hunks.empty()) {
    return "";
  }
  const std::string_view slash = path.starts_with('/') ? "" : "/";
  const auto quoted = [&](char side) {
    return quoted_name(fmt::format("{}{}{}", side, slash, path));
  };
  std::string out = fmt::format("--- {}\n+++ {}\n", quoted('a'), quoted('b'));
  std::size_t first = 0;
  for (std::size_t i = 1; i <= hunks.size(); ++i) {
    const bool apart =
        i == hunks.size() ||
        hunks[i].old_begin - (hunks[i - 1].old_begin + hunks[i - 1].old_count) > 2 * kContext;
    if (apart) {
      print_block(out, old_lines, new_lines, hunks, first, i);
      first = i;
    }
  }
  return out;
}

}  // namespace epwise::text
