#include "audit/log_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace epwise::audit {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Length of the number at the start.
std::size_t digits(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

int number(std::string_view text) {
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_of_time(char c) {
  return is_digit(c) || c == ':' || c == '-' || c == '.' || c == ',' || c == '/' || c == 'T' ||
         c == 'Z' || c == '+';
}

/// "2026-11-02", "10:11:12,345", "2026-11-02T10:11:12.5Z": starts with a digit, holds two signs of
/// a kind. A lone "12:" is a rank.
std::size_t length_of_time(std::string_view text) {
  if (text.empty() || !is_digit(text.front())) {
    return 0;
  }
  const auto end =
      static_cast<std::size_t>(std::ranges::find_if_not(text, is_of_time) - text.begin());
  const auto token = text.substr(0, end);
  const bool is_time = std::ranges::count(token, ':') >= 2 || std::ranges::count(token, '-') == 2 ||
                       std::ranges::count(token, '/') == 2;
  return is_time && (end == text.size() || text[end] == ' ' || text[end] == ']') ? end : 0;
}

/// Takes pieces off the front of a line.
class Stripper {
 public:
  explicit Stripper(std::string_view line) : line_{line, "", -1, false} {}

  LogLine run() {
    while (tag() || rank() || time() || level()) {
    }
    return line_;
  }

 private:
  std::string_view trimmed() const {
    const auto start = line_.text.find_first_not_of(" \t");
    return start == std::string_view::npos ? std::string_view() : line_.text.substr(start);
  }

  /// The text from there on, without the blank that parts it from the prefix.
  void go_on(std::string_view rest) { line_.text = rest.starts_with(' ') ? rest.substr(1) : rest; }

  /// "[rank3]:", "[default3]:", "[1,3]<stderr>:", "(Worker pid=7)"
  bool tag() {
    const auto text = trimmed();
    if (text.starts_with("[rank") || text.starts_with("[default")) {
      const auto digit = text.find_first_of("0123456789");
      const auto close = text.find("]:");
      if (close == std::string_view::npos || digit > close ||
          digit + digits(text.substr(digit)) != close) {
        return false;
      }
      line_.channel += text.substr(0, close + 1);
      line_.rank = text.starts_with("[rank") ? number(text.substr(digit)) : line_.rank;
      go_on(text.substr(close + 2));
      return true;
    }
    if (text.starts_with("[1,")) {
      const auto close = text.find("]<std");
      const auto colon = text.find(">:");
      if (close == std::string_view::npos || colon == std::string_view::npos) {
        return false;
      }
      line_.channel += text.substr(0, close + 1);
      line_.rank = number(text.substr(3));
      go_on(text.substr(colon + 2));
      return true;
    }
    const auto close = text.find(')');
    if (text.starts_with('(') && close != std::string_view::npos &&
        text.substr(0, close).find("pid=") != std::string_view::npos) {
      line_.channel += text.substr(0, close + 1);
      go_on(text.substr(close + 1));
      return true;
    }
    return false;
  }

  /// "3: " as `srun --label` writes.
  bool rank() {
    const auto text = trimmed();
    const auto length = digits(text);
    if (length == 0 || length > 6 || length == text.size() || text[length] != ':' ||
        (length + 1 < text.size() && text[length + 1] != ' ')) {
      return false;
    }
    line_.channel += text.substr(0, length + 1);
    line_.rank = line_.rank < 0 ? number(text) : line_.rank;
    go_on(text.substr(length + 1));
    return true;
  }

  bool time() {
    auto text = trimmed();
    const bool bracket = text.starts_with('[');
    text.remove_prefix(bracket ? 1 : 0);
    auto length = length_of_time(text);
    if (length == 0) {
      return false;
    }
    if (bracket) {
      const auto close = text.find(']');
      if (close > 40) {
        return false;
      }
      length = close + 1;
    }
    line_.stamped = true;
    text.remove_prefix(length);
    go_on(text.starts_with(':') ? text.substr(1) : text);
    return true;
  }

  /// What containers' and Python's loggers write before the text itself.
  bool level() {
    const auto text = trimmed();
    constexpr std::array<std::string_view, 6> kLevels = {
        "stderr F ", "stdout F ", "ERROR:root:", "CRITICAL:root:", "ERROR ", "CRITICAL "};
    const auto* const found = std::ranges::find_if(
        kLevels, [&](std::string_view level) { return text.starts_with(level); });
    if (found == kLevels.end()) {
      return false;
    }
    line_.stamped = true;
    line_.text = text.substr(found->size());
    return true;
  }

  LogLine line_;
};

}  // namespace

LogLine read_line(std::string_view line) {
  return Stripper(line).run();
}

std::string without_colours(std::string_view log) {
  std::string plain;
  plain.reserve(log.size());
  while (!log.empty()) {
    const auto escape = std::min(log.find("\x1b["), log.size());
    plain += log.substr(0, escape);
    log.remove_prefix(escape);
    const auto end = log.find_first_of("mK");
    log.remove_prefix(log.empty() ? 0 : end > 12 ? 2 : end + 1);
  }
  return plain;
}

bool is_of_logger(const LogLine& line) {
  const auto text = line.text;
  if (text.size() > 2 && text[0] == '[' && std::isupper(static_cast<unsigned char>(text[1])) != 0 &&
      is_digit(text[2])) {
    return true;  // [W1121 10:11:12 …
  }
  if (text.size() > 2 && (text[0] == 'W' || text[0] == 'E' || text[0] == 'I') &&
      digits(text.substr(1)) == 4) {
    return true;  // E1121 10:11:12 …
  }
  constexpr std::array<std::string_view, 10> kStarts = {"WARNING",
                                                        "INFO",
                                                        "DEBUG",
                                                        "srun: ",
                                                        "slurmstepd: ",
                                                        "=====",
                                                        "-----",
                                                        "terminate called",
                                                        "NCCL ",
                                                        "Exception ignored"};
  return std::ranges::any_of(kStarts,
                             [&](std::string_view start) { return text.starts_with(start); });
}

}  // namespace epwise::audit
