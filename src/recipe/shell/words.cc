#include "recipe/shell/words.h"

#include <algorithm>
#include <utility>

#include "base/text/ascii.h"

namespace epwise::shell {

namespace {

constexpr int kMaxWordDepth = 40;

/// $1, $@, $#, $?, …
bool is_special(char c) {
  return text::is_digit(c) || std::string_view("@*#?$!-").find(c) != std::string_view::npos;
}

/// The operation after a parameter's name: "", ":-", "%%", …
std::string_view operation_at(std::string_view rest) {
  for (const std::string_view each : {":-",
                                      ":=",
                                      ":+",
                                      ":?",
                                      "-",
                                      "=",
                                      "+",
                                      "?",
                                      "##",
                                      "#",
                                      "%%",
                                      "%",
                                      "//",
                                      "/",
                                      "^^",
                                      "^",
                                      ",,",
                                      ","}) {
    if (rest.starts_with(each)) {
      return each;
    }
  }
  return rest.substr(0, 1);
}

}  // namespace

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool continues_name(char c) {
  return starts_name(c) || text::is_digit(c);
}

std::size_t name_length(std::string_view text, std::size_t at) {
  if (at >= text.size() || !starts_name(text[at])) {
    return 0;
  }
  std::size_t end = at;
  while (end < text.size() && continues_name(text[end])) {
    ++end;
  }
  return end - at;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::vector<std::string> split_at(char separator, std::string_view text) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    result.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

bool is_meta(char c) {
  return std::string_view(" \t\r\n;&|<>()").find(c) != std::string_view::npos;
}

std::size_t placeholder_length(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size() || text[at] != '<' || !starts_name(text[at + 1])) {
    return 0;
  }
  std::size_t end = at + 1;
  while (end < text.size() &&
         (continues_name(text[end]) ||
          std::string_view(" -./:,").find(text[end]) != std::string_view::npos)) {
    ++end;
  }
  const bool closed = end < text.size() && text[end] == '>' && text[end - 1] != ' ';
  const bool writes = closed && end + 1 < text.size() &&
                      std::string_view(">&(").find(text[end + 1]) != std::string_view::npos;
  return closed && !writes ? end + 1 - at : 0;
}

std::size_t template_length(std::string_view text, std::size_t at) {
  constexpr std::size_t kMost = 200;
  const std::string_view rest = text.substr(at, kMost);
  if (!rest.starts_with("{{") || rest.size() < 5) {
    return 0;
  }
  const std::size_t end = rest.find("}}", 2);
  const std::string_view inside = rest.substr(2, std::min(end, rest.size()) - 2);
  const bool begins = text::is_letter(inside.front()) ||
                      std::string_view(" -.$_").find(inside.front()) != std::string_view::npos;
  // {{a,b},c} makes words
  const bool plain = inside.find_first_of("{}\n;") == std::string_view::npos &&
                     (inside.find(',') == std::string_view::npos || inside.front() == ' ');
  return end != std::string_view::npos && begins && plain ? end + 2 : 0;
}

Word WordParser::word(std::size_t& at) {
  const std::size_t begin = at;
  Word result;
  const bool substituted =
      at + 1 < text_.size() && text_[at + 1] == '(' && (text_[at] == '<' || text_[at] == '>');
  if (substituted) {
    const std::size_t end = closing(at + 2, '(', ')');
    add_command(at, 2, end, true, result);
    result.parts.back().operation = text_.substr(at, 2);
    at = std::min(end + 1, text_.size());
  }
  read(at, text_.size(), Ending::meta, false, result);
  result.mark = source_.mark(begin, at);
  return result;
}

Word WordParser::run(std::size_t& at, std::size_t end, bool quoted) {
  const std::size_t begin = at;
  Word result;
  read(at,
       std::min(end, text_.size()),
       end == std::string_view::npos ? Ending::brace : Ending::place,
       quoted,
       result);
  result.mark = source_.mark(begin, at);
  return result;
}

std::size_t WordParser::closing(std::size_t at, char open, char close) const {
  int depth = 1;
  char quote = '\0';
  for (; at < text_.size(); ++at) {
    const char c = text_[at];
    if (c == '\\' && quote != '\'') {
      ++at;
    } else if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      return at;
    }
  }
  return text_.size();
}

