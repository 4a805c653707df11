#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "expr/expression.h"

namespace epwise::expr {

enum class TokenKind : std::uint8_t {
  end,
  literal,  // number (with its unit), text or version: `value`, `dimension`
  name,     // dotted words in one token: model.num_layers, list.exists, in, true
  open_bracket,
  close_bracket,
  open_list,
  close_list,
  comma,
  dot,
  question,
  colon,
  logical_not,
  sign,  // a binary operator, including `-`
};

struct Token {
  TokenKind kind = TokenKind::end;
  Op op = Op::literal;  // of a `sign`
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string_view text;
  Value value = {};
  units::Dimension dimension = units::Dimension::none;
};

struct Lexed {
  std::vector<Token> tokens;  // the last one is `end`
  std::vector<Problem> problems;
};

/// Splits an expression's text into tokens; views point into the text. Collects all lexical errors
/// (an unclosed text, an unknown unit or character).
Lexed lex(std::string_view text);

/// The symbol of an operator: "&&", "<=", "//", "in"; "" for nodes that have none.
std::string_view sign_of(Op op);

}  // namespace epwise::expr
