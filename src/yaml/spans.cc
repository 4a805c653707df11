#include "yaml/spans.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yaml/events.h"
#include "yaml/raw.h"

namespace epwise::yaml {

/// Checks the text between the values of a document against PyYAML's grammar: `-`, `?`, `:` and `,`
/// in their places, matching brackets, values indented more than their keys, valid anchor names.
/// Does not repeat errors that the tokeniser reports itself.
///
/// Called for every value and every end of a collection in text order.
class Grammar {
 public:
  static constexpr std::size_t kAnywhere = std::numeric_limits<std::size_t>::max();

  Grammar(std::string_view text, std::size_t from) : text_(text), gaps_(text, from) {}

  Gaps& gaps() { return gaps_; }

  bool at_root() const { return frames_.empty(); }

  bool in_flow() const { return !frames_.empty() && frames_.back().flow; }

  bool key_next() const { return !frames_.empty() && frames_.back().key_next(); }

  /// Skips the indicators, the anchor and the tag before a value that starts at `begin`.
  void enter(const Event& event, const Properties& properties, std::size_t begin);

  /// Skips the indicators before an empty value.
  void enter_empty();

  /// Skips a value [begin, end) without children.
  void leave(std::size_t begin, std::size_t end, bool plain);

  /// Starts a collection whose first character is at `begin`, and ends the last one that was
  /// started.
  void open(const Event& event, std::size_t begin);
  void close();

 private:
  struct Frame {
    bool mapping = false;
    bool flow = false;
    bool bracket = false;       // flow, except the `a: b` of `[a: b]`
    bool explicit_key = false;  // the key came with a `?`
    std::size_t children = 0;   // seen, keys and values
    std::size_t column = 0;     // in bytes
    std::size_t last_key = 0;   // where it starts

    bool key_next() const { return mapping && children % 2 == 0; }

    bool value_next() const { return mapping && children % 2 != 0; }
  };

  std::size_t column(std::size_t place) { return place - gaps_.line_start(place); }

  void pass_indicators(std::size_t place, bool empty);
  void pass_colon(const Frame& frame, std::size_t place, bool empty);
  void enter_key(Frame& frame, std::size_t place, bool empty);
  void enter_item(const Frame& frame, std::size_t place, bool empty);
  void check_indent(const Event& event, std::size_t place);
  void check_property(std::size_t place);
  void turn();

  std::string_view text_;
  Gaps gaps_;
  std::vector<Frame> frames_;
  std::set<std::string_view> anchors_;
  std::size_t indicator_end_ = 0;  // of the last `:` or `?`
};

namespace {

std::uint32_t offset(std::size_t place) {
  return static_cast<std::uint32_t>(place);
}

bool opens_quoted(char c) {
  return c == '\'' || c == '"' || c == '|' || c == '>';
}

int length_of_character(unsigned char lead) {
  if (lead >= 0xF0) {
    return 4;
  }
  if (lead >= 0xE0) {
    return 3;
  }
  return lead >= 0xC0 ? 2 : 1;
}

/// The tokeniser produces invalid UTF-8 for the escapes `\N` (U+0085) and `\_` (U+00A0).
void restore_escapes(std::string& value, std::string_view written) {
  if (!written.starts_with('"') || (written.find("\\N") == std::string_view::npos &&
                                    written.find("\\_") == std::string_view::npos)) {
    return;
  }
  std::string restored;
  int rest = 0;  // bytes of a character still to come
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (rest > 0) {
      --rest;
    } else if (byte == 0x85 || byte == 0xA0) {
      restored += '\xC2';
    } else {
      rest = length_of_character(byte) - 1;
    }
    restored += c;
  }
  value = std::move(restored);
}

class SpanFinder {
 public:
  SpanFinder(std::string_view text, std::size_t from, Record& record)
      : text_(text),
        grammar_(text, from),
        events_(record.events) {
    grammar_.gaps().pass(record.start, true);
    if (raw::is_document_start(text, record.start)) {
      grammar_.gaps().pass(record.start + 3, false);
    }
  }

  std::vector<Flaw> run() {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      Event& event = events_[i];
      switch (event.type) {
        case Event::Type::null:
          place_null(i);
          break;
        case Event::Type::alias:
          grammar_.enter(event, {}, event.at);
          finish(event, event.at, raw::property_end(text_, event.at), false);
          break;
        case Event::Type::scalar:
          place_scalar(i);
          break;
        case Event::Type::sequence:
        case Event::Type::mapping:
          open(i);
          break;
        case Event::Type::end:
          close();
          break;
      }
    }
    Gaps& gaps = grammar_.gaps();
    gaps.pass(gaps.next(), true);
    return gaps.flaws();
  }