bool WordParser::ends(std::size_t at, std::size_t end, Ending ending) const {
  if (at >= end) {
    return true;
  }
  const char c = text_[at];
  return (ending == Ending::meta && is_meta(c) && placeholder_length(text_, at) == 0) ||
         (ending == Ending::brace && c == '}') || (ending == Ending::quote && c == '"') ||
         (ending == Ending::slash && (c == '}' || c == '/'));
}

void WordParser::read(std::size_t& at, std::size_t end, Ending ending, bool quoted, Word& word) {
  if (++depth_ > kMaxWordDepth) {
    at = end;
  }
  while (!ends(at, end, ending)) {
    const char c = text_[at];
    if (c == '\\') {
      add_escape(at, quoted, word);
    } else if (c == '~' && ending == Ending::brace && !quoted && word.parts.empty()) {
      add_tilde(at, word);  // ${DATA:-~/data}; words of a command keep theirs
    } else if (c == '\'' && !quoted) {
      add_single(at, word);
    } else if (c == '"' && ending != Ending::place) {
      add_twofold(at, word);
    } else if (c == '$') {
      add_dollar(at, quoted, word);
    } else if (c == '`') {
      add_backticks(at, quoted, word);
    } else if (ending == Ending::meta && placeholder_length(text_, at) > 0) {
      const std::size_t length = placeholder_length(text_, at);
      add_command(at, 1, at + length - 1, true, word);
      at += length;
    } else if (const std::size_t length = template_length(text_, at); length > 0) {
      add_template(at, length, quoted, word);
      at += length;
    } else {
      const std::size_t begin = at++;
      while (!ends(at, end, ending) && template_length(text_, at) == 0 &&
             std::string_view("\\'\"$`").find(text_[at]) == std::string_view::npos) {
        ++at;
      }
      add_text(begin, at, quoted, word);
    }
    at = std::min(at, end);
  }
  --depth_;
}

Part WordParser::part(Part::Kind kind, std::size_t begin, std::size_t end, bool quoted) const {
  Part result;
  result.kind = kind;
  result.quoted = quoted;
  result.mark = source_.mark(begin, end);
  result.before_srun = source_.piece(begin).before_srun;
  result.condition = source_.piece(begin).condition;
  result.needs = source_.piece(begin).needs;
  return result;
}

void WordParser::add_text(std::size_t begin, std::size_t end, bool quoted, Word& word) {
  do {
    const std::size_t stop = begin == end ? end : std::min(end, source_.piece_end(begin));
    Part added = part(Part::Kind::text, begin, stop, quoted);
    added.verbatim = source_.piece(begin).verbatim;
    added.text = text_.substr(begin, stop - begin);
    word.parts.push_back(std::move(added));
    begin = stop;
  } while (begin < end);
}

/// Between double quotes a backslash is literal, except before a few characters.
void WordParser::add_escape(std::size_t& at, bool quoted, Word& word) {
  const std::size_t begin = at;
  const char next = at + 1 < text_.size() ? text_[at + 1] : '\\';
  const bool windows = next == '\r' && text_.substr(at + 2, 1) == "\n";
  at = std::min(at + (windows ? 3 : 2), text_.size());
  if (next == '\n' || windows) {
    return;
  }
  Part added = part(Part::Kind::text, begin, at, true);
  const bool kept = quoted && std::string_view("$`\"\\").find(next) == std::string_view::npos;
  added.text = kept ? std::string{'\\', next} : std::string{next};
  word.parts.push_back(std::move(added));
}

/// `~` and `~/…` stand for $HOME, `~name` for itself.
void WordParser::add_tilde(std::size_t& at, Word& word) {
  const std::string_view next = text_.substr(at + 1, 1);
  if (next.empty() || next == "/" || next == "}") {
    Part added = part(Part::Kind::parameter, at, at + 1, false);
    added.text = "HOME";
    word.parts.push_back(std::move(added));
  } else {
    add_text(at, at + 1, false, word);
  }
  ++at;
}

