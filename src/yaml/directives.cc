#include "yaml/directives.h"

#include <algorithm>

#include "yaml/raw.h"

namespace epwise::yaml {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

/// "1.1" or "1.2", with nothing behind it but blanks or a comment.
bool is_version(std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  if (!rest.starts_with("1.")) {
    return false;
  }
  rest.remove_prefix(2);
  const auto end = std::find_if_not(rest.begin(), rest.end(), is_digit);
  const bool any = end != rest.begin();
  rest.remove_prefix(static_cast<std::size_t>(end - rest.begin()));
  const std::size_t next = rest.find_first_not_of(' ');
  return any && (next == std::string_view::npos || (next > 0 && rest[next] == '#'));
}

bool is_directive(std::string_view line) {
  const auto end = std::find_if_not(line.begin() + 1, line.end(), is_word_character);
  const std::string_view name(line.data() + 1, static_cast<std::size_t>(end - line.begin()) - 1);
  if (name.empty() || (end != line.end() && *end != ' ')) {
    return false;
  }
  return name != "YAML" || is_version(line.substr(1 + name.size()));
}

}  // namespace

std::optional<Flaw> check_directives(std::string_view text, std::size_t begin, std::size_t end) {
  const bool started = raw::is_document_start(text, end);
  std::size_t line = begin;
  while (line < end) {
    const std::size_t next = std::min(text.find_first_of("\r\n", line), end);
    const bool at_start = line == 0 || raw::is_break(text[line - 1]);
    if (at_start && text[line] == '%') {
      const bool good = is_directive(text.substr(line, next - line));
      if (!good || !started) {
        return Flaw{static_cast<std::uint32_t>(line),
                    static_cast<std::uint32_t>(next),
                    "yaml/syntax",
                    good ? "a directive without a document: no line `---` follows"
                         : "a line that starts with `%` is no setting",
                    "remove the line, or quote the text"};
      }
    }
    line = next + 1;
  }
  return std::nullopt;
}

}  // namespace epwise::yaml
