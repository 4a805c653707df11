#include "yaml/simple_line.h"

#include <algorithm>
#include <limits>

#include "yaml/raw.h"

namespace epwise::yaml {

namespace {

constexpr std::size_t kAnyIndent = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kLongestKey = 1000;  // YAML ends what may be a key at 1024

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_key_character(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.' || c == '/';
}

bool starts_plain(char c) {
  return is_letter_or_digit(c) || std::string_view("_/.($+~=<").find(c) != std::string_view::npos ||
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

  /// Whether nothing but a comment is left; sets where the content ended.
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
      return finish(at_ + 3);
    }
    bool item = false;
    while (peek() == '-' && (next() == ' ' || next() == '\n')) {
      line_.column = at_ - begin_;
      item = true;
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
    return item && read_value();
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
            (first == '-' && (is_letter_or_digit(next()) || next() == '.'))) &&
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

  /// A quoted text that ends in this line.
  bool read_quoted() {
    const std::size_t close = raw::scalar_end(text_, at_, {});
    return close <= end_ && raw::wrong_in_quoted(text_, at_, close) == std::string_view::npos &&
           finish(close);
  }

  /// Brackets that are closed in this line and hold no quotes or comments.
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
