#include "yaml/edit_place.h"

#include <algorithm>

#include <fmt/format.h>

namespace epwise::yaml {

namespace {

/// The entry of a key and what is wrong with it as a place for edits.
const Entry* only_entry(const Node& mapping,
                        const std::string& key,
                        std::optional<Refusal>& refusal) {
  const Entry* found = nullptr;
  for (const Entry& entry : mapping.entries) {
    if (entry.key != key) {
      continue;
    }
    if (entry.merged) {
      refusal = Refusal{entry.value.mark, fmt::format("`{}` comes in through a merge key", key)};
    } else if (found != nullptr) {
      refusal = Refusal{entry.key_mark, fmt::format("`{}` stands twice here", key)};
    }
    found = &entry;
  }
  return found;
}

bool is_alias(const Node& node) {
  return !(node.mark == node.defined);
}

}  // namespace

EditPlace find_place(const Node& root,
                     const std::vector<std::string>& path,
                     std::optional<Refusal>& refusal) {
  EditPlace place;
  place.mapping = &root;
  if (!root.is_mapping()) {
    refusal = Refusal{root.mark, "the document holds no mapping of keys to values"};
  }
  while (!refusal) {
    place.entry = only_entry(*place.mapping, path[place.depth], refusal);
    if (place.entry == nullptr || refusal) {
      break;
    }
    const Node& value = place.entry->value;
    if (is_alias(value)) {
      refusal = Refusal{value.mark, "an alias stands here: its anchor holds the value"};
      break;
    }
    if (place.depth + 1 == path.size() || value.is_null()) {
      break;
    }
    if (!value.is_mapping()) {
      refusal = Refusal{value.mark, fmt::format("`{}` holds no keys", place.entry->key)};
      break;
    }
    place.owner = place.entry;
    place.mapping = &value;
    ++place.depth;
  }
  return place;
}

Patch refuse_key(const Entry& entry, std::string reason) {
  return {{}, Refusal{entry.key_mark, std::move(reason)}};
}

Patch refuse_value(const Entry& entry, std::string reason) {
  return {{}, Refusal{entry.value.mark, std::move(reason)}};
}

std::size_t line_begin(std::string_view text, std::size_t place) {
  while (place > 0 && text[place - 1] != '\n' && text[place - 1] != '\r') {
    --place;
  }
  return place;
}

std::size_t line_end(std::string_view text, std::size_t place) {
  return std::min(text.find_first_of("\r\n", place), text.size());
}

std::size_t next_line(std::string_view text, std::size_t place) {
  const std::size_t end = line_end(text, place);
  return std::min(end + (text.substr(end).starts_with("\r\n") ? 2 : 1), text.size());
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(' ') == std::string_view::npos;
}

bool is_blank_or_comment(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos || (text[first] == '#' && first > 0);
}

std::string_view line_break(std::string_view text, std::size_t place) {
  std::size_t end = line_end(text, place);
  if (end == text.size()) {
    end = line_end(text, 0);
  }
  if (end == text.size()) {
    return "\n";
  }
  return text.substr(end, text.substr(end).starts_with("\r\n") ? 2 : 1);
}

std::optional<std::size_t> behind_colon(std::string_view text, const Entry& entry) {
  const std::size_t colon = text.find_first_not_of(' ', entry.key_mark.end);
  if (colon == std::string_view::npos || text[colon] != ':') {
    return std::nullopt;
  }
  return colon + 1;
}

std::size_t end_of(std::string_view text, const Entry& entry) {
  const text::Mark& mark = entry.value.mark;
  if (mark.begin != mark.end) {
    return mark.end;
  }
  return behind_colon(text, entry).value_or(entry.key_mark.end);
}

bool is_flow(std::string_view text, const Node& collection) {
  const std::size_t begin = collection.mark.begin;
  return begin < collection.mark.end && (text[begin] == '{' || text[begin] == '[');
}

Quote quote_at(std::string_view text, std::size_t place) {
  const char c = place < text.size() ? text[place] : ' ';
  if (c == '\'') {
    return Quote::single;
  }
  return c == '"' ? Quote::twofold : Quote::none;
}

}  // namespace epwise::yaml
