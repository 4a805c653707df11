#include "recipe/shell/parser.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "recipe/shell/syntax.h"
#include "recipe/shell/words.h"

namespace epwise::shell {

/// A position in a script that advances over words, blanks and line ends.
class Cursor {
 public:
  explicit Cursor(const Source& source) : source_(source), text_(source.text()), words_(source) {}

  bool at_end() const { return at_ >= text_.size(); }

  std::size_t at() const { return at_; }

  void go(std::size_t place) { at_ = place < text_.size() ? place : text_.size(); }

  std::string_view text() const { return text_; }

  std::string_view rest() const { return text_.substr(at_); }

  bool sees(std::string_view what) const { return rest().starts_with(what); }

  /// The current character; a line end at the end of the text.
  char current() const { return at_end() ? '\n' : text_[at_]; }

  text::Mark mark(std::size_t begin, std::size_t end) const { return source_.mark(begin, end); }

  /// Blanks, line continuations and a comment.
  void skip_blanks();

  /// The same, and line ends.
  void skip_line_ends();

  /// The same, and semicolons.
  void skip_lines();

  /// The word here as written; does not advance.
  std::string_view peek() const;

  /// Skips a plain word, if it is next after blanks.
  bool take(std::string_view word);

  /// Skips a character, if it is next after blanks.
  void take_character(char c);

  void skip_word();

  /// Reads a word; empty, without advancing, if there is none.
  Word word() { return words_.word(at_); }

  /// The text up to a position, as between double quotes.
  Word quoted(std::size_t end);

  std::size_t closing(char open, char close) const { return words_.closing(at_, open, close); }

  /// The text from `begin` to here, as one literal.
  Word literal(std::size_t begin) const;

  /// The here-document after the next line end: [begin, end).
  struct Document {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// Finds it and skips it later. Empty if there is no further line.
  Document take_document(std::string_view delimiter, bool tabs);

  const Source& source() const { return source_; }

  /// What starts at `begin` has no end. The innermost one counts, which is the first to be noted.
  void note_unclosed(std::size_t begin, std::string_view closing);

  /// A quote takes everything that follows with it.
  Unclosed unclosed() const {
    const std::size_t quote = words_.unclosed_quote();
    return quote == std::string_view::npos
               ? unclosed_
               : Unclosed{mark(quote, quote + 1), "this quote is not closed"};
  }

 private:
  void take_line_end();
  std::size_t end_of_document(std::size_t begin, std::string_view delimiter, bool tabs) const;

  const Source& source_;
  std::string_view text_;
  WordParser words_;
  std::size_t at_ = 0;
  std::map<std::size_t, std::size_t> jumps_;  // line ends followed by here-documents
  Unclosed unclosed_;
};

/// Assignments, words and redirections up to the next operator. Stops after the first word if `()`
/// follows.
Command read_simple(Cursor& cursor);

/// Words up to the next operator.
void read_words(Cursor& cursor, Command& command);

/// Whether `()` follows.
bool sees_parentheses(const Cursor& cursor);

/// Redirections after a compound command; a redirected input becomes its input.
Command redirected(Cursor& cursor, Command command);

namespace {

using Kind = Command::Kind;

constexpr int kMaxCommandDepth = 60;
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

