#include "yaml/compose.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"
#include "yaml/events.h"
#include "yaml/node.h"
#include "yaml/parse.h"
#include "yaml/raw.h"
#include "yaml/scalar.h"
#include "yaml/spans.h"
#include "yaml/syntax.h"

namespace epwise::yaml {

/// Creates nodes from the located events of one document: replaces aliases, resolves merge keys,
/// reports duplicate keys and unused anchors.
struct Composition {
  std::optional<Node> root;  // empty if a limit is exceeded; the reason is then in `problems`
  bool complete = true;      // false if a value had to be left out
};

Composition compose(const text::SourceFile& file,
                    const Events& events,
                    const Limits& limits,
                    std::vector<text::Diagnostic>& problems);

namespace {

class Composer {
 public:
  Composer(const text::SourceFile& file,
           const Events& events,
           const Limits& limits,
           std::vector<text::Diagnostic>& problems)
      : file_(file),
        events_(events),
        limits_(limits),
        problems_(problems) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].is_node() && events[i].anchor != 0 && events[i].type != Event::Type::alias) {
        anchors_[events[i].anchor] = i;
      } else if (events[i].type == Event::Type::alias) {
        used_[events[i].anchor] = true;
      }
    }
  }

  Composition run() {
    Composition result;
    std::size_t next = 0;
    Node root = events_.empty() ? empty_node() : node(next, {}, 0);
    if (!failed_) {
      report_unused_anchors();
      result.root = std::move(root);
    }
    result.complete = complete_ && !failed_;
    return result;
  }

 private:
  /// The alias through which the composer came here; nowhere outside aliases.
  using Via = text::Mark;

  text::Mark mark(std::size_t begin, std::size_t end) const {
    return {&file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  text::Mark value_mark(const Event& event) const { return mark(event.begin, event.end); }

  Node empty_node() const {
    Node node;
    node.mark = node.defined = mark(0, 0);
    return node;
  }

  void report(std::string rule, text::Mark where, std::string message, std::string help) {
    problems_.push_back({std::move(rule), where, std::move(message), {}, std::move(help)});
  }

  void fail(std::string rule, text::Mark where, std::string message, std::string help) {
    if (!failed_) {
      report(std::move(rule), where, std::move(message), std::move(help));
    }
    failed_ = true;
  }

  Node node(std::size_t& next, const Via& via, int depth) {
    const std::size_t index = next++;
    const Event& event = events_[index];
    Node result;
    if (!spend(event, via, depth)) {
      return result;
    }
    if (event.type == Event::Type::alias) {
      return aliased(event, via, depth);
    }
    result.defined = value_mark(event);
    result.mark = via.nowhere() ? result.defined : via;
    result.tag = event.tag;
    result.plain = event.plain;
    if (event.opens()) {
      open_.push_back(index);
      if (event.type == Event::Type::sequence) {
        result.kind = Kind::sequence;
        read_items(result, next, via, depth);
      } else {
        result.kind = Kind::mapping;
        read_entries(result, next, via, depth);
      }
      open_.pop_back();
    } else {
      result.kind = event.type == Event::Type::null ? Kind::null : Kind::scalar;
      result.scalar = event.text;
    }
    return result;
  }

  /// Counts a node against the limits.
  bool spend(const Event& event, const Via& via, int depth) {
    bytes_ += event.text.size() + event.tag.size();
    const text::Mark where = via.nowhere() ? value_mark(event) : via;
    if (++nodes_ > limits_.nodes || bytes_ > 4 * limits_.bytes) {
      fail("yaml/too-many-nodes",
           where,
           fmt::format("more than {} values after expanding aliases", limits_.nodes),
           "write the values out, or split the file");
    } else if (depth > limits_.depth) {
      fail("yaml/too-deep",
           where,
           fmt::format("nested more than {} levels deep", limits_.depth),
           "flatten the structure");
    }
    return !failed_;
  }

  Node aliased(const Event& event, const Via& via, int depth) {
    const text::Mark alias = via.nowhere() ? value_mark(event) : via;
    Node result;
    result.mark = alias;
    result.defined = value_mark(event);
    const auto anchor = anchors_.find(event.anchor);
    if (anchor == anchors_.end()) {
      return result;
    }
    const Event& target = events_[anchor->second];
    if (std::find(open_.begin(), open_.end(), anchor->second) != open_.end()) {
      complete_ = false;
      problems_.push_back(
          {"yaml/recursive-alias",
           value_mark(event),
           fmt::format("`{}` is used inside the value that it names", written(event)),
           {{mark(target.anchor_begin, target.anchor_end), "the value starts here"}},
           "a recipe cannot contain itself: write the values out"});
      return result;
    }
    std::size_t next = anchor->second;
    return node(next, alias, depth);
  }

  std::string_view written(const Event& event) const {
    return file_.bytes().substr(event.begin, event.end - event.begin);
  }

  void read_items(Node& sequence, std::size_t& next, const Via& via, int depth) {
    while (!failed_ && events_[next].is_node()) {
      sequence.items.push_back(node(next, via, depth + 1));
    }
    ++next;
  }

  void read_entries(Node& mapping, std::size_t& next, const Via& via, int depth) {
    Merges merges;
    std::vector<Key> keys;
    while (!failed_ && events_[next].is_node()) {
      const text::Mark key_mark = value_mark(events_[next]);
      Node key = node(next, {}, depth + 1);
      Node value = node(next, via, depth + 1);
      if (failed_) {
        return;
      }
      if (is_merge_key(key)) {
        for (const text::Mark& place : merges.add(std::move(value))) {
          report_merge(place, via);
        }
      } else if (!key.is_scalar()) {
        if (via.nowhere()) {
          report_key(key);
        }
      } else {
        keys.push_back({std::move(key), key_mark});
        mapping.entries.push_back({keys.back().node.scalar, key_mark, std::move(value), false});
      }
    }
    ++next;
    if (via.nowhere()) {
      report_duplicates(keys, mapping.entries, problems_);
    }
    merges.apply(mapping.entries);
  }

  void report_merge(const text::Mark& place, const Via& via) {
    if (via.nowhere()) {
      report("yaml/merge-key",
             place,
             "`<<` needs a mapping or a list of mappings",
             "name an anchor of a mapping: `<<: *name`");
    }
  }

  void report_key(const Node& key) {
    if (key.is_null()) {
      report("yaml/key-not-scalar",
             key.mark,
             "a key is missing or null",
             "name the key; quote it if it is meant as a word");
    } else {
      report("yaml/key-not-scalar",
             key.mark,
             fmt::format("a {} cannot be a key", key.is_sequence() ? "list" : "mapping"),
             "use a word, and quote text that contains brackets or braces");
    }
  }

  void report_unused_anchors() {
    for (const auto& [id, index] : anchors_) {
      if (!used_.contains(id)) {
        const Event& event = events_[index];
        const text::Mark where = mark(event.anchor_begin, event.anchor_end);
        report("yaml/unused-anchor",
               where,
               fmt::format("no alias uses the anchor `{}`",
                           file_.bytes().substr(where.begin, where.end - where.begin)),
               "remove it, or use it with `*`");
      }
    }
  }

  const text::SourceFile& file_;
  const Events& events_;
  const Limits& limits_;
  std::vector<text::Diagnostic>& problems_;
  std::map<std::uint32_t, std::size_t> anchors_;  // id → event
  std::map<std::uint32_t, bool> used_;
  std::vector<std::size_t> open_;  // collections being composed
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
  bool complete_ = true;
  bool failed_ = false;
};

}  // namespace

