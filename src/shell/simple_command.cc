#include "shell/simple_command.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace epwise::shell {
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
  command.input.clear();
  command.input.push_back(std::move(body));
}

void read_redirection(Cursor& cursor, Command& command) {
  const bool error = cursor.sees("2");
  cursor.go(cursor.text().find_first_of("<>&", cursor.at()));
  if (cursor.sees("<<<")) {
    cursor.go(cursor.at() + 3);
    cursor.skip_blanks();
    command.input.assign(1, cursor.word());
    return;
  }
  if (cursor.sees("<<")) {
    cursor.go(cursor.at() + 2);
    read_here_document(cursor, command);
    return;
  }
  const bool writes = cursor.sees(">") && !cursor.sees(">&");
  cursor.go(cursor.text().find_first_not_of("<>&|", cursor.at()));
  cursor.skip_blanks();
  Word file = cursor.word();
  if (writes && !error) {
    command.output.assign(1, std::move(file));
  }
}

/// The elements of a list, and its closing parenthesis.
void read_elements(Cursor& cursor, std::vector<Word>& values) {
  for (cursor.skip_line_ends(); !cursor.at_end() && cursor.current() != ')';
       cursor.skip_line_ends()) {
    const std::size_t before = cursor.at();
    values.push_back(cursor.word());
    if (cursor.at() == before) {
      values.pop_back();
      cursor.go(before + 1);
    }
  }
  cursor.go(cursor.at() + 1);
}

/// NAME=…, NAME+=…, NAME[…]=…; the cursor stays where there is none.
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
    result.indexed = true;
    cursor.go(cursor.at() + 1);
    cursor.go(cursor.closing('[', ']') + 1);
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