  Command run(Unclosed* unclosed) {
    Command all = list();
    if (unclosed != nullptr && !is_cut_) {
      *unclosed = cursor_.unclosed();
    }
    while (!cursor_.at_end()) {  // a `fi` or `)` without an opening
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
    if (++depth_ > kMaxCommandDepth) {
      cut();
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
    if (++depth_ > kMaxCommandDepth) {
      cut();
    } else {
      result = compound();
    }
    --depth_;
    result.mark = cursor_.mark(begin, cursor_.at());
    return result;
  }

  /// The rest of the text is not read.
  void cut() {
    is_cut_ = true;
    cursor_.go(cursor_.text().size());
  }

  /// The word or character that ends what starts at `begin`.
  void close(std::size_t begin, std::string_view closing) {
    cursor_.skip_line_ends();
    const bool closed = closing == ")" ? cursor_.sees(closing) : cursor_.peek() == closing;
    if (closed) {
      cursor_.go(cursor_.at() + closing.size());
    } else if (cursor_.at_end()) {
      cursor_.note_unclosed(begin, closing);
    }
  }

  Command compound() {
    const std::size_t begin = cursor_.at();
    if (cursor_.sees("((")) {
      return arithmetic();
    }
    if (cursor_.sees("(")) {
      return redirected(cursor_, subshell(begin));
    }
    if (cursor_.take("if")) {
      return redirected(cursor_, branch(begin));
    }
    if (cursor_.peek() == "while" || cursor_.peek() == "until") {
      return redirected(cursor_, loop(begin));
    }
    if (cursor_.take("for") || cursor_.take("select")) {
      return redirected(cursor_, each(begin));
    }
    if (cursor_.take("case")) {
      return redirected(cursor_, choice(begin));
    }
    if (cursor_.take("function")) {
      cursor_.skip_blanks();
      std::string name(cursor_.peek());
      cursor_.skip_word();
      return function(std::move(name));
    }
    if (cursor_.take("{")) {
      Command all = list();
      close(begin, "}");
      return redirected(cursor_, std::move(all));
    }
    if (cursor_.take("[[")) {
      return redirected(cursor_, test());
    }
    Command result = read_simple(cursor_);
    const bool defines = result.words.size() == 1 && sees_parentheses(cursor_);
    return defines ? function(result.words.front().plain()) : result;
  }

  Command subshell(std::size_t begin) {
    cursor_.go(begin + 1);
    Command all = list();
    all.kind = Kind::subshell;
    close(begin, ")");
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

  Command branch(std::size_t begin) {
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
    close(begin, "fi");
    return result;
  }

  Command loop(std::size_t begin) {
    Command result;
    result.kind = Kind::loop;
    result.negated = cursor_.peek() == "until";
    cursor_.skip_word();
    result.children.push_back(list());
    cursor_.take("do");
    result.children.push_back(list());
    close(begin, "done");
    return result;
  }

  Command each(std::size_t begin) {
    Command result;
    result.kind = Kind::each;
    cursor_.skip_blanks();
    if (cursor_.sees("((")) {
      result.words = arithmetic().words;
      result.kind = Kind::counted;
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
    if (cursor_.take("do")) {
      result.children.push_back(list());
      close(begin, "done");
    } else {  // `for …; { … }`
      result.children.push_back(list());
      cursor_.take("done");
    }
    return result;
  }

  Command choice(std::size_t begin) {
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
    close(begin, "esac");
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

  /// The body after a name.
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
  bool is_cut_ = false;
};

}  // namespace

Command parse(const Source& source, Unclosed* unclosed) {
  return Parser(source).run(unclosed);
}

void Cursor::skip_blanks() {
  while (!at_end()) {
    if (sees("\\\n")) {
      at_ += 2;
    } else if (sees("\\\r\n")) {
      at_ += 3;
    } else if (current() == ' ' || current() == '\t' || current() == '\r') {
      ++at_;
    } else if (current() == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      break;
    }
  }
}

void Cursor::take_line_end() {
  const auto jump = jumps_.find(at_);
  at_ = jump == jumps_.end() ? at_ + 1 : jump->second;
}

void Cursor::skip_line_ends() {
  skip_blanks();
  while (!at_end() && current() == '\n') {
    take_line_end();
    skip_blanks();
  }
}

void Cursor::skip_lines() {
  skip_line_ends();
  while (!at_end() && current() == ';') {
    ++at_;
    skip_line_ends();
  }
}

std::string_view Cursor::peek() const {
  std::size_t end = at_;
  while (end < text_.size() && !is_meta(text_[end])) {
    ++end;
  }
  return text_.substr(at_, end - at_);
}

bool Cursor::take(std::string_view word) {
  skip_blanks();
  if (peek() != word) {
    return false;
  }
  at_ += word.size();
  return true;
}

void Cursor::take_character(char c) {
  skip_blanks();
  if (!at_end() && current() == c) {
    ++at_;
  }
}

void Cursor::skip_word() {
  go(at_ + std::max<std::size_t>(1, peek().size()));
}

void Cursor::note_unclosed(std::size_t begin, std::string_view closing) {
  if (unclosed_.mark.nowhere()) {
    const std::string_view rest = text_.substr(begin);
    const auto end = std::find_if(rest.begin(), rest.end(), is_meta);
    const std::string_view opening =
        rest.substr(0, std::max<std::size_t>(static_cast<std::size_t>(end - rest.begin()), 1));
    unclosed_ = {mark(begin, begin + opening.size()),
                 "this `" + std::string(opening) + "` has no `" + std::string(closing) + "`"};
  }
}

Word Cursor::quoted(std::size_t end) {
  Word result = words_.run(at_, std::min(end, text_.size()), true);
  return result;
}

Word Cursor::literal(std::size_t begin) const {
  return literal_word(std::string(text_.substr(begin, at_ - begin)), source_.mark(begin, at_));
}

Cursor::Document Cursor::take_document(std::string_view delimiter, bool tabs) {
  const std::size_t line_end = text_.find('\n', at_);
  if (delimiter.empty() || line_end == std::string_view::npos) {
    return {};
  }
  const auto earlier = jumps_.find(line_end);
  const std::size_t begin = earlier == jumps_.end() ? line_end + 1 : earlier->second;
  const std::size_t end = end_of_document(begin, delimiter, tabs);
  const std::size_t last = text_.find('\n', end);
  jumps_[line_end] = last == std::string_view::npos ? text_.size() : last + 1;
  return {begin, end};
}

std::size_t Cursor::end_of_document(std::size_t begin,
                                    std::string_view delimiter,
                                    bool tabs) const {
  for (std::size_t at = begin; at < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    std::string_view line = text_.substr(at, end - at);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (tabs) {
      line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
    }
    if (line == delimiter) {
      return at;
    }
    at = end + 1;
  }
  return text_.size();
}

namespace {

bool is_declaration(std::string_view word) {
  constexpr std::array<std::string_view, 5> kWords = {
      "export", "declare", "local", "readonly", "typeset"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

/// A word that starts with what elsewhere ends one.
bool sees_substitution(const Cursor& cursor) {
  return cursor.sees("<(") || cursor.sees(">(") ||
         placeholder_length(cursor.text(), cursor.at()) > 0;
}

/// 2>, <, &>, <<
bool sees_redirection(const Cursor& cursor) {
  std::string_view rest = cursor.rest();
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  rest.remove_prefix(digits);
  const bool into = rest.starts_with("<") || rest.starts_with(">") || rest.starts_with("&>");
  return into && !(digits == 0 && sees_substitution(cursor));
}

void read_here_document(Cursor& cursor, Command& command) {
  const bool tabs = cursor.current() == '-';
  cursor.go(cursor.at() + (tabs ? 1 : 0));
  cursor.skip_blanks();
  std::string delimiter;
  bool quoted = false;
  for (const Part& part : cursor.word().parts) {
    delimiter += part.text;
    quoted = quoted || part.quoted;
  }
  const Cursor::Document document = cursor.take_document(delimiter, tabs);
  if (document.begin == 0) {
    return;
  }
  const std::size_t here = cursor.at();
  cursor.go(document.begin);
  Word body;
  if (quoted) {
    cursor.go(document.end);
    body = cursor.literal(document.begin);
    body.parts.front().verbatim = cursor.source().piece(document.begin).verbatim;
    body.parts.front().quoted = true;
  } else {
    body = cursor.quoted(document.end);
  }
  cursor.go(here);
  command.source.clear();
  command.input.clear();
  command.input.push_back(std::move(body));
}

void read_redirection(Cursor& cursor, Command& command) {
  const bool error = cursor.sees("2");
  cursor.go(cursor.text().find_first_of("<>&", cursor.at()));
  if (cursor.sees("<<<")) {
    cursor.go(cursor.at() + 3);
    cursor.skip_blanks();
    command.source.clear();
    command.input.assign(1, cursor.word());
    return;
  }
  if (cursor.sees("<<")) {
    cursor.go(cursor.at() + 2);
    read_here_document(cursor, command);
    return;
  }
  const bool writes = cursor.sees(">") && !cursor.sees(">&");
  const bool reads = cursor.sees("<") && !cursor.sees("<&") && !cursor.sees("<>");
  cursor.go(cursor.text().find_first_not_of("<>&|", cursor.at()));
  cursor.skip_blanks();
  const Word file = cursor.word();
  if (reads) {
    command.input.clear();
    command.source.assign(1, file);
  }
  if (writes && !error) {
    command.output.assign(1, file);
  }
}

/// The elements of a list, and its closing parenthesis.
void read_elements(Cursor& cursor, std::vector<Word>& values) {
  const std::size_t open = cursor.at() - 1;
  for (cursor.skip_line_ends(); !cursor.at_end() && cursor.current() != ')';
       cursor.skip_line_ends()) {
    const std::size_t before = cursor.at();
    values.push_back(cursor.word());
    if (cursor.at() == before) {
      values.pop_back();
      cursor.go(before + 1);
    }
  }
  if (cursor.at_end()) {
    cursor.note_unclosed(open, ")");
  }
  cursor.go(cursor.at() + 1);
}

/// NAME=…, NAME+=…, NAME[…]=…; does not advance if there is none.
bool read_assignment(Cursor& cursor, std::vector<Assignment>& assignments) {
  const std::size_t begin = cursor.at();
  const std::string_view text = cursor.text();
  const std::size_t length = name_length(text, begin);
  if (length == 0) {
    return false;
  }
  Assignment result;
  result.name = text.substr(begin, length);
  result.key = cursor.mark(begin, begin + length);
  cursor.go(begin + length);
  if (cursor.sees("[")) {
    cursor.go(cursor.at() + 1);
    const std::size_t end = cursor.closing('[', ']');
    result.index.push_back(cursor.quoted(end));
    cursor.go(end + 1);
  }
  result.append = cursor.sees("+=");
  if (!result.append && !cursor.sees("=")) {
    cursor.go(begin);
    return false;
  }
  cursor.go(cursor.at() + (result.append ? 2 : 1));
  result.list = cursor.sees("(");
  if (result.list) {
    cursor.go(cursor.at() + 1);
    read_elements(cursor, result.values);
  } else {
    result.values.push_back(cursor.word());
  }
  result.mark = cursor.mark(begin, cursor.at());
  assignments.push_back(std::move(result));
  return true;
}

}  // namespace

bool sees_parentheses(const Cursor& cursor) {
  std::string_view rest = cursor.rest();
  if (!rest.starts_with("(")) {
    return false;
  }
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t", 1), rest.size()));
  return rest.starts_with(")");
}

void read_words(Cursor& cursor, Command& command) {
  while (!cursor.at_end()) {
    cursor.skip_blanks();
    const std::size_t before = cursor.at();
    Word word = cursor.word();
    if (cursor.at() == before) {
      break;
    }
    command.words.push_back(std::move(word));
  }
}

Command redirected(Cursor& cursor, Command command) {
  for (cursor.skip_blanks(); !cursor.at_end() && sees_redirection(cursor); cursor.skip_blanks()) {
    read_redirection(cursor, command);
  }
  return command;
}

Command read_simple(Cursor& cursor) {
  Command result;
  for (cursor.skip_blanks(); !cursor.at_end(); cursor.skip_blanks()) {
    if (sees_redirection(cursor)) {
      read_redirection(cursor, result);
      continue;
    }
    if (is_meta(cursor.current()) && !sees_substitution(cursor)) {
      break;
    }
    const bool assigns = result.words.empty() || is_declaration(result.words.front().plain());
    if (assigns && read_assignment(cursor, result.assignments)) {
      continue;
    }
    const std::size_t before = cursor.at();
    Word word = cursor.word();
    if (cursor.at() == before) {
      break;
    }
    result.words.push_back(std::move(word));
    if (result.words.size() == 1 && sees_parentheses(cursor)) {
      break;
    }
  }
  return result;
}

}  // namespace epwise::shell
