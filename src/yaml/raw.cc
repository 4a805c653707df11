#include "yaml/raw.h"

#include <algorithm>

namespace epwise::yaml::raw {

namespace {

char at(std::string_view text, std::size_t offset) {
  return offset < text.size() ? text[offset] : '\0';
}

bool is_flow_indicator(char c) {
  return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

bool is_word_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

bool is_tag_character(char c) {
  return is_word_character(c) ||
         std::string_view("#;/?:@&=+$_.~*'()%").find(c) != std::string_view::npos;
}

/// As the tokeniser cuts tags: `!<...>`, `!handle!suffix` or `!suffix`.
std::size_t tag_end(std::string_view text, std::size_t from) {
  std::size_t i = from + 1;
  if (at(text, i) == '<') {
    const std::size_t close = text.find('>', i);
    return close == text.npos ? text.size() : close + 1;
  }
  while (i < text.size() && is_word_character(text[i])) {
    ++i;
  }
  if (at(text, i) == '!') {
    ++i;
  }
  while (i < text.size() && is_tag_character(text[i])) {
    ++i;
  }
  return i;
}

std::size_t line_end(std::string_view text, std::size_t from) {
  while (from < text.size() && !is_break(text[from])) {
    ++from;
  }
  return from;
}

/// Behind the closing quote; `npos` when there is none.
std::size_t single_quoted_end(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\'') {
      if (at(text, i + 1) != '\'') {
        return i + 1;
      }
      ++i;
    }
  }
  return std::string_view::npos;
}

std::size_t double_quoted_end(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return std::string_view::npos;
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

/// yaml-cpp takes `\'`, PyYAML doesn't.
std::size_t wrong_escape(std::string_view text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (text[i] == '\\') {
      if (at(text, i + 1) == '\'') {
        return i;
      }
      ++i;
    }
  }
  return text.npos;
}

/// Behind `|` or `>`: a digit, a `+` or `-`, both or none; then only blanks and a comment.
std::size_t wrong_header(std::string_view text, std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < text.size() && std::string_view("+-123456789").find(text[i]) != text.npos) {
    ++i;
  }
  const std::size_t marks = i;
  while (at(text, i) == ' ') {
    ++i;
  }
  const bool comment = at(text, i) == '#' && i > marks;
  return i >= text.size() || is_break(text[i]) || comment ? text.npos : i;
}

}  // namespace

bool is_break(char c) {
  return c == '\n' || c == '\r';
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || is_break(c);
}

bool is_document_start(std::string_view text, std::size_t place) {
  const char next = at(text, place + 3);
  return place <= text.size() && text.substr(place).starts_with("---") &&
         (place == 0 || is_break(text[place - 1])) && (next == '\0' || is_space(next));
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
  if (at(text, from) == '!') {
    return tag_end(text, from);
  }
  std::size_t i = from + 1;
  while (i < text.size() && !is_space(text[i]) && !is_flow_indicator(text[i])) {
    ++i;
  }
  return std::min(i, text.size());
}

std::size_t scalar_end(std::string_view text, std::size_t begin, std::string_view value) {
  switch (at(text, begin)) {
    case '\'':
      return std::min(single_quoted_end(text, begin), text.size());
    case '"':
      return std::min(double_quoted_end(text, begin), text.size());
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

std::size_t wrong_in_quoted(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view before = text.substr(0, end);
  switch (at(text, begin)) {
    case '\'':
      return single_quoted_end(before, begin) == end ? text.npos : begin;
    case '"':
      return double_quoted_end(before, begin) == end ? wrong_escape(text, begin, end) : begin;
    default:
      return wrong_header(text, begin);
  }
}

std::size_t blank_lines_end(std::string_view text, std::size_t from) {
  std::size_t end = from;
  for (std::size_t i = from; i < text.size() && is_space(text[i]); ++i) {
    if (is_break(text[i])) {
      end = i;
    }
  }
  return end;
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
