#include "shell/parser.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "shell/cursor.h"
#include "shell/simple_command.h"

namespace epwise::shell {
namespace {

using Kind = Command::Kind;

constexpr int kMaxDepth = 60;
constexpr int kMaxChain = 24;

bool is_closing(std::string_view word) {
  constexpr std::array<std::string_view, 8> kWords = {
      "then", "do", "done", "fi", "elif", "else", "esac", "}"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

/// "$@", over which a `for` without `in` goes.
Word positional() {
  Part all;
  all.kind = Part::Kind::parameter;
  all.quoted = true;
  all.text = "@";
  Word word;
  word.parts.push_back(std::move(all));
  return word;
}

class Parser {
 public:
  explicit Parser(const Source& source) : cursor_(source) {}

  Command run() {
    Command all = list();
    while (!cursor_.at_end()) {  // a `fi` or `)` that nothing opened
      cursor_.skip_word();
      Command more = list();
      std::move(more.children.begin(), more.children.end(), std::back_inserter(all.children));
    }
    return all;
  }

 private:
  // ---- lists

  bool at_end_of_list() const {
    return cursor_.at_end() || cursor_.current() == ')' || cursor_.sees(";;") ||
           is_closing(cursor_.peek());
  }

  Command list() {
    Command all;
    all.kind = Kind::sequence;
    if (++depth_ > kMaxDepth) {
      cursor_.go(cursor_.text().size());
    }
    skip_separators();
    while (!at_end_of_list()) {
      const std::size_t before = cursor_.at();
      all.children.push_back(chain());
      skip_separators();
      if (cursor_.at() == before) {
        cursor_.go(before + 1);
      }
    }
    --depth_;
    return all;
  }

  void skip_separators() {
    cursor_.skip_line_ends();
    while (!cursor_.at_end() && !cursor_.sees(";;") &&
           (cursor_.current() == ';' || cursor_.current() == '&')) {
      cursor_.go(cursor_.at() + 1);
      cursor_.skip_line_ends();
    }
  }

  /// a && b || c
  Command chain() {
    Command left = pipeline();
    cursor_.skip_blanks();
    for (int links = 0; cursor_.sees("&&") || cursor_.sees("||"); ++links) {
      Command both;
      both.kind = cursor_.sees("&&") ? Kind::both : Kind::either;
      both.mark = left.mark;
      cursor_.go(cursor_.at() + 2);
      cursor_.skip_line_ends();
      both.children.push_back(std::move(left));
      both.children.push_back(pipeline());
      left = std::move(links < kMaxChain ? both : both.children.front());
      cursor_.skip_blanks();
    }
    return left;
  }

  bool sees_pipe() const { return cursor_.sees("|") && !cursor_.sees("||"); }

  Command pipeline() {
    const bool negated = cursor_.take("!");
    Command first = command();
    cursor_.skip_blanks();
    if (sees_pipe()) {
      Command all;
      all.kind = Kind::pipeline;
      all.mark = first.mark;
      all.children.push_back(std::move(first));
      while (sees_pipe()) {
        cursor_.go(cursor_.at() + (cursor_.sees("|&") ? 2 : 1));
        cursor_.skip_line_ends();
        all.children.push_back(command());
        cursor_.skip_blanks();
      }
      first = std::move(all);
    }
    first.negated = first.negated != negated;
    return first;
  }

  // ---- commands

  Command command() {
    cursor_.skip_blanks();
    const std::size_t begin = cursor_.at();
    Command result;
    if (++depth_ > kMaxDepth) {
      cursor_.go(cursor_.text().size());
    } else {
      result = compound();
    }
    --depth_;
    result.mark = cursor_.mark(begin, cursor_.at());
    return result;
  }

  Command compound() {
    if (cursor_.sees("((")) {
      return arithmetic();
    }
    if (cursor_.sees("(")) {
      return redirected(cursor_, subshell());
    }
    if (cursor_.take("if")) {
      return redirected(cursor_, branch());
    }
    if (cursor_.peek() == "while" || cursor_.peek() == "until") {
      return redirected(cursor_, loop());
    }
    if (cursor_.take("for") || cursor_.take("select")) {
      return redirected(cursor_, each());
    }
    if (cursor_.take("case")) {
      return redirected(cursor_, choice());
    }
    if (cursor_.take("function")) {
      cursor_.skip_blanks();
      std::string name(cursor_.peek());
      cursor_.skip_word();
      return function(std::move(name));
    }
    if (cursor_.take("{")) {
      Command all = list();
      cursor_.take("}");
      return redirected(cursor_, std::move(all));
    }
    if (cursor_.take("[[")) {
      return redirected(cursor_, test());
    }
    Command result = read_simple(cursor_);
    const bool defines = result.words.size() == 1 && sees_parentheses(cursor_);
    return defines ? function(result.words.front().plain()) : result;
  }

  Command subshell() {
    cursor_.go(cursor_.at() + 1);
    Command all = list();
    all.kind = Kind::subshell;
    cursor_.take_character(')');
    return all;
  }

  Command arithmetic() {
    Command result;
    result.kind = Kind::arithmetic;
    cursor_.go(cursor_.at() + 2);
    const std::size_t end = cursor_.closing('(', ')');
    result.words.push_back(cursor_.quoted(end));
    cursor_.go(end + 2);
    return result;
  }

  Command branch() {
    Command result;
    result.kind = Kind::branch;
    do {
      result.children.push_back(list());
      cursor_.take("then");
      result.children.push_back(list());
    } while (cursor_.take("elif"));
    if (cursor_.take("else")) {
      result.children.push_back(list());
    }
    cursor_.take("fi");
    return result;
  }

  Command loop() {
    Command result;
    result.kind = Kind::loop;
    result.negated = cursor_.peek() == "until";
    cursor_.skip_word();
    result.children.push_back(list());
    cursor_.take("do");
    result.children.push_back(list());
    cursor_.take("done");
    return result;
  }

  Command each() {
    Command result;
    result.kind = Kind::each;
    cursor_.skip_blanks();
    if (cursor_.sees("((")) {  // nobody counts its rounds
      Word rounds = std::move(arithmetic().words.front());
      Part part;
      part.kind = Part::Kind::command;
      part.mark = rounds.mark;
      rounds.parts.assign(1, std::move(part));
      result.words.push_back(std::move(rounds));
    } else {
      result.name = cursor_.peek();
      cursor_.skip_word();
      cursor_.skip_line_ends();
      if (cursor_.take("in")) {
        read_words(cursor_, result);
      } else {
        result.words.push_back(positional());
      }
    }
    cursor_.skip_lines();
    cursor_.take("do");
    result.children.push_back(list());
    cursor_.take("done");
    return result;
  }

  Command choice() {
    Command result;
    result.kind = Kind::choice;
    cursor_.skip_blanks();
    result.words.push_back(cursor_.word());
    cursor_.skip_line_ends();
    cursor_.take("in");
    cursor_.skip_line_ends();
    while (!cursor_.at_end() && cursor_.peek() != "esac") {
      const std::size_t before = cursor_.at();
      result.clauses.push_back(clause());
      if (cursor_.at() == before) {
        cursor_.go(before + 1);
      }
    }
    cursor_.take("esac");
    return result;
  }

  Clause clause() {
    Clause result;
    cursor_.take_character('(');
    cursor_.skip_blanks();
    while (!cursor_.at_end() && cursor_.current() != ')' && cursor_.current() != '\n') {
      const std::size_t before = cursor_.at();
      result.patterns.push_back(cursor_.word());
      cursor_.take_character('|');
      cursor_.skip_blanks();
      if (cursor_.at() == before) {
        cursor_.go(before + 1);
      }
    }
    cursor_.take_character(')');
    result.body = list().children;
    cursor_.skip_blanks();
    for (const std::string_view end : {";;&", ";;", ";&"}) {
      if (cursor_.sees(end)) {
        cursor_.go(cursor_.at() + end.size());
        break;
      }
    }
    cursor_.skip_line_ends();
    return result;
  }

  /// The body behind a name.
  Command function(std::string name) {
    Command result;
    result.kind = Kind::function;
    result.name = std::move(name);
    cursor_.skip_blanks();
    if (cursor_.sees("(")) {
      cursor_.go(cursor_.at() + 1);
      cursor_.take_character(')');
    }
    cursor_.skip_line_ends();
    result.children.push_back(command());
    return result;
  }

  /// The words up to `]]`; operators are words too.
  Command test() {
    Command result;
    result.kind = Kind::test;
    for (cursor_.skip_line_ends(); !cursor_.at_end(); cursor_.skip_line_ends()) {
      if (cursor_.take("]]")) {
        break;
      }
      const std::size_t begin = cursor_.at();
      if (cursor_.sees("&&") || cursor_.sees("||")) {
        cursor_.go(begin + 2);
      } else if (std::string_view("()<>").find(cursor_.current()) != std::string_view::npos) {
        cursor_.go(begin + 1);
      }
      Word word = cursor_.at() > begin ? cursor_.literal(begin) : cursor_.word();
      if (cursor_.at() == begin) {
        break;
      }
      const bool matches = word.plain() == "=~";
      result.words.push_back(std::move(word));
      if (matches) {
        result.words.push_back(regular_expression());
      }
    }
    return result;
  }

  /// Parentheses and bars belong to it.
  Word regular_expression() {
    cursor_.skip_blanks();
    if (cursor_.current() == '"' || cursor_.current() == '\'') {
      return cursor_.word();
    }
    const std::size_t begin = cursor_.at();
    cursor_.go(cursor_.text().find_first_of(" \t\n", begin));
    return cursor_.literal(begin);
  }

  Cursor cursor_;
  int depth_ = 0;
};

}  // namespace

Command parse(const Source& source) {
  return Parser(source).run();
}

}  // namespace epwise::shell
