#include "yaml/spans.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "yaml/grammar.h"
#include "yaml/properties.h"
#include "yaml/raw.h"

namespace epwise::yaml {

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

/// The tokeniser makes broken UTF-8 of the escapes `\N` (U+0085) and `\_` (U+00A0).
void restore_escapes(std::string& value, std::string_view written) {
  if (!written.starts_with('"') || (written.find("\\N") == std::string_view::npos &&
                                    written.find("\\_") == std::string_view::npos)) {
    return;
  }
  std::string restored;
  int rest = 0;  // bytes of a character that are still to come
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

  /// Whether the node event behind `i` starts at `place`: then nothing of event `i` stands there.
  bool claimed_by_next(std::size_t i, std::size_t place) const {
    const auto next = std::find_if(events_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                   events_.end(),
                                   [](const Event& event) { return event.is_node(); });
    if (next == events_.end() || next->at != place) {
      return false;
    }
    // A key without a value (`{null, b}`) is followed by an empty value that the tokeniser puts at
    // the key itself.
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
      grammar_.gaps().flaw(place, "a text between brackets can't start with `:`", "quote the text");
    }
  }

  void check_quoted(std::size_t place, std::size_t end) {
    const std::size_t wrong = raw::wrong_in_quoted(text_, place, end);
    if (wrong == place) {
      grammar_.gaps().flaw(
          place, "this quote is never closed", "close it, or escape it when it is text");
    } else if (wrong != std::string_view::npos) {
      grammar_.gaps().flaw(wrong, "this character has no place here", "remove it");
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

}  // namespace epwise::yaml
