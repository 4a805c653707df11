#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "expr/functions.h"
#include "expr/parser.h"
#include "text/count.h"
#include "text/spelling.h"

namespace epwise::expr {

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
           fmt::format("`{}` cannot stand behind a dot here; exists, all and filter can",
                       word.text));
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
    const Node node{.op = Op::name, .slot = names_.slot(token.text), .begin = begin, .end = end};
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
      fail(
          token,
          fmt::format("`{}` is no function; behind a dot only exists, all and filter can be called",
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
  const std::int32_t slot = names_.slot(argument.text);
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
                .constant = result_.nodes.back().constant,
                .begin = token.begin,
                .end = end},
               {name.node}),
          token.begin,
          end};
}

}  // namespace epwise::expr