 private:
  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  /// Whether the node event after `i` starts at `place`: then event `i` is empty.
  bool claimed_by_next(std::size_t i, std::size_t place) const {
    const auto next = std::find_if(events_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                   events_.end(),
                                   [](const Event& event) { return event.is_node(); });
    if (next == events_.end() || next->at != place) {
      return false;
    }
    // A key without a value (`{null, b}`) is followed by an empty value that the tokeniser places
    // at the key itself.
    return !(grammar_.key_next() && next->type == Event::Type::null && next->at == events_[i].at);
  }

  /// Reads anchor and tag of the event, at most `most` of them.
  Properties read(Event& event, int most) {
    const Properties found = read_properties(text_, event.at, most);
    event.tag = std::string(found.tag);
    if (!found.anchor.empty()) {
      event.anchor_begin = offset(found.anchor_at);
      event.anchor_end = offset(found.anchor_at + found.anchor.size());
    }
    return found;
  }

  void place_null(std::size_t i) {
    Event& event = events_[i];
    const std::size_t cursor = grammar_.gaps().cursor();
    const bool ahead = event.at >= cursor;
    const bool has_properties = ahead && (event.anchor != 0 || grammar_.at_root());
    const Properties properties = read(event, has_properties ? 2 : 0);
    const std::size_t place = properties.value;
    const std::string_view word = ahead ? raw::null_word(text_, place) : std::string_view();
    if (!event.tag.empty()) {
      event.type = Event::Type::scalar;
    }
    if (!word.empty() && !claimed_by_next(i, place)) {
      event.text = std::string(word);
      grammar_.enter(event, properties, place);
      finish(event, place, place + word.size(), true);
    } else if (properties.end != event.at) {
      grammar_.enter(event, properties, properties.end);
      finish(event, properties.end, properties.end, true);
    } else {
      grammar_.enter_empty();
      const std::size_t empty = grammar_.gaps().cursor();
      finish(event, empty, empty, true);
    }
  }

  void place_scalar(std::size_t i) {
    Event& event = events_[i];
    const Properties properties = read(event, std::numeric_limits<int>::max());
    const std::size_t place = properties.value;
    event.plain = !opens_quoted(at(place));
    const bool empty = event.text.empty() && (event.plain || claimed_by_next(i, place));
    grammar_.enter(event, properties, empty ? properties.end : place);
    if (empty) {
      event.plain = true;
      finish(event, properties.end, properties.end, true);
      return;
    }
    const std::size_t end = raw::scalar_end(text_, place, event.text);
    if (event.plain) {
      check_plain(place);
    } else {
      check_quoted(place, end);
      restore_escapes(event.text, text_.substr(place, end - place));
    }
    finish(event, place, end, event.plain);
    if (at(place) == '|' || at(place) == '>') {
      grammar_.gaps().pass(raw::blank_lines_end(text_, end), false);
    }
  }

  void check_plain(std::size_t place) {
    if (grammar_.in_flow() && at(place) == ':') {
      grammar_.gaps().flaw(place, "a text in brackets cannot start with `:`", "quote the text");
    }
  }

  void check_quoted(std::size_t place, std::size_t end) {
    const std::size_t wrong = raw::wrong_in_quoted(text_, place, end);
    if (wrong == place) {
      grammar_.gaps().flaw(
          place, "this quote is not closed", "close it, or escape it if it is text");
    } else if (wrong != std::string_view::npos) {
      grammar_.gaps().flaw(wrong, "this character is not allowed here", "remove it");
    }
  }

  void open(std::size_t i) {
    Event& event = events_[i];
    // A block mapping starts at its first key, whose properties are not the mapping's.
    const int most = (event.anchor != 0 ? 1 : 0) + (event.tagged ? 1 : 0);
    const Properties properties = read(event, most);
    grammar_.enter(event, properties, properties.value);
    event.begin = event.end = offset(std::min(properties.value, text_.size()));
    grammar_.open(event, event.begin);
    open_.push_back(i);
  }

  void close() {
    grammar_.close();
    Event& event = events_[open_.back()];
    open_.pop_back();
    event.end = offset(std::max<std::size_t>(grammar_.gaps().cursor(), event.begin));
  }

  void finish(Event& event, std::size_t begin, std::size_t end, bool plain) {
    event.begin = offset(std::min(begin, text_.size()));
    event.end = offset(std::min(std::max(begin, end), text_.size()));
    grammar_.leave(event.begin, event.end, plain);
  }

  std::string_view text_;
  Grammar grammar_;
  Events& events_;
  std::vector<std::size_t> open_;
};

}  // namespace

std::vector<Flaw> locate(std::string_view text, std::size_t from, Record& record) {
  return SpanFinder(text, from, record).run();
}

namespace {

constexpr std::string_view kQuoteBrackets =
    "check the commas and brackets; quote a text that contains them";

}  // namespace

