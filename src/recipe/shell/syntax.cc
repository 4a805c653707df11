#include "recipe/shell/syntax.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace epwise::shell {

Source::Source(const text::SourceFile& file) {
  const auto bytes = file.bytes();
  Piece whole;
  whole.mark = {&file, 0, static_cast<std::uint32_t>(bytes.size())};
  add(bytes, std::move(whole));
}

void Source::add(std::string_view bytes, Piece piece) {
  if (bytes.empty()) {
    return;
  }
  piece.begin = text_.size();
  pieces_.push_back(std::move(piece));
  text_ += bytes;
}

const Source::Piece& Source::piece(std::size_t at) const {
  static const Piece nowhere;
  const auto behind = std::upper_bound(
      pieces_.begin(), pieces_.end(), at, [](std::size_t place, const Piece& each) {
        return place < each.begin;
      });
  return behind == pieces_.begin() ? nowhere : *std::prev(behind);
}

std::size_t Source::piece_end(std::size_t at) const {
  const auto behind = std::upper_bound(
      pieces_.begin(), pieces_.end(), at, [](std::size_t place, const Piece& each) {
        return place < each.begin;
      });
  return behind == pieces_.end() ? text_.size() : behind->begin;
}

text::Mark Source::mark(std::size_t begin, std::size_t end) const {
  const auto place = [](const Piece& piece, std::size_t at) {
    return piece.verbatim ? piece.mark.begin + static_cast<std::uint32_t>(at - piece.begin)
                          : piece.mark.begin;
  };
  const Piece& first = piece(begin);
  text::Mark mark = first.mark;
  mark.begin = place(first, begin);
  if (end <= begin) {
    mark.end = mark.begin;
    return mark;
  }
  const Piece& last = piece(end - 1);
  const std::uint32_t finish = last.verbatim ? place(last, end - 1) + 1 : last.mark.end;
  if (last.mark.file == mark.file && finish >= mark.begin) {
    mark.end = finish;
  }
  return mark;
}

Word literal_word(std::string text, const text::Mark& mark) {
  Part part;
  part.text = std::move(text);
  part.mark = mark;
  Word word;
  word.mark = mark;
  word.parts.push_back(std::move(part));
  return word;
}

}  // namespace epwise::shell
