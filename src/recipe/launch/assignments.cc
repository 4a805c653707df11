#include "recipe/launch/assignments.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "shell/word_parser.h"

namespace epwise::recipe {

namespace {

using Given = shell::Field;
constexpr std::size_t npos = std::string_view::npos;

/// Every part of it between commas is K=V, and there are several.
bool is_list(std::string_view text) {
  if (text.find(',') == npos) {
    return false;
  }
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    const std::size_t length = shell::name_length(part, 0);
    if (length == 0 || part.substr(length, 1) != "=") {
      return false;
    }
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return true;
}

/// Some letters of a field's first piece.
Given stretch(const Given& field, std::size_t begin, std::size_t end) {
  Given part = field;
  shell::Piece& piece = part.pieces.front();
  piece.text = piece.text.substr(begin, end - begin);
  if (piece.verbatim) {
    piece.mark.end = piece.mark.begin + static_cast<std::uint32_t>(end);
    piece.mark.begin += static_cast<std::uint32_t>(begin);
    part.mark = piece.mark;
  }
  return part;
}

}  // namespace

void add_variable(const Given& word, std::size_t begin, std::map<std::string, Given>& variables) {
  if (word.pieces.empty() || word.pieces.front().text.size() < begin) {
    return;
  }
  const std::string first = word.pieces.front().text.substr(begin);
  const std::size_t length = shell::name_length(first, 0);
  if (length == 0 || first.substr(length, 1) != "=") {
    return;
  }
  Given value = word;
  shell::Piece& piece = value.pieces.front();
  piece.text = first.substr(length + 1);
  if (piece.verbatim) {
    piece.mark.begin += static_cast<std::uint32_t>(begin + length + 1);
    value.mark.begin = std::min(piece.mark.begin, value.mark.end);
  }
  variables.insert_or_assign(first.substr(0, length), std::move(value));
}

void add_variable_list(const Given& word,
                       std::size_t begin,
                       std::map<std::string, Given>& variables) {
  if (word.pieces.size() != 1 || !word.known()) {
    return;
  }
  const std::string text = word.text();
  for (std::size_t at = begin; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    add_variable(stretch(word, at, end), 0, variables);
    at = end + 1;
  }
}

void add_variables(const Given& word, std::size_t begin, std::map<std::string, Given>& variables) {
  if (begin == 0 && !is_list(word.text())) {
    add_variable(word, 0, variables);
  } else {
    add_variable_list(word, begin, variables);
  }
}

Variable variable_of(const Given& value, const text::Mark& key) {
  Variable variable;
  variable.value =
      value.known() ? expr::Value::of(value.text()) : expr::Value::unknown(value.needs());
  variable.key = key;
  variable.mark = value.mark;
  return variable;
}

}  // namespace epwise::recipe
