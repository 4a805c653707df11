#include "yaml/abridgement.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>

#include "base/text/ascii.h"
#include "yaml/raw.h"

namespace epwise::yaml {

/// A line that means the same at any place in a block: `- key: value  # comment`.
struct SimpleLine {
  enum class Kind : std::uint8_t {
    nothing,     // blank, or a comment
    entry,       // a key or an item, with or without a value
    block_text,  // a key or an item with `|` or `>`; the text follows
    other        // not simple
  };

  /// A word [begin, end), with its quotes; empty if there is none, or if it must not be changed.
  struct Word {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool quoted = false;
  };

  Kind kind = Kind::other;
  std::size_t indent = 0;        // blanks in front
  std::size_t column = 0;        // of the key, or of the last `-`
  std::size_t deepest_next = 0;  // a following line with more indentation may continue this one
  bool item = false;             // starts with `- `
  bool open = false;             // a key without a value
  bool separator = false;        // `---`
  Word key;
  Word value;
  std::size_t content_end = 0;  // without comment, trailing blanks and line end
  std::size_t end = 0;          // start of the next line
};

SimpleLine read_simple_line(std::string_view text, std::size_t begin);

/// The end of the text of a `|` or `>`: the first non-blank line that is not indented more than the
/// line's key.
std::size_t block_text_end(std::string_view text, const SimpleLine& line);

namespace {

/// The tokeniser tells these from other words.
bool is_null(std::string_view word) {
  return word == "~" || word == "null" || word == "Null" || word == "NULL";
}

std::uint32_t abridged_offset(std::size_t place) {
  return static_cast<std::uint32_t>(place);
}

/// Writes the short text line by line. A line is final once the next one has turned out not to
/// continue it.
class Abridger {
 public:
  explicit Abridger(std::string_view text) { result_.source = text; }

  Abridgement run() {
    const std::string_view source = result_.source;
    if (write_simple_lines()) {
      settle(source.size());
    } else {
      roll_back();
      copy(settled_, source.size());
      result_.lines.clear();
    }
    if (separated_) {
      result_.lines.clear();
    }
    return std::move(result_);
  }

 private:
  /// False at the first line that is not simple; what precedes it is settled.
  bool write_simple_lines() {
    const std::string_view source = result_.source;
    std::size_t begin = 0;
    while (begin < source.size()) {
      const SimpleLine line = read_simple_line(source, begin);
      if (line.kind == SimpleLine::Kind::nothing) {
        begin = line.end;
        continue;
      }
      if (line.indent > deepest_) {
        return false;
      }
      settle(begin);
      if (line.kind == SimpleLine::Kind::other) {
        return false;
      }
      deepest_ = line.deepest_next;
      begin = write(line, begin);
    }
    return true;
  }

  void settle(std::size_t place) {
    settled_ = place;
    settled_text_ = result_.text.size();
    settled_shifts_ = result_.shifts.size();
    settled_words_ = result_.words.size();
  }

  void roll_back() {
    result_.text.resize(settled_text_);
    result_.shifts.resize(settled_shifts_);
    result_.words.resize(settled_words_);
  }

  /// Writes the line that starts at `begin`; returns where the next one starts.
  std::size_t write(const SimpleLine& line, std::size_t begin) {
    separated_ = separated_ || line.separator;
    result_.lines.push_back(
        {abridged_offset(result_.text.size()), abridged_offset(line.indent), line.item, line.open});
    std::size_t done = begin;
    for (const SimpleLine::Word& word : {line.key, line.value}) {
      if (word.end > word.begin &&
          !is_null(result_.source.substr(word.begin, word.end - word.begin))) {
        copy(done, word.begin);
        result_.text += 'x';
        result_.words.push_back(
            {abridged_offset(word.begin), abridged_offset(word.end), word.quoted});
        done = word.end;
      }
    }
    if (line.kind == SimpleLine::Kind::block_text) {
      const std::size_t end = block_text_end(result_.source, line);
      copy(done, end);
      return end;
    }
    copy(done, line.content_end);
    result_.text += '\n';
    return line.end;
  }

