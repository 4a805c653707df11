#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/count.h"
#include "base/text/spelling.h"
#include "expr/expression.h"
#include "expr/functions.h"
#include "expr/lexer.h"

namespace epwise::expr {

/// Thrown at the first syntax error and caught in `parse`: later errors would only be guesses.
struct Mistake {
  Problem problem;
};

/// Tokens → tree, by precedence climbing. parser.cc parses operators, parser_words.cc names, calls,
/// macros and special forms.
class Parser {
 public:
  Parser(std::vector<Token> tokens, Names& names) : tokens_(std::move(tokens)), names_(names) {}

  Expression run();

 private:
  static constexpr int kMaxDepth = 200;

  // A finished subtree; the range includes enclosing brackets, which the node's own range excludes.
  struct Part {
    std::int32_t node = -1;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxDepth) {
        parser_.too_deep(parser_.peek().begin, parser_.peek().end);
      }
    }

    ~Nesting() { --parser_.depth_; }

    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }

  const Token& take() {
    const Token& token = peek();
    at_ = std::min(at_ + 1, tokens_.size() - 1);
    return token;
  }

  [[noreturn]] static void fail_range(std::size_t begin, std::size_t end, std::string sentence);
  [[noreturn]] static void fail(const Token& token, std::string sentence);
  [[noreturn]] static void too_deep(std::size_t begin, std::size_t end);
  std::uint32_t expect(TokenKind kind, std::string_view sign, std::string_view reason);
  std::int32_t push(Node node, const std::vector<std::int32_t>& children);
  Part join(Op op,
            std::uint32_t begin,
            std::uint32_t end,
            const std::vector<std::int32_t>& children);
  Part literal(Value value, const Token& token);
  Part expression();
  // Precedence climbing; comparisons do not chain, so only operators of lower precedence may follow
  // one.
  Part operation(int lowest);
  Part unary();
  Part postfix();
  Part primary();
  std::vector<Part> items(TokenKind close, std::string_view sign);
  static std::vector<std::int32_t> nodes_of(const std::vector<Part>& parts);
  Part list();
  Part word();
  Part name(const Token& token);
  // A word followed by a bracket: a macro of a name, a special form, or a function.
  Part call(const Token& token);
  static void refuse_foreign(const Token& token);
  static std::string unknown_function(std::string_view name);
  static void check_count(const Function& function,
                          std::size_t count,
                          const Token& token,
                          std::uint32_t end);
  Part macro(const Part& target, std::string_view word);
  Part special_form(Op op, const Token& token);
  Part section_form(const Token& token, const Token& argument);

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Names& names_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> children_;
  Constants constants_;
  std::vector<int> heights_;              // of each node's subtree
  std::vector<std::string_view> locals_;  // variables of the enclosing macros
};

Expression Parser::run() {
  expression();
  if (peek().kind != TokenKind::end) {
    fail(peek(), fmt::format("unexpected `{}` after the end of the expression", peek().text));
  }
  return {embedded::Sequence<Node>(std::move(nodes_)),
          embedded::Sequence<std::int32_t>(std::move(children_)),
          std::make_shared<const Constants>(std::move(constants_))};
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
  node.first = static_cast<std::int32_t>(children_.size());
  node.count = static_cast<std::int32_t>(children.size());
  int height = 0;
  for (const std::int32_t child : children) {
    children_.push_back(child);
    height = std::max(height, heights_[static_cast<std::size_t>(child)]);
  }
  if (++height > kMaxDepth) {
    too_deep(node.begin, node.end);
  }
  heights_.push_back(height);
  nodes_.push_back(node);
  return static_cast<std::int32_t>(nodes_.size()) - 1;
}

Parser::Part Parser::join(Op op,
                          std::uint32_t begin,
                          std::uint32_t end,
                          const std::vector<std::int32_t>& children) {
  return {push({.op = op, .begin = begin, .end = end}, children), begin, end};
}

