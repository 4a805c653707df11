#include "yaml/admission.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace epwise::yaml {

namespace {

constexpr std::string_view kAsUtf8 = "save the file as UTF-8 without a byte-order mark";

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

text::Diagnostic at(const text::SourceFile& file,
                    std::string rule,
                    std::size_t begin,
                    std::size_t length,
                    std::string message,
                    std::string help) {
  const std::size_t size = file.bytes().size();
  const std::size_t end = std::min(size, begin + length);
  return {std::move(rule),
          {&file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
          std::move(message),
          {},
          std::move(help)};
}

/// "UTF-16", "UTF-32" or "": told from the mark in front or from the zero bytes of plain English.
std::string_view wide_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv)) {
    return "UTF-32";
  }
  if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)) {
    return "UTF-16";
  }
  const std::string_view head = text.substr(0, 512);
  const auto zeros = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\0'));
  if (head.size() < 4 || zeros * 5 < head.size() * 2) {
    return {};
  }
  return zeros * 5 > head.size() * 3 ? "UTF-32" : "UTF-16";
}

/// Length of the character at `i` when YAML forbids it, else 0. The text is valid UTF-8.
std::size_t forbidden_character(std::string_view text, std::size_t i) {
  const unsigned char c = byte_at(text, i);
  if (c < 0x20) {
    return c == '\t' || c == '\n' || c == '\r' ? 0 : 1;
  }
  if (c == 0x7F) {
    return 1;
  }
  if (c == 0xC2) {  // U+0080 to U+009F but U+0085
    const unsigned char second = byte_at(text, i + 1);
    return second < 0xA0 && second != 0x85 ? 2 : 0;
  }
  if (c == 0xEF && byte_at(text, i + 1) == 0xBF) {  // U+FFFE and U+FFFF
    return byte_at(text, i + 2) >= 0xBE ? 3 : 0;
  }
  return 0;
}

unsigned code_point(std::string_view text, std::size_t i, std::size_t length) {
  if (length == 1) {
    return byte_at(text, i);
  }
  return length == 2 ? byte_at(text, i + 1) : 0xFF00U + byte_at(text, i + 2) + 0x40U;
}

std::optional<text::Diagnostic> refuse_encoding(const text::SourceFile& file) {
  const std::string_view text = file.bytes();
  if (const std::string_view wide = wide_encoding(text); !wide.empty()) {
    return at(file,
              "yaml/encoding",
              0,
              0,
              fmt::format("the file is written in {}", wide),
              std::string(kAsUtf8));
  }
  if (const std::size_t bad = file.first_invalid_utf8(); bad != text::SourceFile::npos) {
    return at(file,
              "yaml/encoding",
              bad,
              1,
              fmt::format("byte 0x{:02X} is not UTF-8", byte_at(text, bad)),
              std::string(kAsUtf8));
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (const std::size_t length = forbidden_character(text, i); length != 0) {
      return at(file,
                "yaml/encoding",
                i,
                length,
                fmt::format("the control character U+{:04X} can't stand in YAML",
                            code_point(text, i, length)),
                "remove it, or write it as an escape between double quotes");
    }
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    return at(file, "yaml/encoding", 0, 3, "a second byte-order mark", std::string(kAsUtf8));
  }
  return std::nullopt;
}

/// The tokeniser keeps every token of a flow collection, or of a line, until it knows whether a `:`
/// follows. This counts what may start a token over such stretches, too high rather than too low.
std::optional<text::Diagnostic> refuse_flow(const text::SourceFile& file, const Limits& limits) {
  const std::string_view text = file.bytes();
  const std::size_t most = 4 * limits.nodes;
  std::size_t tokens = 0;
  std::size_t level = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '\n':
        tokens = level == 0 ? 0 : tokens;
        continue;
      case '[':
      case '{':
        ++level;
        break;
      case ']':
      case '}':
        level -= level > 0 ? 1 : 0;
        break;
      case ',':
      case ':':
      case '?':
      case '&':
      case '*':
      case '!':
      case '"':
      case '\'':
        break;
      default:
        continue;
    }
    if (++tokens > most) {
      return at(file,
                "yaml/too-many-nodes",
                i,
                1,
                "too many values in one line or one pair of brackets",
                "write the list with one value a line, or keep it in a file of its own");
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<text::Diagnostic> refuse(const text::SourceFile& file, const Limits& limits) {
  const std::size_t size = file.bytes().size();
  if (size > limits.bytes) {
    return at(file,
              "yaml/too-large",
              0,
              0,
              fmt::format("the file has more than the {:.4g} MiB that a recipe may have",
                          static_cast<double>(limits.bytes) / (1 << 20)),
              "is this really a recipe? data belongs in files of its own");
  }
  if (auto problem = refuse_encoding(file)) {
    return problem;
  }
  return refuse_flow(file, limits);
}

}  // namespace epwise::yaml