Composition compose(const text::SourceFile& file,
                    const Events& events,
                    const Limits& limits,
                    std::vector<text::Diagnostic>& problems) {
  return Composer(file, events, limits, problems).run();
}

namespace {

/// Two keys are equal for PyYAML exactly if these are equal.
std::string identity(const Node& key) {
  const Typed typed = type_scalar(key, Dialect::pyyaml);
  switch (typed.type) {
    case ScalarType::boolean:
      return typed.boolean ? "number 1" : "number 0";  // True == 1 in Python
    case ScalarType::integer:
      return typed.big ? "text " + key.scalar : fmt::format("number {}", typed.integer);
    case ScalarType::real:
      return fmt::format("number {}", typed.real);
    default:
      return "text " + key.scalar;
  }
}

bool same_entries(const Node& a, const Node& b);

/// `1` and `'1'` are two values, `x` and `'x'` are one.
bool same_scalar(const Node& a, const Node& b) {
  return a.scalar == b.scalar &&
         type_scalar(a, Dialect::pyyaml).type == type_scalar(b, Dialect::pyyaml).type;
}

bool same_value(const Node& a, const Node& b) {
  return a.kind == b.kind && a.tag == b.tag && (!a.is_scalar() || same_scalar(a, b)) &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same_value) &&
         same_entries(a, b);
}

bool same_entries(const Node& a, const Node& b) {
  return std::equal(a.entries.begin(),
                    a.entries.end(),
                    b.entries.begin(),
                    b.entries.end(),
                    [](const Entry& left, const Entry& right) {
                      return left.key == right.key && same_value(left.value, right.value);
                    });
}

}  // namespace

bool is_merge_key(const Node& key) {
  return key.is_scalar() && key.scalar == "<<" &&
         ((key.plain && key.tag.empty()) || key.tag == "!!merge");
}

