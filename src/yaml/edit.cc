#include "yaml/edit.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "yaml/node.h"
#include "yaml/parse.h"

namespace epwise::yaml {

/// Whether two trees are equal, regardless of the positions of their parts.
bool is_same(const Node& a, const Node& b);

/// Whether `after` is `before` with only this edit applied: same keys in the same order, the new
/// key anywhere.
bool is_edited(const Node& before, const Node& after, const Edit& edit);

}  // namespace epwise::yaml

/// The steps of `edit` (yaml/edit.h): locating an edit, and creating its splices.

namespace epwise::yaml {

/// Splices of one edit, ascending and non-overlapping, or why there are none. No splices and no
/// refusal: nothing has to change.
struct Patch {
  std::vector<Splice> splices;
  std::optional<Refusal> refusal;
};

/// The location of an edit: the mapping that contains, or will contain, `path[depth]`.
struct EditPlace {
  const Node* mapping = nullptr;
  const Entry* owner = nullptr;  // the entry whose value is the mapping; null pointer: the root
  const Entry* entry = nullptr;  // the existing value at the path; null pointer: to be added
  std::size_t depth = 0;
};

/// Follows the path as far as it exists. A refusal if it leads through something that cannot be
/// edited.
EditPlace find_place(const Node& root,
                     const std::vector<std::string>& path,
                     std::optional<Refusal>& refusal);

/// Writes `value` if the entry has none: after its colon, or over its `null` or `~`.
Patch fill_null(std::string_view text, const Entry& entry, const std::string& value);

Patch set_value(std::string_view text, const Entry& entry, const Literal& value);
Patch set_list(std::string_view text, const Entry& entry, const Literal& list);
Patch add_key(std::string_view text, const EditPlace& place, const Edit& edit);
Patch rename_key(std::string_view text, const EditPlace& place, const std::string& name);
Patch remove_key(std::string_view text, const EditPlace& place);

/// A refusal at the key of an entry, or at its value.
Patch refuse_key(const Entry& entry, std::string reason);
Patch refuse_value(const Entry& entry, std::string reason);

/// Text helpers used by several steps.
std::size_t line_begin(std::string_view text, std::size_t place);
std::size_t line_end(std::string_view text, std::size_t place);  // before CR, LF
std::size_t next_line(std::string_view text, std::size_t place);
bool is_blank(std::string_view text);
/// Whether the rest is empty, or blanks and a comment.
bool is_blank_or_comment(std::string_view text);
/// The line end that the text uses around `place`.
std::string_view line_break(std::string_view text, std::size_t place);
/// After the colon of a key; nullopt if the colon does not follow the key immediately.
std::optional<std::size_t> behind_colon(std::string_view text, const Entry& entry);
/// The end of an entry: of its value, or of its colon or key if the value is empty.
std::size_t end_of(std::string_view text, const Entry& entry);
bool is_flow(std::string_view text, const Node& collection);
Quote quote_at(std::string_view text, std::size_t place);

namespace {

ParsedText parsed_text(std::shared_ptr<const text::SourceFile> file) {
  auto stream = std::make_shared<const Stream>(parse(*file));
  return {std::move(file), std::move(stream)};
}

/// Text that is one plain scalar in any context: `alltoall`, `-1`, `1.0e-05`.
bool is_plain_word(std::string_view text) {
  const bool sign = text.size() > 1 && (text.front() == '-' || text.front() == '.');
  return text.size() > (sign ? 1U : 0U) && text::is_letter_or_digit(text[sign ? 1 : 0]) &&
         std::ranges::all_of(text.substr(1), [](char c) {
           return text::is_letter_or_digit(c) || c == '.' || c == '_' || c == '-' || c == '+';
         });
}

/// One plain word replaces another.
bool is_word_for_word(std::string_view text, const Patch& patch) {
  if (patch.refusal || patch.splices.size() != 1) {
    return false;
  }
  const Splice& splice = patch.splices.front();
  return is_plain_word(text.substr(splice.begin, splice.size)) && is_plain_word(splice.text);
}

std::string spliced(std::string_view text, const std::vector<Splice>& splices) {
  std::string out;
  std::size_t from = 0;
  for (const Splice& splice : splices) {
    out += text.substr(from, splice.begin - from);
    out += splice.text;
    from = splice.begin + splice.size;
  }
  return out + std::string(text.substr(from));
}

Patch patch_of(std::string_view text, const Node& root, const Edit& edit) {
  std::optional<Refusal> refusal;
  const EditPlace place = find_place(root, edit.path, refusal);
  if (refusal) {
    return {{}, std::move(refusal)};
  }
  const bool there = place.entry != nullptr && place.depth + 1 == edit.path.size();
  if (!edit.rename.empty()) {
    return there ? rename_key(text, place, edit.rename) : Patch{};
  }
  if (!edit.value) {
    return there ? remove_key(text, place) : Patch{};
  }
  if (!there) {
    return add_key(text, place, edit);
  }
  return edit.value->kind == Literal::Kind::list ? set_list(text, *place.entry, *edit.value)
                                                 : set_value(text, *place.entry, *edit.value);
}

/// Reasons not to edit the file at all: positions that the framework's loader rejects.
std::optional<Refusal> unreadable(const Stream& stream, int document) {
  for (const text::Diagnostic& problem : stream.diagnostics) {
    if (problem.rule == "yaml/tab") {
      return Refusal{problem.mark, "the file contains tabs, which PyYAML rejects"};
    }
  }
  if (!stream.readable || static_cast<std::size_t>(document) > stream.documents.size()) {
    const text::Mark mark =
        stream.diagnostics.empty() ? text::Mark{} : stream.diagnostics.front().mark;
    return Refusal{mark, "the file is not complete YAML"};
  }
  return std::nullopt;
}

std::map<std::string, std::size_t> counted(const std::vector<text::Diagnostic>& problems) {
  std::map<std::string, std::size_t> counts;
  for (const text::Diagnostic& problem : problems) {
    ++counts[problem.rule];
  }
  return counts;
}

/// The new text has the intended content and nothing else has changed.
bool is_as_meant(const ParsedText& before,
                 const ParsedText& after,
                 std::size_t document,
                 const Edit& edit) {
  const auto& old = before.stream->documents;
  const auto& now = after.stream->documents;
  if (!after.stream->readable || old.size() != now.size()) {
    return false;
  }
  for (std::size_t i = 0; i < old.size(); ++i) {
    const bool right = i == document ? is_edited(old[i].root, now[i].root, edit)
                                     : is_same(old[i].root, now[i].root);
    if (!right) {
      return false;
    }
  }
  auto known = counted(before.stream->diagnostics);
  const auto found = counted(after.stream->diagnostics);
  return std::ranges::all_of(found, [&](const auto& entry) {
    return entry.first == "yaml/unused-anchor" || entry.second <= known[entry.first];
  });
}

/// A position in the text after the splices, mapped to the text before them.
std::uint32_t place_before(std::uint32_t place, const std::vector<Splice>& splices) {
  for (auto splice = splices.rbegin(); splice != splices.rend(); ++splice) {
    if (place >= splice->begin + splice->text.size()) {
      place = static_cast<std::uint32_t>(place - splice->text.size() + splice->size);
    } else if (place > splice->begin) {
      place = static_cast<std::uint32_t>(splice->begin);
    }
  }
  return place;
}

class Editor {
 public:
  Editor(const text::SourceFile& file, int document, const Stream* parsed)
      : original_(file),
        document_(static_cast<std::size_t>(document - 1)) {
    const std::shared_ptr<const text::SourceFile> borrowed(std::shared_ptr<void>(), &file);
    now_ =
        parsed == nullptr
            ? parsed_text(borrowed)
            : ParsedText{borrowed, std::shared_ptr<const Stream>(std::shared_ptr<void>(), parsed)};
    refusal_ = unreadable(*now_.stream, document);
  }

