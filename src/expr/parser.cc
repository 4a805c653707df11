#include "expr/parser.h"

#include <algorithm>

#include <fmt/format.h>

#include "expr/precedence.h"

namespace epwise::expr {

Expression Parser::run() {
  expression();
  if (peek().kind != TokenKind::end) {
    fail(peek(),
         fmt::format("`{}` is one too many; the expression has already ended", peek().text));
  }
  return std::move(result_);
}

void Parser::fail_range(std::size_t begin, std::size_t end, std::string sentence) {
  throw Mistake{{begin, end, std::move(sentence)}};
}

void Parser::fail(const Token& token, std::string sentence) {
  fail_range(token.begin, token.end, std::move(sentence));
}

void Parser::too_deep(std::size_t begin, std::size_t end) {
  fail_range(begin, end, fmt::format("the expression is nested more than {} deep", kMaxDepth));
}

std::uint32_t Parser::expect(TokenKind kind, std::string_view sign, std::string_view reason) {
  if (peek().kind != kind) {
    fail(peek(), fmt::format("`{}` is missing {}", sign, reason));
  }
  return take().end;
}

std::int32_t Parser::push(Node node, const std::vector<std::int32_t>& children) {
  node.first = static_cast<std::int32_t>(result_.children.size());
  node.count = static_cast<std::int32_t>(children.size());
  int height = 0;
  for (const std::int32_t child : children) {
    result_.children.push_back(child);
    height = std::max(height, heights_[static_cast<std::size_t>(child)]);
  }
  if (++height > kMaxDepth) {
    too_deep(node.begin, node.end);
  }
  heights_.push_back(height);
  result_.nodes.push_back(node);
  return static_cast<std::int32_t>(result_.nodes.size()) - 1;
}

Parser::Part Parser::join(Op op,
                          std::uint32_t begin,
                          std::uint32_t end,
                          const std::vector<std::int32_t>& children) {
  return {push({.op = op, .begin = begin, .end = end}, children), begin, end};
}

Parser::Part Parser::literal(Value value, const Token& token) {
  const auto index = static_cast<std::int32_t>(result_.constants.size());
  result_.constants.push_back(std::move(value));
  result_.dimensions.push_back(token.dimension);
  const Node node{.op = Op::literal, .constant = index, .begin = token.begin, .end = token.end};
  return {push(node, {}), token.begin, token.end};
}

Parser::Part Parser::expression() {
  const Nesting nesting(*this);
  const Part condition = operation(precedence(Op::logical_or));
  if (peek().kind != TokenKind::question) {
    return condition;
  }
  take();
  const Part yes = expression();
  expect(TokenKind::colon, ":", "after the first choice of `? :`");
  const Part no = expression();
  return join(Op::conditional, condition.begin, no.end, {condition.node, yes.node, no.node});
}

Parser::Part Parser::operation(int lowest) {
  Part left = unary();
  int highest = precedence(Op::multiply);
  while (peek().kind == TokenKind::sign) {
    const Op op = peek().op;
    const int level = precedence(op);
    if (level > highest) {
      fail(peek(), fmt::format("comparisons do not chain; write a {0} b && b {0} c", peek().text));
    }
    if (level < lowest) {
      break;
    }
    take();
    const Part right = operation(level + 1);
    left = join(op, left.begin, right.end, {left.node, right.node});
    highest = level == precedence(Op::equal) ? level - 1 : level;
  }
  if (peek().kind == TokenKind::name) {
    refuse_foreign(peek());
  }
  return left;
}

Parser::Part Parser::unary() {
  const bool minus = peek().kind == TokenKind::sign && peek().op == Op::subtract;
  if (!minus && peek().kind != TokenKind::logical_not) {
    return postfix();
  }
  const Nesting nesting(*this);
  const std::uint32_t begin = take().begin;
  const Part operand = unary();
  return join(minus ? Op::negate : Op::logical_not, begin, operand.end, {operand.node});
}

Parser::Part Parser::primary() {
  const Token& token = peek();
  switch (token.kind) {
    case TokenKind::literal:
      return literal(take().value, token);
    case TokenKind::name:
      return word();
    case TokenKind::open_list:
      return list();
    case TokenKind::open_bracket: {
      const std::uint32_t begin = take().begin;
      Part inner = expression();
      inner.begin = begin;
      inner.end = expect(TokenKind::close_bracket, ")", "to close the bracket");
      return inner;
    }
    case TokenKind::end:
      fail(token, "the expression ends too early; a value is missing");
    default:
      fail(token, fmt::format("a value is missing before `{}`", token.text));
  }
}

std::vector<Parser::Part> Parser::items(TokenKind close, std::string_view sign) {
  std::vector<Part> parts;
  while (peek().kind != close) {
    parts.push_back(expression());
    if (peek().kind != TokenKind::comma) {
      break;
    }
    take();
  }
  if (peek().kind != close) {
    fail(peek(), fmt::format("`,` or `{}` is missing", sign));
  }
  return parts;
}

std::vector<std::int32_t> Parser::nodes_of(const std::vector<Part>& parts) {
  std::vector<std::int32_t> nodes;
  for (const Part& part : parts) {
    nodes.push_back(part.node);
  }
  return nodes;
}

Parser::Part Parser::list() {
  const std::uint32_t begin = take().begin;
  const std::vector<Part> parts = items(TokenKind::close_list, "]");
  return join(Op::list, begin, take().end, nodes_of(parts));
}

Parsed parse(std::string_view text, Names& names) {
  Parsed parsed;
  constexpr std::size_t kMaxLength = 16384;
  if (text.size() > kMaxLength) {
    parsed.problems.push_back({kMaxLength,
                               text.size(),
                               fmt::format("the expression is longer than {} bytes", kMaxLength)});
    return parsed;
  }
  Lexed lexed = lex(text);
  parsed.problems = std::move(lexed.problems);
  if (!parsed.problems.empty()) {
    return parsed;
  }
  try {
    parsed.expression = Parser(std::move(lexed.tokens), names).run();
  } catch (Mistake& mistake) {
    parsed.problems.push_back(std::move(mistake.problem));
  }
  return parsed;
}

std::vector<int> Expression::names() const {
  std::vector<int> slots;
  for (const Node& node : nodes) {
    if (reads_name(node.op)) {
      slots.push_back(node.slot);
    }
  }
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

}  // namespace epwise::expr