  void copy(std::size_t begin, std::size_t end) {
    if (begin != result_.original(result_.text.size())) {
      result_.shifts.push_back({abridged_offset(result_.text.size()), abridged_offset(begin)});
    }
    result_.text += result_.source.substr(begin, end - begin);
  }

  Abridgement result_;
  std::size_t deepest_ = std::numeric_limits<std::size_t>::max();  // indent of the next line
  std::size_t settled_ = 0;
  std::size_t settled_text_ = 0;
  std::size_t settled_shifts_ = 0;
  std::size_t settled_words_ = 0;
  bool separated_ = false;  // a `---` starts a document
};

}  // namespace

std::size_t Abridgement::original(std::size_t place) const {
  const auto next = std::upper_bound(
      shifts.begin(), shifts.end(), place, [](std::size_t wanted, const Shift& each) {
        return wanted < each.place;
      });
  if (next == shifts.begin()) {
    return place;
  }
  const Shift& shift = *std::prev(next);
  return shift.original + (place - shift.place);
}

std::string_view Abridgement::word(std::size_t original_place) const {
  const auto word = std::lower_bound(
      words.begin(), words.end(), original_place, [](const Word& each, std::size_t wanted) {
        return each.begin < wanted;
      });
  if (word == words.end() || word->begin != original_place) {
    return {};
  }
  const std::string_view whole = source.substr(word->begin, word->end - word->begin);
  return word->quoted ? whole.substr(1, whole.size() - 2) : whole;
}

Abridgement abridge(std::string_view text) {
  Abridgement result = Abridger(text).run();
  // The tokeniser accepts a byte order mark only where a text starts. What followed empty lines must
  // not become one.
  const bool starts_elsewhere = result.original(0) != 0;
  const bool may_be_mark =
      !result.text.empty() && static_cast<unsigned char>(result.text[0]) >= 0x80;
  if (starts_elsewhere && may_be_mark) {
    return verbatim(text);
  }
  return result;
}

Abridgement verbatim(std::string_view text) {
  return {text, std::string(text), {}, {}, {}};
}

namespace {

constexpr std::size_t kAnyIndent = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kLongestKey = 1000;  // YAML limits keys to 1024

bool is_key_character(char c) {
  return text::is_letter_or_digit(c) || c == '_' || c == '-' || c == '.' || c == '/';
}

bool starts_plain(char c) {
  return text::is_letter_or_digit(c) ||
         std::string_view("_/.($+~=<").find(c) != std::string_view::npos ||
         static_cast<unsigned char>(c) >= 0x80;
}

class LineReader {
 public:
  LineReader(std::string_view text, std::size_t begin) : text_(text), begin_(begin), at_(begin) {
    const std::size_t found = text.find('\n', begin);
    const std::size_t stop = found == text.npos ? text.size() : found;
    line_.end = found == text.npos ? text.size() : found + 1;
    end_ = stop > begin && text[stop - 1] == '\r' ? stop - 1 : stop;
  }

  SimpleLine read() {
    skip_blanks();
    line_.indent = at_ - begin_;
    if (at_ == end_ || peek() == '#') {
      line_.kind = SimpleLine::Kind::nothing;
      return line_;
    }
    if (!read_content()) {
      line_.kind = SimpleLine::Kind::other;
    }
    return line_;
  }

 private:
  char peek() const { return at_ < end_ ? text_[at_] : '\n'; }

  char next() const { return at_ + 1 < end_ ? text_[at_ + 1] : '\n'; }

  void skip_blanks() {
    while (peek() == ' ') {
      ++at_;
    }
  }

  /// Whether only a comment is left; sets where the content ended.
  bool finish(std::size_t content_end) {
    line_.content_end = content_end;
    at_ = content_end;
    skip_blanks();
    return at_ == end_ || (peek() == '#' && at_ > content_end);
  }

