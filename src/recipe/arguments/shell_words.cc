#include "recipe/arguments/shell_words.h"

#include <utility>

namespace epwise::recipe {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// One word from `at` on; moves `at` behind it. False when it doesn't end.
bool take_word(std::string_view text, std::size_t& at, std::string& word) {
  char quote = '\0';
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == '\0' && is_blank(c)) {
      return true;
    }
    const bool escapes = c == '\\' && quote != '\'';
    if (escapes && at + 1 == text.size()) {
      return false;
    }
    if (escapes) {
      const char next = text[at + 1];
      // Between double quotes a backslash is itself, but before a quote or another backslash.
      if (quote == '"' && next != '"' && next != '\\') {
        word.push_back(c);
      }
      word.push_back(next);
      ++at;
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      word.push_back(c);
    }
  }
  return quote == '\0';
}

}  // namespace

std::optional<std::vector<std::string>> shell_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    std::string word;
    if (!take_word(text, at, word)) {
      return std::nullopt;
    }
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace epwise::recipe
