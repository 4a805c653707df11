#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "expr/expression.h"
#include "expr/functions.h"
#include "expr/lexer.h"
#include "expr/precedence.h"
#include "text/spelling.h"

namespace epwise::expr {

namespace {

constexpr std::size_t kMaxLength = 16384;
constexpr int kMaxDepth = 200;

// Thrown at the first grammatical mistake and caught in `parse`: what follows it would only be
// guesses.
struct Mistake {
  Problem problem;
};

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

constexpr std::array<Foreign, 7> kForeign = {{{"and", "&&"},
                                              {"or", "||"},
                                              {"not", "!"},
                                              {"True", "true"},
                                              {"False", "false"},
                                              {"None", "null"},
                                              {"is", "=="}}};

template <std::size_t N>
std::optional<Op> find_word(const std::array<Word, N>& words, std::string_view text) {
  for (const Word& word : words) {
    if (word.text == text) {
      return word.op;
    }
  }
  return std::nullopt;
}

class Parser {
 public:
  Parser(std::vector<Token> tokens, Names& names) : tokens_(std::move(tokens)), names_(names) {}

  Expression run() {
    expression();
    if (peek().kind != TokenKind::end) {
      fail(peek(), fmt::format("`{}` is one too many; the expression has already ended", peek().text));
    }
    return std::move(result_);
  }

 private:
  // A finished part of the tree; the range includes brackets around it, which the node's own range
  // leaves out.
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

  [[noreturn]] static void fail_range(std::size_t begin, std::size_t end, std::string sentence) {
    throw Mistake{{begin, end, std::move(sentence)}};
  }

  [[noreturn]] static void fail(const Token& token, std::string sentence) {
    fail_range(token.begin, token.end, std::move(sentence));
  }

  [[noreturn]] static void too_deep(std::size_t begin, std::size_t end) {
    fail_range(begin, end, fmt::format("the expression is nested more than {} deep", kMaxDepth));
  }

  std::uint32_t expect(TokenKind kind, std::string_view sign, std::string_view reason) {
    if (peek().kind != kind) {
      fail(peek(), fmt::format("`{}` is missing {}", sign, reason));
    }
    return take().end;
  }

