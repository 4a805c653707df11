#include "yaml/properties.h"

#include <algorithm>

#include "yaml/raw.h"

namespace epwise::yaml {

namespace {

char at(std::string_view text, std::size_t place) {
  return place < text.size() ? text[place] : '\0';
}

bool is_name_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '_';
}

bool is_tag_character(char c) {
  return is_name_character(c) ||
         std::string_view(";/?:@&=+$.~*'()%!").find(c) != std::string_view::npos;
}

std::string_view refused_name(std::string_view name, char next) {
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_name_character)) {
    return "names of anchors consist of letters, digits, `-` and `_`";
  }
  return next == '[' || next == '{' ? "a blank is missing behind this name" : std::string_view();
}

std::string_view refused_tag(std::string_view text, std::string_view tag, char next) {
  if (next != '\0' && !raw::is_space(next)) {
    return "a blank is missing behind this tag";
  }
  if (tag.starts_with("<")) {
    return tag.ends_with(">") ? std::string_view() : "this tag lacks its `>`";
  }
  if (!std::all_of(tag.begin(), tag.end(), is_tag_character)) {
    return "a blank is missing behind this tag";
  }
  const std::size_t handle = tag.find('!');
  if (handle != std::string_view::npos && handle > 0 && text.find("%TAG") == text.npos) {
    return "the first part of this tag is declared nowhere";
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
