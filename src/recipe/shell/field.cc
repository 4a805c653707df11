#include "recipe/shell/field.h"

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

std::string need_of(const std::string& name) {
  return "${" + name + "}";
}

Field unknown_value(const text::Mark& mark, const std::string& name) {
  return unknown_field(mark, {need_of(name)});
}

Field unknown_elements(const text::Mark& mark, const std::string& name) {
  Field field = unknown_value(mark, name);
  field.pieces.front().quoted = false;
  return field;
}

namespace {

constexpr const char* kOpenArguments = "$@";

}  // namespace

Field open_arguments(const text::Mark& mark) {
  Field field = unknown_field(mark, {kOpenArguments});
  field.pieces.front().quoted = false;
  field.pieces.front().unbound = true;
  return field;
}

bool take_open_arguments(std::vector<Field>& words) {
  return std::erase_if(words, [](const Field& word) {
           return word.pieces.size() == 1 && word.pieces.front().unbound &&
                  word.needs() == std::vector<std::string>{kOpenArguments};
         }) > 0;
}

bool all_present(const std::vector<Field>& elements) {
  return std::ranges::all_of(elements, [](const Field& each) {
    return std::ranges::all_of(each.pieces, [](const Piece& piece) {
      return piece.condition == 0 && (piece.quoted || !piece.unknown());
    });
  });
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
  constexpr std::size_t kShort = 60;
  constexpr std::size_t kLine = 160;
  if (mark.nowhere()) {
    return {};
  }
  std::string text(mark.file->bytes().substr(mark.begin, mark.end - mark.begin));
  const std::size_t line = text.find('\n');
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() <= kShort || (line == std::string::npos && text.size() <= kLine)) {
    return text;
  }
  if (line <= kLine) {
    return text.substr(0, line) + " …";
  }
  const std::size_t blank = text.rfind(' ', kLine);
  std::size_t end = blank == std::string::npos || blank < kShort ? kLine : blank;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end) + (end == blank ? " …" : "…");
}

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
    add(part_of(piece, at, behind));
    at = behind;
  }
}

void FieldBuilder::place(Piece piece, bool quoted) {
  if (quoted || !splits_ || piece.unknown()) {
    piece.quoted = piece.quoted && (quoted || !splits_);  // else it may be several words
    add(std::move(piece));
  } else {
    split(piece);
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
