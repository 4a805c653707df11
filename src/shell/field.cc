#include "shell/field.h"

#include <algorithm>
#include <utility>

namespace epwise::shell {

std::string Field::text() const {
  std::string all;
  for (const Piece& piece : pieces) {
    all += piece.text;
  }
  return all;
}

bool Field::known() const {
  return std::all_of(pieces.begin(), pieces.end(), [](const Piece& piece) {
    return piece.needs.empty() && piece.condition == 0;
  });
}

int Field::condition() const {
  const int first = pieces.empty() ? 0 : pieces.front().condition;
  const bool same = std::all_of(pieces.begin(), pieces.end(), [first](const Piece& piece) {
    return piece.condition == first;
  });
  return same ? first : 0;
}

std::vector<std::string> Field::needs() const {
  std::vector<std::string> all;
  for (const Piece& piece : pieces) {
    add_needs(piece.needs, all);
  }
  return all;
}

Field field_of(std::string text, const text::Mark& mark) {
  Piece piece;
  piece.text = std::move(text);
  piece.mark = mark;
  piece.quoted = true;
  Field field;
  field.mark = mark;
  field.pieces.push_back(std::move(piece));
  return field;
}

Field unknown_field(const text::Mark& mark, std::vector<std::string> needs) {
  Field field = field_of(written_at(mark), mark);
  field.pieces.front().needs = std::move(needs);
  return field;
}

void add_needs(const std::vector<std::string>& more, std::vector<std::string>& needs) {
  constexpr std::size_t kMost = 16;
  for (const std::string& need : more) {
    const bool fresh = std::find(needs.begin(), needs.end(), need) == needs.end();
    if (fresh && needs.size() < kMost) {
      needs.push_back(need);
    }
  }
}

std::string written_at(const text::Mark& mark) {
  constexpr std::size_t kMost = 60;
  if (mark.nowhere()) {
    return {};
  }
  std::string text(mark.file->bytes().substr(mark.begin, mark.end - mark.begin));
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() <= kMost) {
    return text;
  }
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end) + "…";
}

}  // namespace epwise::shell
