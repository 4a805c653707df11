#include "commands/lsp/cursor.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace epwise::lsp {

namespace {

constexpr auto npos = std::string_view::npos;

/// One line of block style.
struct Line {
  std::size_t indent = 0;     // columns before its first character
  bool blank = false;         // nothing, or a comment
  bool item = false;          // "- …"
  bool boundary = false;      // "---" or "..."
  std::string_view key = {};  // without quotes; empty: none
  bool quoted = false;
  std::size_t key_end = 0;  // with its closing quote
  std::size_t colon = npos;
};

/// The start of a comment; the end of the line if there is none.
std::size_t comment_at(std::string_view line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool first = i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t';
    if (quote != '\0') {
      quote = line[i] == quote ? '\0' : quote;
    } else if (line[i] == '#' && first) {
      return i;
    } else if ((line[i] == '"' || line[i] == '\'') &&
               (first || line[i - 1] == '[' || line[i - 1] == ',')) {
      quote = line[i];
    }
  }
  return line.size();
}

void read_key(std::string_view line, Line& result) {
  const char first = line[result.indent];
  if (first == '"' || first == '\'') {
    const auto close = line.find(first, result.indent + 1);
    if (close == npos || close + 1 >= line.size() || line[close + 1] != ':') {
      return;
    }
    result.quoted = true;
    result.key = line.substr(result.indent + 1, close - result.indent - 1);
    result.key_end = close + 1;
    result.colon = close + 1;
    return;
  }
  for (auto at = line.find(':', result.indent); at != npos; at = line.find(':', at + 1)) {
    if (at + 1 == line.size() || line[at + 1] == ' ' || line[at + 1] == '\t') {
      result.key = line.substr(result.indent, at - result.indent);
      result.key_end = at;
      result.colon = at;
      return;
    }
  }
}

Line line_of(std::string_view line) {
  Line result;
  line = line.substr(0, comment_at(line));
  result.indent = std::min(line.find_first_not_of(' '), line.size());
  result.blank = line.find_first_not_of(" \t") == npos;
  if (result.blank) {
    return result;
  }
  const auto rest = line.substr(result.indent);
  result.boundary = result.indent == 0 && (rest.starts_with("---") || rest.starts_with("..."));
  result.item = rest == "-" || rest.starts_with("- ");
  if (!result.boundary && !result.item) {
    read_key(line, result);
  }
  return result;
}

/// Walks the lines above and below one.
class Lines {
 public:
  Lines(const text::SourceFile& file, int number) : file_(file), number_(number) {}

  /// The keys above something at `indent`, outermost first; nullopt if there is a list of mappings
  /// or something unreadable in between. An item of a list may be indented like its key.
  std::optional<std::vector<std::string>> path(std::size_t indent, bool item) const {
    std::vector<std::string> keys;
    bool equal = item;
    for (int n = number_ - 1; n >= 1 && (indent > 0 || equal); --n) {
      const Line line = line_of(file_.line(n));
      if (line.boundary) {
        break;
      }
      const bool above = line.indent < indent || (equal && line.indent == indent && !line.item);
      if (line.blank || !above) {
        continue;
      }
      if (line.key.empty()) {
        return std::nullopt;
      }
      keys.emplace_back(line.key);
      indent = line.indent;
      equal = false;
    }
    if (indent > 0 || equal) {
      return std::nullopt;
    }
    std::ranges::reverse(keys);
    return keys;
  }

  /// Keys of the mapping that contains this line, which is at `indent`.
  std::vector<std::string> siblings(std::size_t indent) const {
    std::vector<std::string> keys;
    for (const int step : {-1, 1}) {
      for (int n = number_ + step; n >= 1 && n <= file_.line_count(); n += step) {
        const Line line = line_of(file_.line(n));
        if (line.boundary || (!line.blank && line.indent < indent)) {
          break;
        }
        if (!line.blank && line.indent == indent && !line.key.empty()) {
          keys.emplace_back(line.key);
        }
      }
    }
    return keys;
  }

 private:
  const text::SourceFile& file_;
  int number_;
};