void Grammar::enter(const Event& event, const Properties& properties, std::size_t begin) {
  pass_indicators(event.at, false);
  check_indent(event, event.at);
  if (begin != properties.end) {
    check_indent(event, begin);
  }
  if (!properties.tag.empty()) {
    check_property(static_cast<std::size_t>(properties.tag.data() - text_.data()));
  }
  if (!properties.anchor.empty()) {
    check_property(properties.anchor_at);
    if (!anchors_.insert(properties.anchor).second) {
      gaps_.flaw(
          properties.anchor_at, "a second anchor with this name", "give each anchor its own name");
    }
  }
  if (event.type == Event::Type::alias) {
    check_property(event.at);
  }
}

void Grammar::enter_empty() {
  pass_indicators(kAnywhere, true);
}

void Grammar::leave(std::size_t begin, std::size_t end, bool plain) {
  gaps_.pass(begin, true);
  gaps_.pass(end, plain);
  if (key_next()) {
    frames_.back().last_key = begin;
  }
  turn();
}

void Grammar::open(const Event& event, std::size_t begin) {
  const bool bracket =
      event.flow && begin < text_.size() && (text_[begin] == '[' || text_[begin] == '{');
  gaps_.pass(bracket ? begin + 1 : begin, true);
  Frame frame;
  frame.mapping = event.type == Event::Type::mapping;
  frame.flow = event.flow;
  frame.bracket = bracket;
  frame.column = column(begin);
  frame.last_key = begin;
  frames_.push_back(frame);
}

void Grammar::close() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  if (frame.bracket) {
    if (frame.children > 0) {
      gaps_.take(',', kAnywhere);
    }
    if (!gaps_.take(frame.mapping ? '}' : ']', kAnywhere)) {
      gaps_.flaw(gaps_.next(), "a value or a comma is missing here", kQuoteBrackets);
    }
  }
  turn();
}

void Grammar::turn() {
  if (!frames_.empty()) {
    ++frames_.back().children;
  }
}

/// Up to `place`, where the next child of the innermost collection starts; an empty child starts
/// where its indicators end.
void Grammar::pass_indicators(std::size_t place, bool empty) {
  if (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (frame.value_next()) {
      pass_colon(frame, place, empty);
    } else if (frame.mapping) {
      enter_key(frame, place, empty);
    } else {
      enter_item(frame, place, empty);
    }
  }
  gaps_.reach(empty ? gaps_.cursor() : place,
              "this character is not allowed here",
              "quote the text that contains it");
}

void Grammar::pass_colon(const Frame& frame, std::size_t place, bool empty) {
  const bool colon = gaps_.take(':', place);
  indicator_end_ = gaps_.cursor();
  if (!colon && !(empty && (frame.flow || frame.explicit_key))) {
    gaps_.flaw(frame.last_key, "this key is not followed by `:`", "write `key: value`");
  }
}

void Grammar::enter_key(Frame& frame, std::size_t place, bool empty) {
  if (frame.bracket && frame.children > 0 && !gaps_.take(',', place)) {
    gaps_.flaw(gaps_.next(), "a comma is missing here", kQuoteBrackets);
  }
  frame.explicit_key = gaps_.take('?', place);
  indicator_end_ = gaps_.cursor();
  if (empty && !frame.explicit_key) {
    gaps_.flaw(gaps_.next(), "a key is missing here", "write `key: value`");
  }
}

void Grammar::enter_item(const Frame& frame, std::size_t place, bool empty) {
  if (!frame.flow) {
    if (!gaps_.take('-', place)) {
      gaps_.flaw(gaps_.next(), "an item of this list lacks its `- `", "start the line with `- `");
    }
    return;
  }
  if (frame.children > 0 && !gaps_.take(',', place)) {
    gaps_.flaw(gaps_.next(), "a comma is missing here", kQuoteBrackets);
  }
  if (empty) {
    gaps_.flaw(gaps_.next(), "a value is missing here", "remove the comma, or write `null`");
  }
}

/// A value that starts a line is indented more than the block around it; only a list may be at the
/// column of its key. The tokeniser does not check this.
void Grammar::check_indent(const Event& event, std::size_t place) {
  if (frames_.empty() || frames_.back().flow || place < indicator_end_ || place >= text_.size() ||
      text_[place] == '|' || text_[place] == '>') {
    return;
  }
  const Frame& frame = frames_.back();
  const bool list = event.type == Event::Type::sequence && !event.flow;
  if ((frame.value_next() || frame.explicit_key) && gaps_.line_start(place) > indicator_end_ &&
      column(place) + (list ? 1 : 0) <= frame.column) {
    gaps_.flaw(place, "this value is not indented", "indent it more than its key");
  }
}

void Grammar::check_property(std::size_t place) {
  const std::string_view refused = refused_property(text_, place);
  if (!refused.empty()) {
    gaps_.flaw(place, refused, "quote it if it is meant as text");
  }
}

}  // namespace epwise::yaml
