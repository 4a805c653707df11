#include "shell/field_builder.h"

#include <algorithm>
#include <utility>

namespace epwise::shell {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void FieldBuilder::add(Piece piece) {
  open_ = true;
  current_.pieces.push_back(std::move(piece));
}

void FieldBuilder::end() {
  constexpr std::size_t kMost = 20'000;
  if (open_ && done_.size() < kMost) {
    done_.push_back(std::move(current_));
  }
  current_ = {};
  open_ = false;
}

void FieldBuilder::split(const Piece& piece) {
  const std::string& text = piece.text;
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      end();
      ++at;
      continue;
    }
    const auto from = text.begin() + static_cast<std::ptrdiff_t>(at);
    const auto behind =
        static_cast<std::size_t>(std::find_if(from, text.end(), is_blank) - text.begin());
    Piece token = piece;
    token.text = text.substr(at, behind - at);
    if (piece.verbatim) {
      token.mark.begin = piece.mark.begin + static_cast<std::uint32_t>(at);
      token.mark.end = piece.mark.begin + static_cast<std::uint32_t>(behind);
    }
    add(std::move(token));
    at = behind;
  }
}

std::vector<Field> FieldBuilder::finish(const text::Mark& word) {
  end();
  for (Field& field : done_) {
    field.mark = field.pieces.front().mark;
    const text::Mark& last = field.pieces.back().mark;
    if (last.file == field.mark.file && last.end > field.mark.end) {
      field.mark.end = last.end;
    }
    if (field.mark.nowhere()) {
      field.mark = word;
    }
  }
  return std::move(done_);
}

}  // namespace epwise::shell
