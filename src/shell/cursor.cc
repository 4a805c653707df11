#include "shell/cursor.h"

#include <algorithm>
#include <utility>

namespace epwise::shell {

void Cursor::skip_blanks() {
  while (!at_end()) {
    if (sees("\\\n")) {
      at_ += 2;
    } else if (sees("\\\r\n")) {
      at_ += 3;
    } else if (current() == ' ' || current() == '\t' || current() == '\r') {
      ++at_;
    } else if (current() == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      break;
    }
  }
}

void Cursor::take_line_end() {
  const auto jump = jumps_.find(at_);
  at_ = jump == jumps_.end() ? at_ + 1 : jump->second;
}

void Cursor::skip_line_ends() {
  skip_blanks();
  while (!at_end() && current() == '\n') {
    take_line_end();
    skip_blanks();
  }
}

void Cursor::skip_lines() {
  skip_line_ends();
  while (!at_end() && current() == ';') {
    ++at_;
    skip_line_ends();
  }
}

std::string_view Cursor::peek() const {
  std::size_t end = at_;
  while (end < text_.size() && !is_meta(text_[end])) {
    ++end;
  }
  return text_.substr(at_, end - at_);
}

bool Cursor::take(std::string_view word) {
  skip_blanks();
  if (peek() != word) {
    return false;
  }
  at_ += word.size();
  return true;
}

void Cursor::take_character(char c) {
  skip_blanks();
  if (!at_end() && current() == c) {
    ++at_;
  }
}

void Cursor::skip_word() {
  go(at_ + std::max<std::size_t>(1, peek().size()));
}

Word Cursor::quoted(std::size_t end) {
  Word result = words_.run(at_, std::min(end, text_.size()), true);
  return result;
}

Word Cursor::literal(std::size_t begin) const {
  Part part;
  part.text = text_.substr(begin, at_ - begin);
  part.mark = source_.mark(begin, at_);
  Word word;
  word.mark = part.mark;
  word.parts.push_back(std::move(part));
  return word;
}

Cursor::Document Cursor::take_document(std::string_view delimiter, bool tabs) {
  const std::size_t line_end = text_.find('\n', at_);
  if (delimiter.empty() || line_end == std::string_view::npos) {
    return {};
  }
  const auto earlier = jumps_.find(line_end);
  const std::size_t begin = earlier == jumps_.end() ? line_end + 1 : earlier->second;
  const std::size_t end = end_of_document(begin, delimiter, tabs);
  const std::size_t last = text_.find('\n', end);
  jumps_[line_end] = last == std::string_view::npos ? text_.size() : last + 1;
  return {begin, end};
}

std::size_t Cursor::end_of_document(std::size_t begin,
                                    std::string_view delimiter,
                                    bool tabs) const {
  for (std::size_t at = begin; at < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    std::string_view line = text_.substr(at, end - at);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (tabs) {
      line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
    }
    if (line == delimiter) {
      return at;
    }
    at = end + 1;
  }
  return text_.size();
}

}  // namespace epwise::shell
