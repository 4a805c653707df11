#include <algorithm>
#include <optional>

#include "yaml/edit_place.h"

namespace epwise::yaml {

namespace {

constexpr std::size_t kUsualIndent = 2;
constexpr std::size_t kSortedFrom = 4;  // as many keys in order are no accident

/// The entries that stand in the mapping itself, in the order of the text.
std::vector<const Entry*> own_entries(const Node& mapping) {
  std::vector<const Entry*> own;
  for (const Entry& entry : mapping.entries) {
    if (!entry.merged) {
      own.push_back(&entry);
    }
  }
  std::ranges::sort(own, {}, [](const Entry* entry) { return entry->key_mark.begin; });
  return own;
}

/// What stands in front of a key on its line.
std::string_view front_of(std::string_view text, const Entry& entry) {
  const std::size_t begin = line_begin(text, entry.key_mark.begin);
  return text.substr(begin, entry.key_mark.begin - begin);
}

/// By how much sections are indented: the smallest step between a key and the keys below it.
std::size_t indent_step(std::string_view text, const Node& mapping) {
  std::size_t step = 0;
  for (const Entry& entry : mapping.entries) {
    const Node& value = entry.value;
    if (entry.merged || !value.is_mapping() || value.entries.empty() || is_flow(text, value)) {
      continue;
    }
    const std::string_view outer = front_of(text, entry);
    const std::string_view inner = front_of(text, value.entries.front());
    if (is_blank(inner) && inner.size() > outer.size()) {
      const std::size_t found = inner.size() - outer.size();
      step = step == 0 ? found : std::min(step, found);
    }
  }
  return step == 0 ? kUsualIndent : step;
}

/// "a: {b: value}" for the path from `from` on.
std::string flow_text(const Edit& edit, std::size_t from, Quote quote) {
  const std::string key = render_text(edit.path[from], quote) + ": ";
  return from + 1 == edit.path.size() ? key + render(*edit.value)
                                      : key + "{" + flow_text(edit, from + 1, quote) + "}";
}

/// The same on lines of their own, without the last line end.
std::string block_text(const Edit& edit,
                       std::size_t from,
                       Quote quote,
                       const std::string& indent,
                       const std::string& ending,
                       std::size_t step) {
  const std::string key = indent + render_text(edit.path[from], quote) + ":";
  if (from + 1 == edit.path.size()) {
    return key + " " + render(*edit.value);
  }
  return key + ending +
         block_text(edit, from + 1, quote, indent + std::string(step, ' '), ending, step);
}

/// The entry behind which a new key goes; null pointer: in front of all.
const Entry* predecessor(const std::vector<const Entry*>& own, const std::string& key) {
  const auto by_key = [](const Entry* entry) { return std::string_view(entry->key); };
  if (own.size() < kSortedFrom || !std::ranges::is_sorted(own, {}, by_key)) {
    return own.back();
  }
  const auto after = std::ranges::upper_bound(own, std::string_view(key), {}, by_key);
  return after == own.begin() ? nullptr : *(after - 1);
}

Patch add_to_flow(std::string_view text, const EditPlace& place, const Edit& edit) {
  const auto own = own_entries(*place.mapping);
  if (own.empty()) {
    return {{{place.mapping->mark.begin + 1, 0, flow_text(edit, place.depth, Quote::none)}},
            std::nullopt};
  }
  const Entry& last = *own.back();
  const Quote quote = quote_at(text, last.key_mark.begin);
  return {{{end_of(text, last), 0, ", " + flow_text(edit, place.depth, quote)}}, std::nullopt};
}

Patch add_to_block(std::string_view text, const EditPlace& place, const Edit& edit) {
  const auto own = own_entries(*place.mapping);
  const auto on_own_line = std::ranges::find_if(
      own, [&](const Entry* entry) { return is_blank(front_of(text, *entry)); });
  if (on_own_line == own.end()) {
    return {{}, Refusal{place.mapping->mark, "no key of this mapping starts a line"}};
  }
  const Entry* before = predecessor(own, edit.path[place.depth]);
  const Entry& neighbour = before == nullptr ? *own.front() : *before;
  const std::string indent(front_of(text, **on_own_line));
  const std::string ending(line_break(text, neighbour.key_mark.begin));
  const std::string added = block_text(edit,
                                       place.depth,
                                       quote_at(text, neighbour.key_mark.begin),
                                       indent,
                                       ending,
                                       indent_step(text, *place.mapping));
  if (before == nullptr) {
    return is_blank(front_of(text, neighbour))
               ? Patch{{{line_begin(text, neighbour.key_mark.begin), 0, added + ending}}, {}}
               : refuse_key(neighbour, "this key does not start a line");
  }
  const std::size_t end = end_of(text, neighbour);
  if (end == line_begin(text, end)) {  // a block scalar takes its line end along
    return {{{end, 0, added + ending}}, std::nullopt};
  }
  const std::size_t stop = line_end(text, end);
  const std::size_t next = next_line(text, end);
  if (!is_blank_or_comment(text.substr(end, stop - end))) {
    return refuse_key(neighbour, "something stands behind the value of this key");
  }
  return {{stop == next ? Splice{next, 0, ending + added} : Splice{next, 0, added + ending}},
          std::nullopt};
}

/// The whole line of a key and its value; nullopt when other things stand on these lines.
std::optional<Splice> lines_of(std::string_view text, const Entry& entry) {
  std::size_t begin = line_begin(text, entry.key_mark.begin);
  const std::size_t end = end_of(text, entry);
  if (!is_blank(front_of(text, entry))) {
    return std::nullopt;
  }
  if (end == line_begin(text, end)) {
    return Splice{begin, end - begin, ""};
  }
  const std::size_t stop = line_end(text, end);
  if (!is_blank_or_comment(text.substr(end, stop - end))) {
    return std::nullopt;
  }
  const std::size_t next = next_line(text, end);
  if (stop == next && begin > 0) {  // the last line has no end: the one before must not get one
    begin = line_end(text, line_begin(text, begin - 1));
  }
  return Splice{begin, next - begin, ""};
}

Patch remove_from_block(std::string_view text, const EditPlace& place, bool only) {
  auto lines = lines_of(text, *place.entry);
  if (!lines) {
    return refuse_key(*place.entry, "other things stand on the lines of this key");
  }
  if (!only) {
    return {{*lines}, std::nullopt};
  }
  const auto colon = place.owner == nullptr ? std::nullopt : behind_colon(text, *place.owner);
  if (!colon || *colon > lines->begin) {
    return refuse_key(*place.entry, "nothing would be left of the mapping");
  }
  return {{{*colon, 0, " {}"}, *lines}, std::nullopt};
}

Patch remove_from_flow(std::string_view text,
                       const EditPlace& place,
                       const std::vector<const Entry*>& own) {
  const auto at = std::ranges::find(own, place.entry);
  std::size_t begin = place.entry->key_mark.begin;
  std::size_t end = end_of(text, *place.entry);
  if (at + 1 != own.end()) {
    end = (*(at + 1))->key_mark.begin;
  } else if (at != own.begin()) {
    begin = end_of(text, **(at - 1));
  }
  if (text.substr(begin, end - begin).find('#') != std::string_view::npos) {
    return refuse_key(*place.entry, "comments stand between this key and the next");
  }
  return {{{begin, end - begin, ""}}, std::nullopt};
}

}  // namespace

Patch add_key(std::string_view text, const EditPlace& place, const Edit& edit) {
  if (place.entry != nullptr) {  // a section that is null
    return fill_null(text, *place.entry, "{" + flow_text(edit, place.depth + 1, Quote::none) + "}");
  }
  return is_flow(text, *place.mapping) ? add_to_flow(text, place, edit)
                                       : add_to_block(text, place, edit);
}

Patch rename_key(std::string_view text, const EditPlace& place, const std::string& name) {
  const Entry& entry = *place.entry;
  const auto is_taken = [&](const Entry& other) { return other.key == name; };
  if (std::ranges::any_of(place.mapping->entries, is_taken)) {
    return refuse_key(entry, "`" + name + "` stands there already");
  }
  const std::size_t begin = entry.key_mark.begin;
  return {{{begin, entry.key_mark.end - begin, render_text(name, quote_at(text, begin))}}, {}};
}

Patch remove_key(std::string_view text, const EditPlace& place) {
  const auto own = own_entries(*place.mapping);
  if (is_flow(text, *place.mapping)) {
    return remove_from_flow(text, place, own);
  }
  return remove_from_block(text, place, own.size() == 1);
}

}  // namespace epwise::yaml
