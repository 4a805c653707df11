#include "recipe/overrides/tokens.h"

#include <algorithm>
#include <array>
#include <utility>

namespace epwise::recipe {
namespace {

using Kind = OverrideToken::Kind;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::size_t blanks(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_blank) -
                                  text.begin());
}

/// Digits with single underscores between them.
std::size_t digits(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size()) {
    if (is_digit(text[n])) {
      ++n;
    } else if (n > 0 && text[n] == '_' && n + 1 < text.size() && is_digit(text[n + 1])) {
      n += 2;
    } else {
      break;
    }
  }
  return n;
}

/// "0", or digits that don't start with a zero.
std::size_t unsigned_integer(std::string_view text) {
  return text.substr(0, 1) == "0" ? 1 : digits(text);
}

std::size_t exponent(std::string_view text) {
  if (text.empty() || (text.front() != 'e' && text.front() != 'E')) {
    return 0;
  }
  const std::size_t sign = text.size() > 1 && (text[1] == '+' || text[1] == '-') ? 1 : 0;
  const std::size_t power = digits(text.substr(1 + sign));
  return power == 0 ? 0 : 1 + sign + power;
}

/// Letters that spell `word`, case ignored.
bool spells(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
           return a == b || (is_letter(b) && a == static_cast<char>(b | 0x20));
         });
}

std::size_t sign(std::string_view text) {
  return !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
}

std::size_t real(std::string_view text) {
  const std::size_t start = sign(text);
  const std::string_view body = text.substr(start);
  if (spells(body, "inf") || spells(body, "nan")) {
    return start + 3;
  }
  const std::size_t whole = unsigned_integer(body);
  std::size_t best =
      whole > 0 && exponent(body.substr(whole)) > 0 ? whole + exponent(body.substr(whole)) : 0;
  if (body.substr(whole, 1) == ".") {
    const std::size_t mantissa = whole + 1 + digits(body.substr(whole + 1));
    if (mantissa > 1) {
      best = std::max(best, mantissa + exponent(body.substr(mantissa)));
    }
  }
  return best == 0 ? 0 : start + best;
}

std::size_t integer(std::string_view text) {
  const std::size_t start = sign(text);
  const std::size_t length = unsigned_integer(text.substr(start));
  return length == 0 ? 0 : start + length;
}

std::size_t id(std::string_view text) {
  if (text.empty() || !(is_letter(text[0]) || text[0] == '_')) {
    return 0;
  }
  return static_cast<std::size_t>(
      std::find_if_not(text.begin(),
                       text.end(),
                       [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; }) -
      text.begin());
}

std::size_t escapes(std::string_view text) {
  constexpr std::string_view kEscaped = "\\()[]{}:=, \t";
  std::size_t n = 0;
  while (n + 1 < text.size() && text[n] == '\\' &&
         kEscaped.find(text[n + 1]) != std::string_view::npos) {
    n += 2;
  }
  return n;
}

/// Up to the first quote of the same kind with an even number of backslashes before it.
std::size_t quoted(std::string_view text) {
  if (text.empty() || (text[0] != '\'' && text[0] != '"')) {
    return 0;
  }
  std::size_t backslashes = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == text[0] && backslashes % 2 == 0) {
      return i + 1;
    }
    backslashes = text[i] == '\\' ? backslashes + 1 : 0;
  }
  return 0;
}

std::size_t interpolation(std::string_view text) {
  if (text.substr(0, 2) != "${") {
    return 0;
  }
  const std::size_t end = text.find('}', 2);
  return end == std::string_view::npos || end == 2 ? 0 : end + 1;
}

struct Punctuation {
  char sign = '\0';
  Kind kind = Kind::end;
  bool blank_before = false;
  bool blank_behind = false;
};

constexpr std::array<Punctuation, 9> kPunctuation = {{{'(', Kind::open_paren, true, true},
                                                      {',', Kind::comma, true, true},
                                                      {')', Kind::close_paren, true, false},
                                                      {'[', Kind::open_bracket, false, true},
                                                      {']', Kind::close_bracket, true, false},
                                                      {'{', Kind::open_brace, false, true},
                                                      {'}', Kind::close_brace, true, false},
                                                      {':', Kind::colon, true, true},
                                                      {'=', Kind::equal, true, true}}};

std::size_t punctuation(const Punctuation& one, std::string_view text) {
  const std::size_t before = one.blank_before ? blanks(text) : 0;
  if (before >= text.size() || text[before] != one.sign) {
    return 0;
  }
  return before + 1 + (one.blank_behind ? blanks(text.substr(before + 1)) : 0);
}

OverrideToken longest(std::string_view text) {
  std::size_t best = 0;
  Kind kind = Kind::end;
  const auto offer = [&best, &kind](Kind offered, std::size_t length) {
    if (length > best) {
      best = length;
      kind = offered;
    }
  };
  for (const Punctuation& one : kPunctuation) {
    offer(one.kind, punctuation(one, text));
  }
  offer(Kind::real, real(text));
  offer(Kind::integer, integer(text));
  offer(Kind::boolean, spells(text, "true") ? 4 : (spells(text, "false") ? 5 : 0));
  offer(Kind::null, spells(text, "null") ? 4 : 0);
  offer(Kind::other,
        std::string_view("/-\\+.$%*@?|").find(text.front()) == std::string_view::npos ? 0 : 1);
  offer(Kind::id, id(text));
  offer(Kind::escape, escapes(text));
  offer(Kind::blank, blanks(text));
  offer(Kind::quoted, quoted(text));
  offer(Kind::interpolation, interpolation(text));
  return {kind, text.substr(0, best)};
}

std::size_t path_part(std::string_view text) {
  const auto starts = [](char c) { return is_letter(c) || c == '_' || c == '$'; };
  if (!text.empty() && starts(text.front())) {
    const auto end = std::find_if_not(text.begin(), text.end(), [starts](char c) {
      return starts(c) || is_digit(c) || c == '-';
    });
    return static_cast<std::size_t>(end - text.begin());
  }
  return unsigned_integer(text);
}

}  // namespace

OverrideTokens override_tokens(std::string_view value) {
  OverrideTokens out;
  std::size_t at = 0;
  while (at < value.size()) {
    OverrideToken token = longest(value.substr(at));
    if (token.kind == Kind::end) {
      out.complete = false;
      break;
    }
    token.at = at;
    at += token.text.size();
    out.tokens.push_back(token);
  }
  out.tokens.push_back({Kind::end, {}, at});
  return out;
}

std::size_t override_path_length(std::string_view key) {
  std::size_t length = path_part(key);
  std::size_t parts = 1;
  while (length > 0 && key.substr(length, 1) == ".") {
    const std::size_t next = path_part(key.substr(length + 1));
    if (next == 0) {
      break;
    }
    length += 1 + next;
    ++parts;
  }
  // A number alone is no key.
  return parts == 1 && length > 0 && is_digit(key.front()) ? 0 : length;
}

}  // namespace epwise::recipe