void WordParser::note_unclosed(std::size_t quote) {
  unclosed_quote_ = std::min(unclosed_quote_, quote);
}

void WordParser::add_single(std::size_t& at, Word& word) {
  const std::size_t end = std::min(text_.find('\'', at + 1), text_.size());
  if (end == text_.size()) {
    note_unclosed(at);
  }
  std::size_t begin = at + 1;
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t length = template_length(text_, i);
    if (length == 0 || i + length > end) {
      continue;
    }
    if (i > begin) {
      add_text(begin, i, true, word);
    }
    add_template(i, length, true, word);
    begin = i + length;
    i = begin - 1;
  }
  if (begin < end || begin == at + 1) {
    add_text(begin, std::max(end, begin), true, word);
  }
  at = std::min(end + 1, text_.size());
}

/// What a template engine puts there before any shell reads the script is not known.
void WordParser::add_template(std::size_t at, std::size_t length, bool quoted, Word& word) {
  Part added = part(Part::Kind::text, at, at + length, quoted);
  added.text = text_.substr(at, length);
  added.needs.push_back(added.text);
  word.parts.push_back(std::move(added));
}

namespace {

/// What a backslash and the characters after it stand for in `$'…'`; `at`, which is after the
/// backslash, is advanced past them.
std::string ansi_escape(std::string_view text, std::size_t& at) {
  constexpr std::string_view kNames = "abeEfnrtv\\'\"?";
  constexpr std::string_view kSigns = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?";
  const char name = text[at++];
  if (const std::size_t place = kNames.find(name); place != std::string_view::npos) {
    return {kSigns[place]};
  }
  const bool octal = name >= '0' && name <= '7';
  if (!octal && name != 'x') {
    return {'\\', name};
  }
  int value = octal ? name - '0' : 0;
  const std::size_t most = at + 2;
  for (; at < text.size() && at < most; ++at) {
    const char digit = text::lower_letter(text[at]);
    const bool decimal = digit >= '0' && digit <= (octal ? '7' : '9');
    if (!decimal && (octal || digit < 'a' || digit > 'f')) {
      break;
    }
    value = value * (octal ? 8 : 16) + (decimal ? digit - '0' : digit - 'a' + 10);
  }
  return {static_cast<char>(value)};
}

}  // namespace

/// `$'…'`: escapes as in C. `at` is at the quote.
void WordParser::add_ansi(std::size_t& at, Word& word) {
  const std::size_t begin = at++;
  std::string text;
  while (at < text_.size() && text_[at] != '\'') {
    if (text_[at] == '\\' && at + 1 < text_.size()) {
      text += ansi_escape(text_, ++at);
    } else {
      text += text_[at++];
    }
  }
  if (at >= text_.size()) {
    note_unclosed(begin);
  }
  at = std::min(at + 1, text_.size());
  Part added = part(Part::Kind::text, begin, at, true);
  added.text = std::move(text);
  word.parts.push_back(std::move(added));
}

void WordParser::add_twofold(std::size_t& at, Word& word) {
  const std::size_t quote = at++;
  const std::size_t before = word.parts.size();
  read(at, text_.size(), Ending::quote, true, word);
  if (at >= text_.size()) {
    note_unclosed(quote);
  }
  if (word.parts.size() == before) {
    add_text(std::min(at, text_.size()), std::min(at, text_.size()), true, word);
  }
  at = std::min(at + 1, text_.size());
}

void WordParser::add_backticks(std::size_t& at, bool quoted, Word& word) {
  const std::size_t end = std::min(text_.find('`', at + 1), text_.size());
  add_command(at, 1, end, quoted, word);
  at = std::min(end + 1, text_.size());
}