void report_duplicates(const std::vector<Key>& keys,
                       const std::vector<Entry>& entries,
                       std::vector<text::Diagnostic>& problems) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [place, is_new] = seen.emplace(identity(keys[i].node), i);
    if (is_new) {
      continue;
    }
    const std::size_t before = std::exchange(place->second, i);
    const bool equal = same_value(entries[before].value, entries[i].value);
    problems.push_back(
        {equal ? "yaml/repeated-key" : "yaml/duplicate-key",
         keys[i].mark,
         fmt::format("`{}` is given twice in this mapping", entries[i].key),
         {{keys[before].mark, "first given here"}},
         equal ? "both values are equal; remove one of them (OmegaConf rejects the file)"
               : "the values differ; PyYAML uses the last one, OmegaConf rejects the file: remove "
                 "the wrong one"});
  }
}

std::vector<text::Mark> Merges::add(Node value) {
  std::vector<text::Mark> wrong;
  if (value.is_mapping()) {
    std::move(value.entries.begin(), value.entries.end(), std::back_inserter(merged_));
  } else if (value.is_sequence()) {
    for (auto item = value.items.rbegin(); item != value.items.rend(); ++item) {
      if (item->is_mapping()) {
        std::move(item->entries.begin(), item->entries.end(), std::back_inserter(merged_));
      } else {
        wrong.push_back(item->mark);
      }
    }
    std::reverse(wrong.begin(), wrong.end());
  } else {
    wrong.push_back(value.mark);
  }
  return wrong;
}

void Merges::apply(std::vector<Entry>& entries) {
  if (merged_.empty()) {
    return;
  }
  std::set<std::string, std::less<>> taken;
  for (const Entry& entry : entries) {
    taken.insert(entry.key);
  }
  std::vector<Entry> kept;
  for (auto entry = merged_.rbegin(); entry != merged_.rend(); ++entry) {
    if (taken.insert(entry->key).second) {
      entry->merged = true;
      kept.push_back(std::move(*entry));
    }
  }
  std::reverse(kept.begin(), kept.end());
  kept.insert(
      kept.end(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
  entries = std::move(kept);
}

namespace {

std::size_t last_end(const Events& events) {
  std::size_t end = 0;
  for (const Event& event : events) {
    end = std::max<std::size_t>(end, event.end);
  }
  return end;
}

bool is_empty(const Document& document) {
  return document.root.is_null() && document.root.scalar.empty();
}

}  // namespace

void StreamBuilder::take(Record& record) {
  const int number = static_cast<int>(stream_.documents.size()) + 1;
  if (number > 1 && !is_separate(record.start)) {
    fail(stray_content(file_, text_, record.start));
    return;
  }
  if (number > limits_.documents) {
    fail({"yaml/too-many-nodes",
          {&file_, record.start, record.start},
          "too many documents in one file",
          {},
          "split the file"});
    return;
  }
  check_directives_before(record.start);
  report_flaws(locate(text_, end_, record));
  end_ = std::max<std::size_t>(record.start, last_end(record.events));
  Composition composition = compose(file_, record.events, limits_, stream_.diagnostics);
  stream_.readable = stream_.readable && composition.complete;
  if (composition.root) {
    stream_.documents.push_back(
        {std::move(*composition.root), number, file_.position(record.start).line});
  }
}

void StreamBuilder::fail(text::Diagnostic problem) {
  stream_.readable = false;
  stream_.diagnostics.push_back(std::move(problem));
}

Stream StreamBuilder::finish() {
  if (stream_.readable) {
    check_directives_before(text_.size());
  }
  if (file_.had_byte_order_mark()) {
    stream_.diagnostics.insert(stream_.diagnostics.begin(),
                               {"yaml/byte-order-mark",
                                {&file_, 0, 0},
                                "the file starts with a byte-order mark",
                                {},
                                "save it as UTF-8 without one"});
  }
  if (stream_.readable &&
      std::all_of(stream_.documents.begin(), stream_.documents.end(), is_empty)) {
    stream_.diagnostics.push_back({"yaml/empty",
                                   {&file_, 0, 0},
                                   "the file contains no settings",
                                   {},
                                   "add `key: value` lines"});
  }
  stream_.diagnostics = readable_list(std::move(stream_.diagnostics));
  return std::move(stream_);
}

/// Whether a `---` separates the document at `start` from the previous one. Without it the
/// tokeniser has stopped in the middle, possibly forever: the text `,` gives one empty document
/// after another at the same position.
bool StreamBuilder::is_separate(std::size_t start) const {
  return start >= end_ && raw::is_document_start(text_, start);
}

void StreamBuilder::check_directives_before(std::size_t start) {
  if (text_.substr(end_, start - end_).find('%') == std::string_view::npos) {
    return;
  }
  if (const auto flaw = check_directives(text_, end_, start)) {
    report_flaws({*flaw});
  }
  end_ = start;
}

void StreamBuilder::report_flaws(const std::vector<Flaw>& flaws) {
  for (const Flaw& flaw : flaws) {
    fail({std::string(flaw.rule),
          {&file_, flaw.begin, flaw.end},
          std::string(flaw.message),
          {},
          std::string(flaw.help)});
  }
}

}  // namespace epwise::yaml
