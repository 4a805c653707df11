#include <algorithm>
#include <optional>

#include "yaml/edit_place.h"

namespace epwise::yaml {

namespace {

std::string_view covered(std::string_view text, const Node& node) {
  return text.substr(node.mark.begin, node.mark.end - node.mark.begin);
}

/// For each wanted item, which old one it is, where both lists have it in the same order.
std::vector<std::optional<std::size_t>> kept_items(const Node& old, const Literal& list) {
  std::vector<std::optional<std::size_t>> kept;
  std::size_t next = 0;
  for (const Literal& item : list.items) {
    std::size_t at = next;
    while (at < old.items.size() && !matches(old.items[at], item)) {
      ++at;
    }
    const bool found = at < old.items.size();
    kept.push_back(found ? std::optional(at) : std::nullopt);
    next = found ? at + 1 : next;
  }
  return kept;
}

Quote quote_of_items(std::string_view text, const Node& old) {
  return old.items.empty() ? Quote::none : quote_at(text, old.items.front().mark.begin);
}

/// "[attn, 'mlp']": items that stay keep their spelling.
Patch rewrite_flow(std::string_view text, const Entry& entry, const Literal& list) {
  const Node& old = entry.value;
  const std::string_view written = covered(text, old);
  if (written.find_first_of("\r\n") != std::string_view::npos) {
    return refuse_value(entry, "the list spans several lines");
  }
  if (written.find_first_of("&*!") != std::string_view::npos) {
    return refuse_value(entry, "the list holds anchors, aliases or tags");
  }
  const Quote quote = quote_of_items(text, old);
  const auto kept = kept_items(old, list);
  std::string separator = ", ";
  if (old.items.size() > 1) {
    const std::size_t from = old.items[0].mark.end;
    separator = text.substr(from, old.items[1].mark.begin - from);
  }
  std::string out;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    out += i == 0 ? "" : separator;
    out += kept[i] ? std::string(covered(text, old.items[*kept[i]])) : render(list.items[i], quote);
  }
  return {{{old.mark.begin, written.size(), "[" + out + "]"}}, std::nullopt};
}

/// The line of one item in block style, dash to comment; nullopt when it is not a line of its own.
std::optional<Splice> line_of(std::string_view text, const Node& item) {
  const std::size_t begin = line_begin(text, item.mark.begin);
  const std::string_view front = text.substr(begin, item.mark.begin - begin);
  const std::size_t dash = front.find_first_not_of(' ');
  const bool own = dash != std::string_view::npos && front[dash] == '-' &&
                   is_blank(front.substr(dash + 1)) &&
                   covered(text, item).find_first_of("\r\n") == std::string_view::npos;
  const std::size_t end = line_end(text, item.mark.end);
  if (!own || !is_blank_or_comment(text.substr(item.mark.end, end - item.mark.end))) {
    return std::nullopt;
  }
  return Splice{begin, next_line(text, begin) - begin, ""};
}

/// Lines of items that go are removed, others are changed in place or added behind the last.
Patch rewrite_block(std::string_view text, const Entry& entry, const Literal& list) {
  const Node& old = entry.value;
  std::vector<Splice> lines;
  for (const Node& item : old.items) {
    const auto line = line_of(text, item);
    if (!line || !item.is_scalar() || !item.tag.empty() || !(item.mark == item.defined)) {
      return refuse_value(entry, "an item of the list is no single line");
    }
    lines.push_back(*line);
  }
  const auto kept = kept_items(old, list);
  std::vector<bool> stays(old.items.size(), false);
  std::string added;
  const std::string_view last = text.substr(lines.back().begin, lines.back().size);
  const std::string front(
      text.substr(lines.back().begin, old.items.back().mark.begin - lines.back().begin));
  const std::string_view ending = line_break(text, lines.back().begin);
  const bool ended = last.ends_with('\n') || last.ends_with('\r');
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) {
      if (!added.empty()) {
        return refuse_value(entry, "items would have to be put in front of others");
      }
      stays[*kept[i]] = true;
    } else {
      const std::string line = front + render(list.items[i], quote_of_items(text, old));
      added += ended ? line + std::string(ending) : std::string(ending) + line;
    }
  }
  Patch patch;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!stays[i]) {
      patch.splices.push_back(lines[i]);
    }
  }
  if (!added.empty()) {
    patch.splices.push_back({lines.back().begin + lines.back().size, 0, added});
  }
  return patch;
}

}  // namespace

Patch set_list(std::string_view text, const Entry& entry, const Literal& list) {
  const Node& old = entry.value;
  if (!old.is_sequence() || matches(old, list)) {
    return set_value(text, entry, list);
  }
  if (!old.tag.empty()) {
    return refuse_value(entry, "the value carries the tag " + old.tag);
  }
  if (is_flow(text, old)) {
    return rewrite_flow(text, entry, list);
  }
  return list.items.empty() ? set_value(text, entry, list) : rewrite_block(text, entry, list);
}

}  // namespace epwise::yaml
