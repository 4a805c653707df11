#include "commands/lsp/position.h"

#include <algorithm>

#include "base/text/ascii.h"

namespace epwise::lsp {

namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

/// Bytes of the first character; 1 for a byte that is not valid UTF-8. The client's texts arrive as
/// JSON, which excludes such bytes.
std::size_t character_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  std::size_t length = 1;
  if (lead >= 0xF0 && lead < 0xF5) {
    length = 4;
  } else if (lead >= 0xE0 && lead < 0xF0) {
    length = 3;
  } else if (lead >= 0xC2 && lead < 0xE0) {
    length = 2;
  }
  if (length > text.size()) {
    return 1;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
      return 1;
    }
  }
  return length;
}

std::size_t units_of(std::size_t bytes, Encoding encoding) {
  switch (encoding) {
    case Encoding::utf8:
      return bytes;
    case Encoding::utf16:
      return bytes == 4 ? 2 : 1;
    case Encoding::utf32:
      break;
  }
  return 1;
}

/// Bytes of `line` before its `character`.
std::size_t bytes_until(std::string_view line, std::size_t character, Encoding encoding) {
  std::size_t at = 0;
  std::size_t passed = 0;
  while (at < line.size() && passed < character) {
    const std::size_t bytes = character_bytes(line.substr(at));
    passed += units_of(bytes, encoding);
    if (passed > character) {
      break;
    }
    at += bytes;
  }
  return at;
}

std::string_view without_end(std::string_view line) {
  return line.substr(0, line.find_first_of("\r\n"));
}

}  // namespace

std::string_view to_string(Encoding encoding) {
  switch (encoding) {
    case Encoding::utf8:
      return "utf-8";
    case Encoding::utf16:
      return "utf-16";
    case Encoding::utf32:
      break;
  }
  return "utf-32";
}

std::size_t units(std::string_view text, Encoding encoding) {
  if (encoding == Encoding::utf8) {
    return text.size();
  }
  std::size_t sum = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = character_bytes(text.substr(at));
    sum += units_of(bytes, encoding);
    at += bytes;
  }
  return sum;
}

Position position_of(const text::SourceFile& file, std::size_t offset, Encoding encoding) {
  offset = std::min(offset, file.bytes().size());
  const int number = file.position(offset).line;
  const std::size_t begin = file.line_offset(number);
  const auto before = file.bytes().substr(begin, offset - begin);
  const bool behind_mark = number == 1 && file.had_byte_order_mark();
  return {static_cast<std::size_t>(number - 1),
          units(before, encoding) + (behind_mark ? units(kMark, encoding) : 0)};
}

Range range_of(const text::Mark& mark, Encoding encoding) {
  return {position_of(*mark.file, mark.begin, encoding),
          position_of(*mark.file, mark.end, encoding)};
}

std::size_t offset_of(const text::SourceFile& file, Position position, Encoding encoding) {
  if (position.line >= static_cast<std::size_t>(file.line_count())) {
    return file.bytes().size();
  }
  const int number = static_cast<int>(position.line) + 1;
  std::size_t character = position.character;
  if (number == 1 && file.had_byte_order_mark()) {
    character -= std::min(character, units(kMark, encoding));
  }
  return file.line_offset(number) + bytes_until(file.line(number), character, encoding);
}

std::size_t offset_in(std::string_view text, Position position, Encoding encoding) {
  std::size_t begin = 0;
  for (std::size_t line = 0; line < position.line; ++line) {
    const std::size_t end = text.find_first_of("\r\n", begin);
    if (end == std::string_view::npos) {
      return text.size();
    }
    const bool both = text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n';
    begin = end + (both ? 2 : 1);
  }
  return begin + bytes_until(without_end(text.substr(begin)), position.character, encoding);
}

namespace {

constexpr std::string_view kFile = "file://";
constexpr std::string_view kDigits = "0123456789ABCDEF";
constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";

std::optional<unsigned> digit(char c) {
  const auto at = kDigits.find(text::upper_letter(c));
  return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<unsigned>(at));
}

}  // namespace

std::optional<std::string> file_path(std::string_view uri) {
  if (!uri.starts_with(kFile)) {
    return std::nullopt;
  }
  std::string_view rest = uri.substr(kFile.size());
  if (rest.starts_with("localhost/")) {
    rest.remove_prefix(rest.find('/'));
  }
  if (!rest.starts_with('/')) {
    return std::nullopt;
  }
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const auto high = rest[i] == '%' && i + 2 < rest.size() ? digit(rest[i + 1]) : std::nullopt;
    const auto low = high ? digit(rest[i + 2]) : std::nullopt;
    if (low) {
      path += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      path += rest[i];
    }
  }
  return path.find('\0') == std::string::npos ? std::optional(path) : std::nullopt;
}

std::string file_uri(std::string_view path) {
  std::string uri(kFile);
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kDigits[byte / 16U], kDigits[byte % 16U]};
    }
  }
  return uri;
}

}  // namespace epwise::lsp