  bool read_content() {
    line_.kind = SimpleLine::Kind::entry;
    if (raw::is_document_start(text_, at_)) {
      line_.deepest_next = kAnyIndent;
      line_.separator = true;
      return finish(at_ + 3);
    }
    while (peek() == '-' && (next() == ' ' || next() == '\n')) {
      line_.column = at_ - begin_;
      line_.item = true;
      const std::size_t dash = at_++;
      skip_blanks();
      if (at_ == end_ || peek() == '#') {
        line_.deepest_next = kAnyIndent;
        return finish(dash + 1);
      }
    }
    const std::size_t word = at_;
    while (at_ < end_ && is_key_character(text_[at_])) {
      ++at_;
    }
    if (at_ > word && peek() == ':' && (next() == ' ' || next() == '\n')) {
      return read_entry(word);
    }
    at_ = word;
    return line_.item && read_value();
  }

  bool read_entry(std::size_t word) {
    if (at_ - word > kLongestKey || text_.substr(word).starts_with("---")) {
      return false;
    }
    line_.key = {word, at_};
    line_.column = word - begin_;
    const std::size_t behind = ++at_;
    skip_blanks();
    if (at_ == end_ || peek() == '#') {
      line_.deepest_next = kAnyIndent;
      line_.open = true;
      return finish(behind);
    }
    return read_value();
  }

  bool read_value() {
    line_.deepest_next = line_.column;
    const char first = peek();
    if (first == '|' || first == '>') {
      line_.kind = SimpleLine::Kind::block_text;
      line_.content_end = line_.end;
      return true;
    }
    if (first == '\'' || first == '"') {
      return read_quoted();
    }
    if (first == '[' || first == '{') {
      return read_brackets();
    }
    return (starts_plain(first) ||
            (first == '-' && (text::is_letter_or_digit(next()) || next() == '.'))) &&
           read_plain();
  }

  /// To the end of the line or to a comment; a second `: ` or a tab is not simple.
  bool read_plain() {
    const std::size_t value = at_;
    while (at_ < end_ && !(text_[at_] == '#' && text_[at_ - 1] == ' ')) {
      if (text_[at_] == '\t' || (text_[at_] == ':' && (next() == ' ' || next() == '\n'))) {
        return false;
      }
      ++at_;
    }
    std::size_t stop = at_;
    while (text_[stop - 1] == ' ') {
      --stop;
    }
    line_.value = {value, stop};
    return finish(stop);
  }

  /// A quoted text that ends in this line. Its value is what its quotes contain unless that is
  /// nothing, or something is escaped.
  bool read_quoted() {
    const std::size_t open = at_;
    const std::size_t close = raw::scalar_end(text_, open, {});
    if (close > end_ || raw::wrong_in_quoted(text_, open, close) != std::string_view::npos ||
        !finish(close)) {
      return false;
    }
    const std::string_view inside = text_.substr(open + 1, close - open - 2);
    if (!inside.empty() && inside.find(text_[open] == '"' ? '\\' : '\'') == inside.npos) {
      line_.value = {open, close, true};
    }
    return true;
  }

  /// Brackets closed on this line without quotes or comments.
  bool read_brackets() {
    int open = 0;
    for (; at_ < end_; ++at_) {
      const char c = text_[at_];
      if (c == '[' || c == '{') {
        ++open;
      } else if (c == ']' || c == '}') {
        if (--open == 0) {
          return finish(at_ + 1);
        }
      } else if (!is_key_character(c) && c != ' ' && c != ',' && c != ':') {
        return false;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t begin_;
  std::size_t at_;
  std::size_t end_ = 0;  // of the line, without its line end
  SimpleLine line_;
};

}  // namespace

SimpleLine read_simple_line(std::string_view text, std::size_t begin) {
  return LineReader(text, begin).read();
}

std::size_t block_text_end(std::string_view text, const SimpleLine& line) {
  std::size_t at = line.end;
  while (at < text.size()) {
    const std::size_t first = std::min(text.find_first_not_of(' ', at), text.size());
    const bool blank = first == text.size() || text[first] == '\n' || text[first] == '\r';
    if (!blank && first - at <= line.column) {
      break;
    }
    const std::size_t next = text.find('\n', first);
    at = next == text.npos ? text.size() : next + 1;
  }
  return at;
}

}  // namespace epwise::yaml
