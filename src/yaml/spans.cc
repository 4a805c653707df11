#include "yaml/spans.h"

#include <algorithm>
#include <limits>

#include "yaml/raw.h"

namespace epwise::yaml {

namespace {

class SpanFinder {
 public:
  SpanFinder(std::string_view text, std::size_t from, Events& events)
      : text_(text),
        cursor_(from),
        events_(events) {}

  std::vector<std::uint32_t> run() {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      Event& event = events_[i];
      switch (event.type) {
        case Event::Type::null:
          place_null(i);
          break;
        case Event::Type::alias:
          event.begin = event.at;
          event.end = offset(raw::property_end(text_, event.at));
          finish(event);
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
    return std::move(tabs_);
  }

 private:
  struct Frame {
    std::size_t event = 0;
    bool bracket = false;
    bool mapping = false;
    bool key_next = true;
  };

  static std::uint32_t offset(std::size_t place) { return static_cast<std::uint32_t>(place); }

  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  bool is_key() const {
    return !frames_.empty() && frames_.back().mapping && frames_.back().key_next;
  }

  static bool opens_quoted(char c) { return c == '\'' || c == '"' || c == '|' || c == '>'; }

  bool starts_comment(std::size_t gap_begin, std::size_t i) const {
    return i == gap_begin || raw::is_space(text_[i - 1]) ||
           std::string_view("[]{},").find(text_[i - 1]) != std::string_view::npos;
  }

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
    const bool missing_value =
        is_key() && next->type == Event::Type::null && next->at == events_[i].at;
    return !missing_value;
  }

  /// Reads up to `most` anchors and tags that stand before the value; returns where it starts.
  std::size_t read_properties(Event& event, int most) {
    std::size_t place = event.at;
    properties_end_ = place;
    for (int i = 0; i < most && (at(place) == '&' || at(place) == '!'); ++i) {
      const std::size_t end = raw::property_end(text_, place);
      if (at(place) == '&') {
        event.anchor_begin = offset(place);
        event.anchor_end = offset(end);
      } else {
        event.tag = std::string(text_.substr(place, end - place));
      }
      properties_end_ = end;
      place = raw::skip_layout(text_, end);
    }
    return place;
  }

  void place_null(std::size_t i) {
    Event& event = events_[i];
    const bool behind = event.at >= cursor_;
    const bool has_properties = behind && (event.anchor != 0 || frames_.empty());
    const std::size_t place = has_properties ? read_properties(event, 2) : event.at;
    const std::string_view word = behind ? raw::null_word(text_, place) : std::string_view();
    if (!word.empty() && !claimed_by_next(i, place)) {
      event.text = std::string(word);
      event.begin = offset(place);
      event.end = offset(place + word.size());
    } else {
      const std::size_t empty =
          has_properties && properties_end_ != event.at ? properties_end_ : empty_place();
      event.begin = event.end = offset(empty);
    }
    if (!event.tag.empty()) {
      event.type = Event::Type::scalar;
    }
    finish(event);
  }

  void place_scalar(std::size_t i) {
    Event& event = events_[i];
    const std::size_t place = read_properties(event, std::numeric_limits<int>::max());
    const char first = at(place);
    const bool empty = event.text.empty() && (!opens_quoted(first) || claimed_by_next(i, place));
    if (empty) {
      event.begin = event.end = offset(properties_end_);
    } else {
      event.plain = !opens_quoted(first);
      event.begin = offset(place);
      event.end = offset(raw::scalar_end(text_, place, event.text));
      if (event.plain) {
        note_tabs(event.begin, event.end);
      }
    }
    finish(event);
  }

  void open(std::size_t i) {
    Event& event = events_[i];
    // A block mapping starts at its first key, whose properties are not the mapping's.
    const int most = (event.anchor != 0 ? 1 : 0) + (event.tagged ? 1 : 0);
    const std::size_t place = read_properties(event, most);
    const bool bracket = event.flow && (at(place) == '[' || at(place) == '{');
    event.begin = event.end = offset(place);
    advance(place, bracket ? place + 1 : place);
    frames_.push_back(
        {.event = i, .bracket = bracket, .mapping = event.type == Event::Type::mapping});
  }

  void close() {
    if (frames_.empty()) {
      return;
    }
    const Frame frame = frames_.back();
    frames_.pop_back();
    Event& event = events_[frame.event];
    if (frame.bracket) {
      std::size_t place = raw::skip_layout(text_, cursor_);
      while (at(place) == ',' || at(place) == ':') {
        place = raw::skip_layout(text_, place + 1);
      }
      if (at(place) == ']' || at(place) == '}') {
        advance(place, place + 1);
      }
    }
    event.end = offset(std::max<std::size_t>(cursor_, event.begin));
    turn();
  }

  /// Where an empty value belongs: behind the `:`, `?`, `-` or `,` that it follows.
  std::size_t empty_place() const {
    if (frames_.empty()) {
      return cursor_;
    }
    const Frame& frame = frames_.back();
    std::size_t place = raw::skip_layout(text_, cursor_);
    if (frame.mapping && !frame.key_next) {
      return at(place) == ':' ? place + 1 : cursor_;
    }
    if (events_[frame.event].flow && at(place) == ',') {
      place = raw::skip_layout(text_, place + 1);
    }
    const char indicator = frame.mapping ? '?' : '-';
    return at(place) == indicator && !(frame.bracket && !frame.mapping) ? place + 1 : place;
  }

  void finish(const Event& event) {
    advance(event.begin, event.end);
    turn();
  }

  void turn() {
    if (!frames_.empty()) {
      frames_.back().key_next = !frames_.back().key_next;
    }
  }

  /// Goes on to `end`; what stands between the last value and `begin` is no value.
  void advance(std::size_t begin, std::size_t end) {
    if (begin > cursor_) {
      note_tabs(cursor_, begin);
    }
    cursor_ = std::max(cursor_, std::min(end, text_.size()));
  }

  void note_tabs(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && i < text_.size(); ++i) {
      if (raw::is_break(text_[i])) {
        tab_in_line_ = false;
      } else if (text_[i] == '#' && starts_comment(begin, i)) {
        while (i + 1 < end && !raw::is_break(text_[i + 1])) {
          ++i;
        }
      } else if (text_[i] == '\t' && !tab_in_line_) {
        tab_in_line_ = true;
        tabs_.push_back(offset(i));
      }
    }
  }

  std::string_view text_;
  std::size_t cursor_ = 0;  // behind what has been read
  Events& events_;
  std::size_t properties_end_ = 0;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> tabs_;
  bool tab_in_line_ = false;
};

}  // namespace

std::vector<std::uint32_t> locate(std::string_view text, std::size_t from, Events& events) {
  return SpanFinder(text, from, events).run();
}

}  // namespace epwise::yaml