  /// If every edit replaces one plain word with another, and no anchor ties them to other places,
  /// everything else is read as before: nothing needs to be parsed again. False, without changes,
  /// otherwise.
  bool swap_words(const std::vector<Edit>& edits) {
    const std::string_view text = now_.file->bytes();
    if (refusal_ || text.find('&') != std::string_view::npos) {
      return false;
    }
    std::map<std::size_t, Splice> splices;  // by place
    for (const Edit& edit : edits) {
      Patch patch = patch_of(text, now_.stream->documents[document_].root, edit);
      if (!is_word_for_word(text, patch) ||
          !splices.emplace(patch.splices.front().begin, patch.splices.front()).second) {
        return false;
      }
    }
    std::vector<Splice> all;
    all.reserve(splices.size());
    for (auto& [place, splice] : splices) {
      all.push_back(std::move(splice));
    }
    now_ = {std::make_shared<const text::SourceFile>(original_.name(), spliced(text, all)),
            nullptr};
    keep(all);
    return true;
  }

  void apply(const Edit& edit) {
    if (refusal_) {
      return;
    }
    const std::string_view text = now_.file->bytes();
    const Node& root = now_.stream->documents[document_].root;
    Patch patch = patch_of(text, root, edit);
    if (patch.refusal) {
      refuse(std::move(*patch.refusal));
      return;
    }
    if (patch.splices.empty()) {
      return;
    }
    ParsedText next = parsed_text(
        std::make_shared<const text::SourceFile>(original_.name(), spliced(text, patch.splices)));
    if (!is_as_meant(now_, next, document_, edit)) {
      const Splice& first = patch.splices.front();
      const auto begin = static_cast<std::uint32_t>(first.begin);
      const auto end = static_cast<std::uint32_t>(first.begin + first.size);
      refuse({{now_.file.get(), begin, end},
              "this value cannot be changed on its own: an alias or the layout ties it to others"});
      return;
    }
    now_ = std::move(next);
    keep(patch.splices);
  }

