#include "audit/fingerprint.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace epwise::audit {

namespace {

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::uint64_t fnv64(std::uint64_t value, std::string_view text) {
  for (const char c : text) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  }
  return value;
}

std::string fnv32(std::string_view text) {
  std::uint32_t value = 0x811C9DC5U;
  for (const char c : text) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x01000193U;
  }
  return fmt::format("{:08x}", value);
}

/// "  a   b " → "a b"
std::string squeezed(std::string_view line) {
  std::string result;
  for (const char c : line) {
    if (!is_blank(c)) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  while (result.ends_with(' ')) {
    result.pop_back();
  }
  return result;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : text) {
    if (!is_word(c)) {
      inside = false;
      continue;
    }
    if (!inside) {
      words.emplace_back();
    }
    inside = true;
    words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

}  // namespace

std::vector<SourceLine> source_lines(std::string_view text) {
  std::vector<SourceLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = squeezed(text.substr(0, end));
    if (!line.empty() && line.front() != '#') {
      lines.push_back({number, std::move(line)});
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::uint64_t fingerprint(const std::vector<SourceLine>& lines,
                          std::size_t first,
                          std::size_t count) {
  std::uint64_t value = 0xCBF29CE484222325ULL;
  for (std::size_t i = first; i < first + count; ++i) {
    value = fnv64(i == first ? value : fnv64(value, "\n"), lines[i].text);
  }
  return value;
}

std::vector<std::string> message_marks(std::string_view message) {
  const auto words = words_of(message);
  std::vector<std::string> marks;
  for (std::size_t i = 0; i < words.size(); ++i) {
    marks.push_back(fnv32(words[i]));
    if (i + 2 < words.size()) {
      marks.push_back(fnv32(words[i] + " " + words[i + 1] + " " + words[i + 2]));
    }
  }
  std::ranges::sort(marks);
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
  return marks;
}

}  // namespace epwise::audit