  std::int32_t push(Node node, const std::vector<std::int32_t>& children) {
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

  Part join(Op op, std::uint32_t begin, std::uint32_t end, const std::vector<std::int32_t>& children) {
    return {push({.op = op, .begin = begin, .end = end}, children), begin, end};
  }

  Part literal(Value value, const Token& token) {
    const auto index = static_cast<std::int32_t>(result_.constants.size());
    result_.constants.push_back(std::move(value));
    result_.dimensions.push_back(token.dimension);
    const Node node{.op = Op::literal, .constant = index, .begin = token.begin, .end = token.end};
    return {push(node, {}), token.begin, token.end};
  }

  Part expression() {
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

  // Precedence climbing; comparisons don't chain, so behind one only looser signs go on.
  Part operation(int lowest) {
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

  Part unary() {
    const bool minus = peek().kind == TokenKind::sign && peek().op == Op::subtract;
    if (!minus && peek().kind != TokenKind::logical_not) {
      return postfix();
    }
    const Nesting nesting(*this);
    const std::uint32_t begin = take().begin;
    const Part operand = unary();
    return join(minus ? Op::negate : Op::logical_not, begin, operand.end, {operand.node});
  }

  Part postfix() {
    Part part = primary();
    while (peek().kind == TokenKind::dot) {
      take();
      const Token& word = take();
      if (word.kind != TokenKind::name || !find_word(kMacros, word.text)) {
        fail(word, fmt::format("`{}` cannot stand behind a dot here; exists, all and filter can", word.text));
      }
      part = macro(part, word.text);
    }
    return part;
  }

  Part primary() {
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

  std::vector<Part> items(TokenKind close, std::string_view sign) {
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

  static std::vector<std::int32_t> nodes_of(const std::vector<Part>& parts) {
    std::vector<std::int32_t> nodes;
    for (const Part& part : parts) {
      nodes.push_back(part.node);
    }
    return nodes;
  }

  Part list() {
    const std::uint32_t begin = take().begin;
    const std::vector<Part> parts = items(TokenKind::close_list, "]");
    return join(Op::list, begin, take().end, nodes_of(parts));
  }

  Part word() {
    const Token& token = take();
    if (token.text == "true" || token.text == "false") {
      return literal(Value::of(token.text == "true"), token);
    }
    if (token.text == "null") {
      return literal(Value::unset(), token);
    }
    if (peek().kind == TokenKind::open_bracket) {
      return call(token);
    }
    refuse_foreign(token);
    return name(token.text, token.begin, token.end);
  }

  Part name(std::string_view text, std::uint32_t begin, std::uint32_t end) {
    const std::string_view first = text.substr(0, text.find('.'));
    const auto local = std::find(locals_.begin(), locals_.end(), first);
    if (local == locals_.end()) {
      return {push({.op = Op::name, .slot = names_.slot(text), .begin = begin, .end = end}, {}), begin, end};
    }
    if (first.size() != text.size()) {
      fail_range(begin, end, fmt::format("`{}` is an item of a list and has no fields", first));
    }
    const auto slot = static_cast<std::int32_t>(local - locals_.begin());
    return {push({.op = Op::local, .slot = slot, .begin = begin, .end = end}, {}), begin, end};
  }

  // A word with a bracket behind it: a macro of a name, a special form, or a function.
  Part call(const Token& token) {
    const std::size_t dot = token.text.rfind('.');
    if (dot != std::string_view::npos) {
      const std::string_view last = token.text.substr(dot + 1);
      if (!find_word(kMacros, last)) {
        fail(token, fmt::format("`{}` is no function; behind a dot only exists, all and filter can be called", token.text));
      }
      const auto end = token.begin + static_cast<std::uint32_t>(dot);
      return macro(name(token.text.substr(0, dot), token.begin, end), last);
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
    return {push({.op = Op::call, .slot = index, .begin = token.begin, .end = end}, nodes_of(parts)), token.begin, end};
  }

  static void refuse_foreign(const Token& token) {
    for (const Foreign& foreign : kForeign) {
      if (foreign.word == token.text) {
        fail(token, fmt::format("write {} for `{}`", foreign.ours, token.text));
      }
    }
  }

  static std::string unknown_function(std::string_view name) {
    if (find_word(kMacros, name)) {
      return fmt::format("`{0}` stands behind a list: list.{0}(x, …)", name);
    }
    std::vector<std::string_view> candidates;
    for (const Function& function : functions()) {
      candidates.push_back(function.name);
    }
    for (const Word& form : kForms) {
      candidates.push_back(form.text);
    }
    return fmt::format("there is no function `{}`{}", name, text::did_you_mean(name, candidates));
  }

  static void check_count(const Function& function, std::size_t count, const Token& token, std::uint32_t end) {
    const auto low = static_cast<std::size_t>(function.min_arguments);
    const auto high = static_cast<std::size_t>(function.max_arguments);
    if (count < low || count > high) {
      fail_range(token.begin,
                 end,
                 fmt::format("{0} takes {0}({1}), not {2} argument{3}", function.name, function.arguments, count, count == 1 ? "" : "s"));
    }
  }

  Part macro(const Part& target, std::string_view word) {
    constexpr std::size_t kMaxNested = 8;
    take();
    const Token& variable = take();
    if (variable.kind != TokenKind::name || variable.text.find('.') != std::string_view::npos) {
      fail(variable, fmt::format("{0} takes a variable and a condition: list.{0}(x, x > 1)", word));
    }
    if (std::find(locals_.begin(), locals_.end(), variable.text) != locals_.end()) {
      fail(variable, fmt::format("`{}` is already the variable of an enclosing macro", variable.text));
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

  Part special_form(Op op, const Token& token) {
    take();
    const Token& argument = take();
    const bool wants_text = op == Op::has_section;
    const bool fits = wants_text ? argument.kind == TokenKind::literal && argument.value.text() != nullptr
                                 : argument.kind == TokenKind::name && peek().kind != TokenKind::open_bracket;
    if (!fits) {
      fail(argument, fmt::format("{0} takes {1}", token.text, wants_text ? "a section's name in quotes" : "a field's name"));
    }
    Node node{.op = op, .begin = token.begin};
    if (wants_text) {
      node.constant = static_cast<std::int32_t>(result_.constants.size());
      result_.constants.push_back(argument.value);
      result_.dimensions.push_back(units::Dimension::none);
    } else {
      node.slot = names_.slot(argument.text);
    }
    node.end = expect(TokenKind::close_bracket, ")", fmt::format("to close {}", token.text));
    return {push(node, {}), token.begin, node.end};
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Names& names_;
  Expression result_;
  std::vector<int> heights_;               // of each node's subtree
  std::vector<std::string_view> locals_;   // variables of the macros around the current place
};

}  // namespace

Parsed parse(std::string_view text, Names& names) {
  Parsed parsed;
  if (text.size() > kMaxLength) {
    parsed.problems.push_back({kMaxLength, text.size(), fmt::format("the expression is longer than {} bytes", kMaxLength)});
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