  Edited finish() {
    Edited result;
    const std::string mark = original_.had_byte_order_mark() ? "\xEF\xBB\xBF" : "";
    result.refusal = std::move(refusal_);
    if (result.refusal) {
      result.text = mark + std::string(original_.bytes());
      return result;
    }
    result.text = mark + std::string(now_.file->bytes());
    if (mark.empty() && now_.stream != nullptr && !done_.empty()) {
      result.parsed = std::move(now_);
    }
    result.splices = std::move(done_);
    return result;
  }

 private:
  void refuse(Refusal refusal) {
    if (!refusal.mark.nowhere()) {
      refusal.mark = {&original_,
                      place_before(refusal.mark.begin, done_),
                      place_before(refusal.mark.end, done_)};
    }
    refusal_ = std::move(refusal);
  }

  /// The splices of one edit are non-overlapping and ascending: from last to first, each has
  /// offsets in the text left by the previous ones.
  void keep(const std::vector<Splice>& splices) {
    done_.insert(done_.end(), splices.rbegin(), splices.rend());
  }

  const text::SourceFile& original_;
  std::size_t document_;
  ParsedText now_;
  std::optional<Refusal> refusal_;
  std::vector<Splice> done_;
};

}  // namespace

Edited edit(const text::SourceFile& file,
            int document,
            const std::vector<Edit>& edits,
            const Stream* parsed) {
  const auto has_no_place = [](const Edit& each) { return each.path.empty(); };
  if (document < 1 || std::ranges::any_of(edits, has_no_place)) {
    throw std::logic_error("an edit without a place");
  }
  Editor editor(file, document, parsed);
  if (!editor.swap_words(edits)) {
    for (const Edit& each : edits) {
      editor.apply(each);
    }
  }
  return editor.finish();
}

namespace {

bool is_same_entry(const Entry& a, const Entry& b) {
  return a.key == b.key && a.merged == b.merged && is_same(a.value, b.value);
}

/// The index of the only entry of `key`, or the number of entries if there is none or several.
std::size_t place_of(const Node& mapping, const std::string& key) {
  const auto has = [&](const Entry& entry) { return entry.key == key; };
  if (std::ranges::count_if(mapping.entries, has) != 1) {
    return mapping.entries.size();
  }
  return static_cast<std::size_t>(std::ranges::find_if(mapping.entries, has) -
                                  mapping.entries.begin());
}

/// Whether `after` is `before` except for one key's name.
bool is_renamed(const Node& before, const Node& after, std::size_t place, const Edit& edit) {
  if (place == before.entries.size() || before.entries.size() != after.entries.size()) {
    return false;
  }
  for (std::size_t i = 0; i < before.entries.size(); ++i) {
    Entry meant = before.entries[i];
    meant.key = i == place ? edit.rename : meant.key;
    if (!is_same_entry(meant, after.entries[i])) {
      return false;
    }
  }
  return true;
}

std::vector<const Entry*> others(const Node& mapping, const std::string& key) {
  std::vector<const Entry*> rest;
  for (const Entry& entry : mapping.entries) {
    if (entry.key != key) {
      rest.push_back(&entry);
    }
  }
  return rest;
}

/// Whether `node` contains only the end of the path and its value.
bool is_chain(const Node& node, const Edit& edit, std::size_t depth) {
  if (depth == edit.path.size()) {
    return matches(node, *edit.value);
  }
  return node.is_mapping() && node.tag.empty() && node.entries.size() == 1 &&
         node.entries.front().key == edit.path[depth] &&
         is_chain(node.entries.front().value, edit, depth + 1);
}

bool is_edited_below(const Node& before, const Node& after, const Edit& edit, std::size_t depth) {
  const std::string& key = edit.path[depth];
  const bool last = depth + 1 == edit.path.size();
  if (last && !edit.rename.empty()) {
    return before.is_mapping() && after.is_mapping() && before.tag == after.tag &&
           is_renamed(before, after, place_of(before, key), edit);
  }
  const auto same = [](const Entry* a, const Entry* b) { return is_same_entry(*a, *b); };
  if (!before.is_mapping() || !after.is_mapping() || before.tag != after.tag ||
      !std::ranges::equal(others(before, key), others(after, key), same)) {
    return false;
  }
  const std::size_t was = place_of(before, key);
  const std::size_t is = place_of(after, key);
  if (last && !edit.value) {
    return others(after, key).size() == after.entries.size();
  }
  if (is == after.entries.size()) {
    return false;
  }
  const Node& value = after.entries[is].value;
  if (was == before.entries.size()) {
    return is_chain(value, edit, depth + 1);
  }
  if (is != was || after.entries[is].merged) {
    return false;
  }
  const Node& old = before.entries[was].value;
  return last || old.is_null() ? is_chain(value, edit, depth + 1)
                               : is_edited_below(old, value, edit, depth + 1);
}

}  // namespace

bool is_same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.plain == b.plain && a.tag == b.tag && a.scalar == b.scalar &&
         std::ranges::equal(a.items, b.items, is_same) &&
         std::ranges::equal(a.entries, b.entries, is_same_entry);
}