void WordParser::add_command(
    std::size_t begin, std::size_t sign, std::size_t end, bool quoted, Word& word) {
  const std::size_t inside = std::min(begin + sign, text_.size());
  Part added = part(Part::Kind::command, begin, std::min(end + 1, text_.size()), quoted);
  added.text = text_.substr(inside, std::max(inside, end) - inside);
  added.verbatim = source_.piece(begin).verbatim && source_.piece_end(begin) >= end;
  word.parts.push_back(std::move(added));
}

void WordParser::add_dollar(std::size_t& at, bool quoted, Word& word) {
  const std::string_view rest = text_.substr(at);
  if (rest.starts_with("$((")) {
    const std::size_t end = closing(at + 3, '(', ')');
    Part added = part(Part::Kind::arithmetic, at, std::min(end + 2, text_.size()), quoted);
    std::size_t inside = at + 3;
    added.operand.push_back(run(inside, end, true));
    word.parts.push_back(std::move(added));
    at = std::min(end + 2, text_.size());
  } else if (rest.starts_with("$(")) {
    const std::size_t end = closing(at + 2, '(', ')');
    add_command(at, 2, end, quoted, word);
    at = std::min(end + 1, text_.size());
  } else if (rest.starts_with("${")) {
    add_braced(at, quoted, word);
  } else if (!quoted && rest.starts_with("$'")) {
    add_ansi(++at, word);
  } else if (!quoted && rest.starts_with("$\"")) {
    ++at;  // the quotes that follow are read next
  } else {
    const std::size_t name = name_length(text_, at + 1);
    const bool special = name == 0 && rest.size() > 1 && is_special(rest[1]);
    const std::size_t length = special ? 1 : name;
    if (length == 0) {
      add_text(at, at + 1, quoted, word);
    } else {
      Part added = part(Part::Kind::parameter, at, at + 1 + length, quoted);
      added.text = rest.substr(1, length);
      word.parts.push_back(std::move(added));
    }
    at += 1 + length;
  }
}

void WordParser::add_braced(std::size_t& at, bool quoted, Word& word) {
  const std::size_t begin = at;
  at += 2;
  Part added = part(Part::Kind::parameter, begin, begin, quoted);
  const std::string_view rest = text_.substr(at);
  const bool prefixed = rest.size() > 1 && (rest[0] == '#' || rest[0] == '!') && rest[1] != '}';
  if (prefixed) {
    added.operation = rest.substr(0, 1);
    ++at;
  }
  std::size_t length = name_length(text_, at);
  while (length == 0 && at < text_.size() && text::is_digit(text_[at]) && at + 1 < text_.size() &&
         text::is_digit(text_[at + 1])) {
    added.text += text_[at++];
  }
  length = length == 0 && at < text_.size() && is_special(text_[at]) ? 1 : length;
  added.text += text_.substr(std::min(at, text_.size()), length);
  at = std::min(at + length, text_.size());
  if (text_.substr(at, 1) == "[") {
    const std::size_t end = closing(at + 1, '[', ']');
    ++at;
    added.index.push_back(run(at, end, true));
    at = std::min(end + 1, text_.size());
  }
  if (text_.substr(at, 1) != "}" && at < text_.size()) {
    const std::string_view operation = operation_at(text_.substr(at));
    added.operation += operation;
    at += operation.size();
    // Quotes around ${x#*=} do not quote its pattern.
    const bool matches =
        operation.starts_with('#') || operation.starts_with('%') || operation.starts_with('/');
    if (operation.starts_with('/')) {
      Word old;
      const std::size_t from = at;
      at += text_.substr(at, 1) == "/" ? 1U : 0U;  // ${x////_}: the third one is the pattern
      if (at > from) {
        add_text(from, at, false, old);
      }
      read(at, text_.size(), Ending::slash, false, old);
      old.mark = source_.mark(from, at);
      added.operand.push_back(std::move(old));
      at += text_.substr(at, 1) == "/" ? 1U : 0U;
    }
    added.operand.push_back(run(at, std::string_view::npos, quoted && !matches));
  }
  at = std::min(at + 1, text_.size());
  added.mark = source_.mark(begin, at);
  word.parts.push_back(std::move(added));
}

}  // namespace epwise::shell
