#include "yaml/raw.h"

namespace epwise::yaml::raw {

namespace {

char at(std::string_view text, std::size_t offset) {
  return offset < text.size() ? text[offset] : '\0';
}

bool is_flow_indicator(char c) {
  return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

std::size_t line_end(std::string_view text, std::size_t from) {
  while (from < text.size() && !is_break(text[from])) {
    ++from;
  }
  return from;
}

std::size_t single_quoted_end(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\'') {
      if (at(text, i + 1) != '\'') {
        return i + 1;
      }
      ++i;
    }
  }
  return text.size();
}

std::size_t double_quoted_end(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

/// Behind the last printed character of `value`, looked for from `from` on; `from` when it has
/// none.
std::size_t matched_end(std::string_view text, std::size_t from, std::string_view value) {
  std::size_t end = from;
  std::size_t i = from;
  for (const char c : value) {
    if (is_space(c)) {
      continue;
    }
    while (i < text.size() && is_space(text[i])) {
      ++i;
    }
    if (at(text, i) != c) {
      return end;
    }
    end = ++i;
  }
  return end;
}

}  // namespace

bool is_break(char c) {
  return c == '\n' || c == '\r';
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || is_break(c);
}

std::size_t skip_layout(std::string_view text, std::size_t from) {
  while (from < text.size()) {
    if (text[from] == '#') {
      from = line_end(text, from);
    } else if (is_space(text[from])) {
      ++from;
    } else {
      break;
    }
  }
  return from;
}

std::size_t property_end(std::string_view text, std::size_t from) {
  const bool verbatim = at(text, from) == '!' && at(text, from + 1) == '<';
  std::size_t i = from + 1;
  while (i < text.size() && !is_space(text[i])) {
    if (verbatim ? text[i - 1] == '>' : is_flow_indicator(text[i])) {
      break;
    }
    ++i;
  }
  return i < text.size() ? i : text.size();
}

std::size_t scalar_end(std::string_view text, std::size_t begin, std::string_view value) {
  switch (at(text, begin)) {
    case '\'':
      return single_quoted_end(text, begin);
    case '"':
      return double_quoted_end(text, begin);
    case '|':
    case '>': {
      const std::size_t header = line_end(text, begin);
      const std::size_t end = matched_end(text, header, value);
      if (end != header) {
        return end;
      }
      const std::size_t comment = text.substr(begin, header - begin).find_first_of(" \t#");
      return comment == std::string_view::npos ? header : begin + comment;
    }
    default:
      return matched_end(text, begin, value);
  }
}

std::string_view null_word(std::string_view text, std::size_t from) {
  for (const std::string_view word : {"~", "null", "Null", "NULL"}) {
    if (text.substr(from < text.size() ? from : text.size()).starts_with(word)) {
      const char next = at(text, from + word.size());
      if (next == '\0' || is_space(next) || is_flow_indicator(next) || next == ':') {
        return text.substr(from, word.size());
      }
    }
  }
  return {};
}

}  // namespace epwise::yaml::raw