/// The position in a line, relative to the line's start.
class Reader {
 public:
  Reader(std::string_view line, std::size_t at, const Lines& lines)
      : line_(line),
        at_(at),
        end_(comment_at(line)),
        lines_(lines) {}

  Cursor read() {
    const Line line = line_of(line_);
    if (at_ > end_ || line.boundary) {
      return {};
    }
    if (line.blank) {
      return key(std::min(at_, end_), end_, false);
    }
    if (at_ < line.indent) {
      return {};
    }
    if (line.item) {
      return item(line.indent);
    }
    if (line.colon == npos || at_ <= line.key_end) {
      return key(line.indent, line.colon == npos ? text_end() : line.key_end, line.colon != npos);
    }
    return at_ < line.colon + 2 ? Cursor{} : value(line);
  }

 private:
  std::size_t text_end() const {
    const auto last = line_.substr(0, end_).find_last_not_of(" \t");
    return std::max(last == npos ? 0 : last + 1, std::min(at_, end_));
  }

  Cursor key(std::size_t indent, std::size_t end, bool has_colon) const {
    Cursor cursor;
    auto path = lines_.path(indent, false);
    if (!path) {
      return cursor;
    }
    cursor.place = Cursor::Place::key;
    cursor.path = std::move(*path);
    cursor.siblings = lines_.siblings(indent);
    set_word(indent, end, cursor);
    cursor.has_colon = has_colon;
    return cursor;
  }

  Cursor item(std::size_t indent) const {
    Cursor cursor;
    auto path = lines_.path(indent, true);
    const auto begin = std::min(line_.find_first_not_of(' ', indent + 1), end_);
    const bool mapping = line_.substr(begin, end_ - begin).find(": ") != npos;
    if (!path || path->empty() || mapping || at_ < indent + 2) {
      return cursor;
    }
    cursor.place = Cursor::Place::value;
    cursor.path = std::move(*path);
    set_word(std::min(begin, at_), text_end(), cursor);
    return cursor;
  }

  Cursor value(const Line& line) const {
    Cursor cursor;
    auto path = lines_.path(line.indent, false);
    const auto begin = std::min(line_.find_first_not_of(" \t", line.colon + 1), end_);
    const char first = begin < end_ ? line_[begin] : ' ';
    if (!path || first == '{' || first == '|' || first == '>' || first == '&' || first == '*') {
      return cursor;
    }
    cursor.place = Cursor::Place::value;
    cursor.path = std::move(*path);
    cursor.path.emplace_back(line.key);
    if (first == '[' && at_ > begin) {
      set_item(begin, cursor);
    } else {
      set_word(std::min(begin, at_), text_end(), cursor);
    }
    return cursor;
  }

  /// One of `[a, b]`.
  void set_item(std::size_t list, Cursor& cursor) const {
    const auto before = line_.substr(0, at_);
    std::size_t begin = std::max(list + 1, before.find_last_of("[,") + 1);
    while (begin < at_ && line_[begin] == ' ') {
      ++begin;
    }
    set_word(begin, std::max(at_, std::min(line_.find_first_of(",] ", at_), end_)), cursor);
  }

  void set_word(std::size_t begin, std::size_t end, Cursor& cursor) const {
    cursor.begin = begin;
    cursor.end = std::max({begin, end, at_});
    cursor.word = at_ > begin ? std::string(line_.substr(begin, at_ - begin)) : std::string();
    while (!cursor.word.empty() && (cursor.word.front() == '"' || cursor.word.front() == '\'')) {
      cursor.word.erase(0, 1);
    }
  }

  std::string_view line_;
  std::size_t at_;
  std::size_t end_;  // start of a comment
  const Lines& lines_;
};

}  // namespace

Cursor cursor_at(const text::SourceFile& file, std::size_t offset) {
  const int number = file.position(offset).line;
  const std::size_t start = file.line_offset(number);
  const auto line = file.line(number);
  const Lines lines(file, number);
  Cursor cursor = Reader(line, std::min(offset - start, line.size()), lines).read();
  cursor.begin += start;
  cursor.end += start;
  return cursor;
}

}  // namespace epwise::lsp
