#include "yaml/grammar.h"

namespace epwise::yaml {

namespace {

constexpr std::string_view kQuoteBrackets =
    "check the commas and brackets; a text that holds them needs quotes";

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
      gaps_.flaw(properties.anchor_at,
                 "a second anchor of this name",
                 "give each anchor a name of its own");
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
/// wherever its indicators end.
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
              "this character has no place here",
              "quote the text that it belongs to");
}

void Grammar::pass_colon(const Frame& frame, std::size_t place, bool empty) {
  const bool colon = gaps_.take(':', place);
  indicator_end_ = gaps_.cursor();
  if (!colon && !(empty && (frame.flow || frame.explicit_key))) {
    gaps_.flaw(frame.last_key, "this key has no `:` behind it", "write `key: value`");
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

/// A value that starts a line stands further in than the block around it; only a list may stand at
/// the column of its key. The tokeniser doesn't mind.
void Grammar::check_indent(const Event& event, std::size_t place) {
  if (frames_.empty() || frames_.back().flow || place < indicator_end_ || place >= text_.size() ||
      text_[place] == '|' || text_[place] == '>') {
    return;
  }
  const Frame& frame = frames_.back();
  const bool list = event.type == Event::Type::sequence && !event.flow;
  if ((frame.value_next() || frame.explicit_key) && gaps_.line_start(place) > indicator_end_ &&
      column(place) + (list ? 1 : 0) <= frame.column) {
    gaps_.flaw(place, "this value is not indented", "indent it further than its key");
  }
}

void Grammar::check_property(std::size_t place) {
  const std::string_view refused = refused_property(text_, place);
  if (!refused.empty()) {
    gaps_.flaw(place, refused, "quote the text when it is meant as text");
  }
}

}  // namespace epwise::yaml
