#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/expression.h"
#include "expr/functions.h"
#include "expr/lexer.h"

namespace epwise::expr {

/// Thrown at the first grammatical mistake and caught in `parse`: what follows it would only be
/// guesses.
struct Mistake {
  Problem problem;
};

/// Tokens → tree, by precedence climbing. parser.cc holds the operators, parser_words.cc names,
/// calls, macros and special forms.
class Parser {
 public:
  Parser(std::vector<Token> tokens, Names& names) : tokens_(std::move(tokens)), names_(names) {}

  Expression run();

 private:
  static constexpr int kMaxDepth = 200;

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
  // Precedence climbing; comparisons don't chain, so behind one only looser signs go on.
  Part operation(int lowest);
  Part unary();
  Part postfix();
  Part primary();
  std::vector<Part> items(TokenKind close, std::string_view sign);
  static std::vector<std::int32_t> nodes_of(const std::vector<Part>& parts);
  Part list();
  Part word();
  Part name(const Token& token);
  // A word with a bracket behind it: a macro of a name, a special form, or a function.
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
  Expression result_;
  std::vector<int> heights_;              // of each node's subtree
  std::vector<std::string_view> locals_;  // variables of the macros around the current place
};

}  // namespace epwise::expr
