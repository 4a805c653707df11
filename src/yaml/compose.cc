#include "yaml/compose.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "yaml/mappings.h"

namespace epwise::yaml {

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
           fmt::format("more than {} values once aliases are replaced by what they stand for",
                       limits_.nodes),
           "write the values out, or keep fewer of them in one file");
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
           fmt::format("`{}` stands inside the value that it names", written(event)),
           {{mark(target.anchor_begin, target.anchor_end), "the value starts here"}},
           "a recipe can't hold itself: write the values out"});
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
             "`<<` takes a mapping or a list of mappings",
             "name an anchor of a mapping: `<<: *name`");
    }
  }

  void report_key(const Node& key) {
    if (key.is_null()) {
      report("yaml/key-not-scalar",
             key.mark,
             "a key is missing or null",
             "name the key; quote it when it is meant as a word");
    } else {
      report("yaml/key-not-scalar",
             key.mark,
             fmt::format("a {} can't be a key", key.is_sequence() ? "list" : "mapping"),
             "use a word; text with brackets or braces in it needs quotes");
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

}  // namespace epwise::yaml