Parser::Part Parser::literal(Value value, const Token& token) {
  const auto index = static_cast<std::int32_t>(constants_.size());
  constants_.push_back({std::move(value), token.dimension});
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
  nodes.reserve(parts.size());
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

std::vector<const Value*> Expression::literals() const {
  std::vector<const Value*> found;
  for (const Node& node : nodes) {
    if (node.op == Op::literal) {
      found.push_back(&constant(node).value);
    }
  }
  return found;
}

std::vector<NameSlot> Expression::names() const {
  std::vector<NameSlot> slots;
  for (const Node& node : nodes) {
    if (reads_name(node.op)) {
      slots.push_back(node.name());
    }
  }
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

namespace {

struct Word {
  std::string_view text;
  Op op;
};

constexpr std::array<Word, 3> kMacros = {
    {{"all", Op::all}, {"exists", Op::exists}, {"filter", Op::filter}}};

constexpr std::array<Word, 4> kForms = {{{"explicit", Op::is_explicit},
                                         {"written", Op::written},
                                         {"section", Op::has_section},
                                         {"origin", Op::origin}}};

struct Foreign {
  std::string_view word;
  std::string_view ours;
};

constexpr std::array<Foreign, 9> kForeign = {{{"and", "&&"},
                                              {"or", "||"},
                                              {"not", "!"},
                                              {"True", "true"},
                                              {"False", "false"},
                                              {"None", "null"},
                                              {"is", "=="},
                                              {"if", "c ? a : b"},
                                              {"else", "c ? a : b"}}};

bool is_keyword(std::string_view word) {
  return word == "true" || word == "false" || word == "null";
}

template <std::size_t N>
std::optional<Op> find_word(const std::array<Word, N>& words, std::string_view text) {
  for (const Word& word : words) {
    if (word.text == text) {
      return word.op;
    }
  }
  return std::nullopt;
}

}  // namespace

Parser::Part Parser::postfix() {
  Part part = primary();
  while (peek().kind == TokenKind::dot) {
    take();
    const Token& word = take();
    if (word.kind != TokenKind::name || !find_word(kMacros, word.text)) {
      fail(word,
           fmt::format("`{}` cannot follow a dot here; exists, all and filter can", word.text));
    }
    part = macro(part, word.text);
  }
  return part;
}

Parser::Part Parser::word() {
  const Token& token = take();
  if (peek().kind == TokenKind::open_bracket) {
    return call(token);
  }
  refuse_foreign(token);
  return name(token);
}

Parser::Part Parser::name(const Token& token) {
  const auto [begin, end] = std::pair(token.begin, token.end);
  if (token.text == "null") {
    return literal(Value::unset(), token);
  }
  if (is_keyword(token.text)) {
    return literal(Value::of(token.text == "true"), token);
  }
  const std::string_view first = token.text.substr(0, token.text.find('.'));
  const auto local = std::find(locals_.begin(), locals_.end(), first);
  if (local == locals_.end()) {
    const Node node{
        .op = Op::name, .slot = names_.slot(token.text).number(), .begin = begin, .end = end};
    return {push(node, {}), begin, end};
  }
  if (first.size() != token.text.size()) {
    fail(token, fmt::format("`{}` is an item of a list and has no fields", first));
  }
  const auto slot = static_cast<std::int32_t>(local - locals_.begin());
  return {push({.op = Op::local, .slot = slot, .begin = begin, .end = end}, {}), begin, end};
}

Parser::Part Parser::call(const Token& token) {
  const std::size_t dot = token.text.rfind('.');
  if (dot != std::string_view::npos) {
    const std::string_view last = token.text.substr(dot + 1);
    if (!find_word(kMacros, last)) {
      fail(token,
           fmt::format(
               "`{}` is not a function; only exists, all and filter can be called after a dot",
               token.text));
    }
    Token list = token;
    list.text = token.text.substr(0, dot);
    list.end = token.begin + static_cast<std::uint32_t>(dot);
    return macro(name(list), last);
  }
  if (const auto form = find_word(kForms, token.text)) {
    return special_form(*form, token);
  }
  refuse_foreign(token);
  const int index = find_function(token.text);
  if (index < 0) {
    fail(token, unknown_function(token.text));
  }
  take();
  const std::vector<Part> parts = items(TokenKind::close_bracket, ")");
  const std::uint32_t end = take().end;
  check_count(functions()[static_cast<std::size_t>(index)], parts.size(), token, end);
  return {push({.op = Op::call, .slot = index, .begin = token.begin, .end = end}, nodes_of(parts)),
          token.begin,
          end};
}

void Parser::refuse_foreign(const Token& token) {
  for (const Foreign& foreign : kForeign) {
    if (foreign.word == token.text) {
      fail(token, fmt::format("write {} for `{}`", foreign.ours, token.text));
    }
  }
}

std::string Parser::unknown_function(std::string_view name) {
  if (find_word(kMacros, name)) {
    return fmt::format("`{0}` is called on a list: list.{0}(x, …)", name);
  }
  std::vector<std::string_view> candidates;
  for (const Function& function : functions()) {
    candidates.push_back(function.name);
  }
  for (const Word& form : kForms) {
    candidates.push_back(form.text);
  }
  return fmt::format("unknown function `{}`{}", name, text::did_you_mean(name, candidates));
}

void Parser::check_count(const Function& function,
                         std::size_t count,
                         const Token& token,
                         std::uint32_t end) {
  const auto low = static_cast<std::size_t>(function.min_arguments);
  const auto high = static_cast<std::size_t>(function.max_arguments);
  if (count < low || count > high) {
    fail_range(token.begin,
               end,
               fmt::format("{0} takes {0}({1}), not {2}",
                           function.name,
                           function.arguments,
                           text::counted(count, "argument")));
  }
}

Parser::Part Parser::macro(const Part& target, std::string_view word) {
  constexpr std::size_t kMaxNested = 8;
  take();
  const Token& variable = take();
  if (variable.kind != TokenKind::name || is_keyword(variable.text) ||
      variable.text.find('.') != std::string_view::npos) {
    fail(variable, fmt::format("{0} takes a variable and a condition: list.{0}(x, x > 1)", word));
  }
  if (std::find(locals_.begin(), locals_.end(), variable.text) != locals_.end()) {
    fail(variable,
         fmt::format("`{}` is already the variable of an enclosing macro", variable.text));
  }
  if (locals_.size() == kMaxNested) {
    fail(variable, fmt::format("macros nest at most {} deep", kMaxNested));
  }
  expect(TokenKind::comma, ",", fmt::format("between the variable and the condition of {}", word));
  const auto slot = static_cast<std::int32_t>(locals_.size());
  locals_.push_back(variable.text);
  const Part predicate = expression();
  locals_.pop_back();
  const std::uint32_t end = expect(TokenKind::close_bracket, ")", fmt::format("to close {}", word));
  const Node node{.op = *find_word(kMacros, word), .slot = slot, .begin = target.begin, .end = end};
  return {push(node, {target.node, predicate.node}), target.begin, end};
}

Parser::Part Parser::special_form(Op op, const Token& token) {
  take();
  const Token& argument = take();
  if (op == Op::has_section) {
    return section_form(token, argument);
  }
  const bool named = argument.kind == TokenKind::name && peek().kind != TokenKind::open_bracket;
  if (!named) {
    fail(argument, fmt::format("{0} takes a field's name: {0}(model.num_layers)", token.text));
  }
  const std::int32_t slot = names_.slot(argument.text).number();
  const std::int32_t field =
      push({.op = Op::name, .slot = slot, .begin = argument.begin, .end = argument.end}, {});
  const std::uint32_t end =
      expect(TokenKind::close_bracket, ")", fmt::format("to close {}", token.text));
  return {
      push({.op = op, .slot = slot, .begin = token.begin, .end = end}, {field}), token.begin, end};
}

Parser::Part Parser::section_form(const Token& token, const Token& argument) {
  if (argument.kind != TokenKind::literal || argument.value.text() == nullptr) {
    fail(argument, "section takes a section's name in quotes: section(\"comm_overlap\")");
  }
  const Part name = literal(argument.value, argument);
  const std::uint32_t end = expect(TokenKind::close_bracket, ")", "to close section");
  return {push({.op = Op::has_section,
                .constant = nodes_.back().constant,
                .begin = token.begin,
                .end = end},
               {name.node}),
          token.begin,
          end};
}

}  // namespace epwise::expr
