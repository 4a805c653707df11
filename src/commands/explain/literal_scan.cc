#include "commands/explain/literal_scan.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>

namespace epwise::audit {

namespace {

constexpr std::size_t kWidth = 4;

/// How common a byte is in logs, roughly.
int commonness(char c, bool case_counts) {
  constexpr std::string_view kCommon = "etaoinsrlpcdmu";
  const auto letter = static_cast<unsigned char>(c);
  if (std::isupper(letter) != 0 && case_counts) {
    return 2;
  }
  if (std::isalpha(letter) != 0) {
    return kCommon.find(static_cast<char>(std::tolower(letter))) == std::string_view::npos ? 2 : 3;
  }
  return std::isdigit(letter) != 0 || c == ' ' || c == ':' ? 2 : 1;
}

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

LiteralScan::LiteralScan(const std::vector<std::string_view>& literals, Words words)
    : words_(words) {
  for (const std::string_view literal : literals) {
    add(literal);
  }
  std::ranges::sort(literals_, {}, &Literal::window);
}

void LiteralScan::add(std::string_view literal) {
  const bool plain = words_ == Words::plain;
  while (plain && !literal.empty() && is_space(literal.front())) {
    literal.remove_prefix(1);
  }
  while (plain && !literal.empty() && is_space(literal.back())) {
    literal.remove_suffix(1);
  }
  std::size_t best = std::string_view::npos;
  int least = 0;
  for (std::size_t at = 0; at + kWidth <= literal.size(); ++at) {
    const auto window = literal.substr(at, kWidth);
    if (plain && std::ranges::any_of(window, is_space)) {
      continue;  // any number of blanks may be there
    }
    int sum = 0;
    for (const char c : window) {
      sum += commonness(c, !plain);
    }
    if (best == std::string_view::npos || sum < least) {
      best = at;
      least = sum;
    }
  }
  if (best == std::string_view::npos) {
    everywhere_ = true;
    return;
  }
  Window window = 0;
  std::memcpy(&window, literal.data() + best, kWidth);
  window = folded(window);
  literals_.push_back({window, std::string(literal), best});
  bits_[slot(window) / 64] |= std::uint64_t{1} << (slot(window) % 64);
}

/// Letters of either case become the same, some other bytes too.
LiteralScan::Window LiteralScan::folded(Window window) const {
  constexpr Window kLower = 0x20202020;
  return words_ == Words::plain ? window | kLower : window;
}

std::size_t LiteralScan::slot(Window window) {
  constexpr Window kSpread = 0x9E3779B1;
  return (window * kSpread) >> (32 - kBits);
}

std::size_t LiteralScan::next(std::string_view text, std::size_t from) const {
  if (everywhere_) {
    return from < text.size() ? from : std::string_view::npos;
  }
  for (std::size_t at = from; at + kWidth <= text.size(); ++at) {
    Window window = 0;
    std::memcpy(&window, text.data() + at, kWidth);
    window = folded(window);
    const std::size_t bit = slot(window);
    if (((bits_[bit / 64] >> (bit % 64)) & 1) == 0) {
      continue;
    }
    auto same = std::ranges::lower_bound(literals_, window, {}, &Literal::window);
    for (; same != literals_.end() && same->window == window; ++same) {
      if (is_at(text, at, *same)) {
        return at;
      }
    }
  }
  return std::string_view::npos;
}

namespace {

bool same_letter(char a, char b, bool case_counts) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return case_counts ? a == b : lower(a) == lower(b);
}

/// Whether a part of a literal stands at the start of a text; a blank in it matches several.
bool begins_with(std::string_view text, std::string_view part, bool plain) {
  std::size_t at = 0;
  for (const char c : part) {
    if (plain && is_space(c)) {
      const std::size_t begin = at;
      while (at < text.size() && is_space(text[at])) {
        ++at;
      }
      if (at == begin) {
        return false;
      }
    } else if (at == text.size() || !same_letter(text[at], c, !plain)) {
      return false;
    } else {
      ++at;
    }
  }
  return true;
}

/// The same at its end.
bool finishes_with(std::string_view text, std::string_view part, bool plain) {
  std::size_t at = text.size();
  for (std::size_t i = part.size(); i-- > 0;) {
    if (plain && is_space(part[i])) {
      const std::size_t end = at;
      while (at > 0 && is_space(text[at - 1])) {
        --at;
      }
      if (at == end) {
        return false;
      }
    } else if (at == 0 || !same_letter(text[at - 1], part[i], !plain)) {
      return false;
    } else {
      --at;
    }
  }
  return true;
}

}  // namespace

bool LiteralScan::is_at(std::string_view text, std::size_t place, const Literal& literal) const {
  const bool plain = words_ == Words::plain;
  const std::string_view all = literal.text;
  return begins_with(text.substr(place), all.substr(literal.offset), plain) &&
         finishes_with(text.substr(0, place), all.substr(0, literal.offset), plain);
}

int count_lines(std::string_view text) {
  return static_cast<int>(std::ranges::count(text, '\n'));
}

bool FoundLines::next(Line& line) {
  const std::size_t hit = scan_.next(log_, at_);
  if (hit == std::string_view::npos) {
    return false;
  }
  const std::size_t before = hit == 0 ? std::string_view::npos : log_.rfind('\n', hit - 1);
  const std::size_t start = std::max(before == std::string_view::npos ? 0 : before + 1, at_);
  number_ += count_lines(log_.substr(at_, start - at_));
  const std::size_t end = std::min(log_.find('\n', hit), log_.size());
  line = {log_.substr(start, end - start), number_};
  at_ = std::min(end + 1, log_.size());
  ++number_;
  return true;
}

}  // namespace epwise::audit