bool is_edited(const Node& before, const Node& after, const Edit& edit) {
  return is_edited_below(before, after, edit, 0);
}

namespace {

/// The entry of a key and what prevents editing it.
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
      refusal = Refusal{entry.key_mark, fmt::format("`{}` appears twice here", key)};
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
    refusal = Refusal{root.mark, "the document contains no mapping of keys to values"};
  }
  while (!refusal) {
    place.entry = only_entry(*place.mapping, path[place.depth], refusal);
    if (place.entry == nullptr || refusal) {
      break;
    }
    const Node& value = place.entry->value;
    if (is_alias(value)) {
      refusal = Refusal{value.mark, "there is an alias here: the value is at its anchor"};
      break;
    }
    if (place.depth + 1 == path.size() || value.is_null()) {
      break;
    }
    if (!value.is_mapping()) {
      refusal = Refusal{value.mark, fmt::format("`{}` has no keys", place.entry->key)};
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

namespace {

constexpr std::size_t kUsualIndent = 2;
constexpr std::size_t kSortedFrom = 4;  // this many keys in order are not a coincidence

/// The entries of the mapping itself, in text order.
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

/// What comes before a key on its line.
std::string_view front_of(std::string_view text, const Entry& entry) {
  const std::size_t begin = line_begin(text, entry.key_mark.begin);
  return text.substr(begin, entry.key_mark.begin - begin);
}

/// The indentation of sections: the smallest step between a key and the keys below it.
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

/// The same on separate lines, without the last line end.
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

/// The entry after which a new key is added; null pointer: before all.
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
  if (end == line_begin(text, end)) {  // a block scalar includes its line end
    return {{{end, 0, added + ending}}, std::nullopt};
  }
  const std::size_t stop = line_end(text, end);
  const std::size_t next = next_line(text, end);
  if (!is_blank_or_comment(text.substr(end, stop - end))) {
    return refuse_key(neighbour, "the value of this key is followed by something else");
  }
  return {{stop == next ? Splice{next, 0, ending + added} : Splice{next, 0, added + ending}},
          std::nullopt};
}

/// The whole line of a key and its value; nullopt if there are other things on these lines.
std::optional<Splice> lines_of_entry(std::string_view text, const Entry& entry) {
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
  if (stop == next && begin > 0) {  // the last line has no end: the previous one must not get one
    begin = line_end(text, line_begin(text, begin - 1));
  }
  return Splice{begin, next - begin, ""};
}

Patch remove_from_block(std::string_view text, const EditPlace& place, bool only) {
  auto lines = lines_of_entry(text, *place.entry);
  if (!lines) {
    return refuse_key(*place.entry, "the lines of this key contain other things");
  }
  if (!only) {
    return {{*lines}, std::nullopt};
  }
  const auto colon = place.owner == nullptr ? std::nullopt : behind_colon(text, *place.owner);
  if (!colon || *colon > lines->begin) {
    return refuse_key(*place.entry, "the mapping would become empty");
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
    return refuse_key(*place.entry, "there are comments between this key and the next");
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
    return refuse_key(entry, "`" + name + "` already exists there");
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

namespace {

std::string_view text_of_node(std::string_view text, const Node& node) {
  return text.substr(node.mark.begin, node.mark.end - node.mark.begin);
}

/// For each wanted item, the matching old one, if both lists have it in the same order.
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

/// "[attn, 'mlp']": remaining items keep their spelling.
Patch rewrite_flow(std::string_view text, const Entry& entry, const Literal& list) {
  const Node& old = entry.value;
  const std::string_view written = text_of_node(text, old);
  if (written.find_first_of("\r\n") != std::string_view::npos) {
    return refuse_value(entry, "the list spans several lines");
  }
  if (written.find_first_of("&*!") != std::string_view::npos) {
    return refuse_value(entry, "the list contains anchors, aliases or tags");
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
    out += kept[i] ? std::string(text_of_node(text, old.items[*kept[i]]))
                   : render(list.items[i], quote);
  }
  return {{{old.mark.begin, written.size(), "[" + out + "]"}}, std::nullopt};
}

/// The line of one item in block style, dash to comment; nullopt if it is not a line of its own.
std::optional<Splice> line_of(std::string_view text, const Node& item) {
  const std::size_t begin = line_begin(text, item.mark.begin);
  const std::string_view front = text.substr(begin, item.mark.begin - begin);
  const std::size_t dash = front.find_first_not_of(' ');
  const bool own = dash != std::string_view::npos && front[dash] == '-' &&
                   is_blank(front.substr(dash + 1)) &&
                   text_of_node(text, item).find_first_of("\r\n") == std::string_view::npos;
  const std::size_t end = line_end(text, item.mark.end);
  if (!own || !is_blank_or_comment(text.substr(item.mark.end, end - item.mark.end))) {
    return std::nullopt;
  }
  return Splice{begin, next_line(text, begin) - begin, ""};
}

/// Lines of removed items are deleted, new ones are put before the next item that stays, or at the
/// end. Items with lines of their own below them are replaced together, by one line.
Patch rewrite_block(std::string_view text, const Entry& entry, const Literal& list) {
  const Node& old = entry.value;
  if (std::ranges::any_of(old.items, &Node::is_mapping)) {
    return set_value(text, entry, list);
  }
  std::vector<Splice> lines;
  for (const Node& item : old.items) {
    const auto line = line_of(text, item);
    if (!line || !item.is_scalar() || !item.tag.empty() || !(item.mark == item.defined)) {
      return refuse_value(entry, "an item of the list spans several lines");
    }
    lines.push_back(*line);
  }
  const auto kept = kept_items(old, list);
  std::vector<bool> stays(old.items.size(), false);
  std::vector<std::string> before(old.items.size());  // new lines
  std::vector<std::string> added;
  const std::string_view last = text.substr(lines.back().begin, lines.back().size);
  const std::string front(
      text.substr(lines.back().begin, old.items.back().mark.begin - lines.back().begin));
  const std::string_view ending = line_break(text, lines.back().begin);
  const bool ended = last.ends_with('\n') || last.ends_with('\r');
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) {
      stays[*kept[i]] = true;
      for (const std::string& line : std::exchange(added, {})) {
        before[*kept[i]] += line + std::string(ending);
      }
    } else {
      added.push_back(front + render(list.items[i], quote_of_items(text, old)));
    }
  }
  Patch patch;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!before[i].empty()) {
      patch.splices.push_back({lines[i].begin, 0, before[i]});
    }
    if (!stays[i]) {
      patch.splices.push_back(lines[i]);
    }
  }
  if (!added.empty()) {
    std::string tail;
    for (const std::string& line : added) {
      tail += ended ? line + std::string(ending) : std::string(ending) + line;
    }
    patch.splices.push_back({lines.back().begin + lines.back().size, 0, std::move(tail)});
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

namespace {

std::string_view text_of_mark(std::string_view text, const text::Mark& mark) {
  return text.substr(mark.begin, mark.end - mark.begin);
}

bool is_one_line(std::string_view text) {
  return text.find_first_of("\r\n") == std::string_view::npos;
}

/// A block-style list is replaced by a value after the colon.
Patch replace_lines(std::string_view text, const Entry& entry, const std::string& value) {
  const auto colon = behind_colon(text, entry);
  const std::size_t end = entry.value.mark.end;
  if (!colon) {
    return refuse_key(entry, "the colon of this key is separated from it");
  }
  if (text.substr(*colon, end - *colon).find_first_of("#&!") != std::string_view::npos) {
    return refuse_value(entry, "the list contains comments, anchors or tags that would be lost");
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
    return refuse_value(entry, "there is a whole section here");
  }
  if (!old.tag.empty()) {
    return refuse_value(entry, "the value carries the tag " + old.tag);
  }
  const std::string_view written = text_of_mark(text, old.mark);
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
