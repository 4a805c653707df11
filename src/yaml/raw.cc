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

/// As the tokeniser splits tags: `!<...>`, `!handle!suffix` or `!suffix`.
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

/// After the closing quote; `npos` if there is none.
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

/// After the last printed character of `value`, searched from `from` on; `from` if it has none.
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

/// yaml-cpp accepts `\'`, PyYAML does not.
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

/// After `|` or `>`: a digit, a `+` or `-`, both or none; then only blanks and a comment.
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

Character forbidden_character(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(at(text, k)); };
  const unsigned char c = byte(i);
  if (c < 0x20) {
    return c == '\t' || is_break(at(text, i)) ? Character{} : Character{1, c};
  }
  if (c == 0x7F) {
    return {1, c};
  }
  if (c == 0xC2) {  // U+0080 to U+009F but U+0085
    const unsigned char second = byte(i + 1);
    return second < 0xA0 && second != 0x85 ? Character{2, second} : Character{};
  }
  if (c == 0xEF && byte(i + 1) == 0xBF && byte(i + 2) >= 0xBE) {  // U+FFFE and U+FFFF
    return {3, 0xFF40U + byte(i + 2)};
  }
  return {};
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

namespace epwise::yaml {

namespace {

constexpr std::size_t kMostTabs = 10'000;  // limit for a file indented with tabs

}  // namespace

std::size_t Gaps::next() const {
  return raw::skip_layout(text_, cursor_);
}

bool Gaps::take(char indicator, std::size_t limit) {
  const std::size_t place = next();
  if (place >= limit || place >= text_.size() || text_[place] != indicator) {
    return false;
  }
  skip_to(place + 1);
  return true;
}

void Gaps::reach(std::size_t place, std::string_view message, std::string_view help) {
  const std::size_t found = next();
  if (found < place) {
    flaw(found, message, help);
  }
  skip_to(place);
}

void Gaps::pass(std::size_t end, bool plain) {
  if (plain) {
    skip_to(end);
  } else {
    cursor_ = std::max(cursor_, std::min(end, text_.size()));
  }
}

void Gaps::flaw(std::size_t place, std::string_view message, std::string_view help) {
  if (flawed_) {
    return;
  }
  flawed_ = true;
  const auto begin = static_cast<std::uint32_t>(std::min(place, text_.size()));
  const auto end = static_cast<std::uint32_t>(std::min(place + 1, text_.size()));
  flaws_.push_back({begin, end, "yaml/syntax", message, help});
}

std::size_t Gaps::line_start(std::size_t place) {
  std::size_t start = std::min(place, text_.size());
  const std::size_t known = place >= asked_place_ ? asked_place_ : 0;
  while (start > known && !raw::is_break(text_[start - 1])) {
    --start;
  }
  asked_start_ = start > known || known == 0 ? start : asked_start_;
  asked_place_ = std::max(place, known);
  return asked_start_;
}

void Gaps::skip_to(std::size_t place) {
  if (place > cursor_) {
    note_tabs(cursor_, place);
    cursor_ = std::min(place, text_.size());
  }
}

void Gaps::note_tabs(std::size_t begin, std::size_t end) {
  bool comment = false;
  for (std::size_t i = begin; i < end && i < text_.size(); ++i) {
    if (raw::is_break(text_[i])) {
      comment = false;
    } else if (text_[i] == '#' && (i == begin || raw::is_space(text_[i - 1]))) {
      comment = true;
    } else if (text_[i] == '\t' && !comment && i >= tab_line_ && flaws_.size() < kMostTabs) {
      tab_line_ = std::min(text_.find_first_of("\r\n", i), text_.size());
      const auto place = static_cast<std::uint32_t>(i);
      flaws_.push_back({place,
                        place + 1,
                        "yaml/tab",
                        "a tab where YAML allows only spaces",
                        "replace it with spaces, or quote the text that contains it"});
    }
  }
}

namespace {

char at(std::string_view text, std::size_t place) {
  return place < text.size() ? text[place] : '\0';
}

bool is_name_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '_';
}

bool is_tag_letter(char c) {
  return is_name_character(c) ||
         std::string_view(";/?:@&=+$.~*'()%!").find(c) != std::string_view::npos;
}

std::string_view refused_name(std::string_view name, char next) {
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_name_character)) {
    return "anchor names consist of letters, digits, `-` and `_`";
  }
  return next == '[' || next == '{' ? "a space is missing after this name" : std::string_view();
}

std::string_view refused_tag(std::string_view text, std::string_view tag, char next) {
  if (next != '\0' && !raw::is_space(next)) {
    return "a space is missing after this tag";
  }
  if (tag.starts_with("<")) {
    return tag.ends_with(">") ? std::string_view() : "this tag lacks its `>`";
  }
  if (!std::all_of(tag.begin(), tag.end(), is_tag_letter)) {
    return "a space is missing after this tag";
  }
  const std::size_t handle = tag.find('!');
  if (handle != std::string_view::npos && handle > 0 && text.find("%TAG") == text.npos) {
    return "the first part of this tag is not declared";
  }
  return {};
}

}  // namespace

Properties read_properties(std::string_view text, std::size_t from, int most) {
  Properties found;
  found.end = found.value = from;
  for (int i = 0; i < most; ++i) {
    const char kind = at(text, found.value);
    if (kind != '&' && kind != '!') {
      break;
    }
    found.end = raw::property_end(text, found.value);
    const std::string_view written = text.substr(found.value, found.end - found.value);
    if (kind == '&') {
      found.anchor = written;
      found.anchor_at = found.value;
    } else {
      found.tag = written;
    }
    found.value = raw::skip_layout(text, found.end);
  }
  return found;
}

std::string_view refused_property(std::string_view text, std::size_t from) {
  const std::size_t end = raw::property_end(text, from);
  const std::string_view name = text.substr(from + 1, end - from - 1);
  const char next = at(text, end);
  return text[from] == '!' ? refused_tag(text, name, next) : refused_name(name, next);
}

}  // namespace epwise::yaml
