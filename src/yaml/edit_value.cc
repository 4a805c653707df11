#include <algorithm>

#include "yaml/edit_place.h"

namespace epwise::yaml {

namespace {

std::string_view covered(std::string_view text, const text::Mark& mark) {
  return text.substr(mark.begin, mark.end - mark.begin);
}

bool is_one_line(std::string_view text) {
  return text.find_first_of("\r\n") == std::string_view::npos;
}

/// A list in block style gives way to a value behind the colon.
Patch replace_lines(std::string_view text, const Entry& entry, const std::string& value) {
  const auto colon = behind_colon(text, entry);
  const std::size_t end = entry.value.mark.end;
  if (!colon) {
    return refuse_key(entry, "the colon of this key stands apart from it");
  }
  if (text.substr(*colon, end - *colon).find_first_of("#&!") != std::string_view::npos) {
    return refuse_value(entry, "the list holds comments, anchors or tags that would be lost");
  }
  return {{{*colon, end - *colon, " " + value}}, std::nullopt};
}

}  // namespace

Patch fill_null(std::string_view text, const Entry& entry, const std::string& value) {
  const text::Mark& mark = entry.value.mark;
  if (mark.begin != mark.end) {
    return {{{mark.begin, mark.end - mark.begin, value}}, std::nullopt};
  }
  if (const auto colon = behind_colon(text, entry)) {
    return {{{*colon, 0, " " + value}}, std::nullopt};
  }
  return {{{entry.key_mark.end, 0, ": " + value}}, std::nullopt};  // `{a, b}`
}

Patch set_value(std::string_view text, const Entry& entry, const Literal& value) {
  const Node& old = entry.value;
  if (matches(old, value)) {
    return {};
  }
  if (old.is_mapping()) {
    return refuse_value(entry, "a whole section stands here");
  }
  if (!old.tag.empty()) {
    return refuse_value(entry, "the value carries the tag " + old.tag);
  }
  const std::string_view written = covered(text, old.mark);
  if (old.is_null()) {
    return fill_null(text, entry, render(value));
  }
  if (old.is_sequence() && !is_flow(text, old)) {
    return replace_lines(text, entry, render(value));
  }
  const bool block = written.front() == '|' || written.front() == '>';
  if (!is_one_line(written) || (old.is_scalar() && !old.plain && block)) {
    return refuse_value(entry, "the value spans several lines");
  }
  const Quote quote = old.is_scalar() ? quote_at(text, old.mark.begin) : Quote::none;
  return {{{old.mark.begin, written.size(), render(value, quote)}}, std::nullopt};
}

}  // namespace epwise::yaml
