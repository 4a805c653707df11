#include "recipe/overrides/grammar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "expr/python_text.h"
#include "recipe/arguments/flag_values.h"
#include "recipe/bridge/config_tree.h"

namespace epwise::recipe {

/// A token of the value side of an override, as split by Hydra's lexer: the longest match wins,
/// then the earlier kind.
struct OverrideToken {
  enum class Kind : std::uint8_t {
    open_paren,
    comma,
    close_paren,
    open_bracket,
    close_bracket,
    open_brace,
    close_brace,
    colon,
    equal,
    real,
    integer,
    boolean,
    null,
    other,  // one of / - \ + . $ % * @ ? |
    id,
    escape,  // \\ \( \) \[ \] \{ \} \: \= \, and an escaped blank, any number of them
    blank,
    quoted,
    interpolation,
    end,
  };
  Kind kind = Kind::end;
  std::string_view text;
  std::size_t at = 0;  // offset in the text
};

struct OverrideTokens {
  std::vector<OverrideToken> tokens;  // the last one is `end`
  bool complete = true;               // false: no token matches at the offset of `end`
};

OverrideTokens override_tokens(std::string_view value);

/// Length of the dotted path at the start of a key ("model.lst.0"); 0 if there is none.
std::size_t override_path_length(std::string_view key);

/// The result of a function call in an override.
struct OverrideCast {
  ConfigNode value;
  bool sweep = false;        // choice(…), range(…), …: several launches
  std::string problem = {};  // no such function, or a value that it rejects
};

/// int('3'), float(3), str(3), bool('true'), also over lists and mappings.
OverrideCast override_cast(std::string_view function,
                           std::vector<ConfigNode> arguments,
                           bool named);

namespace {

using expr::Value;
using OverrideKind = OverrideToken::Kind;

constexpr int kMaxOverrideDepth = 64;

ConfigNode value_leaf(Value value) {
  ConfigNode node;
  node.value = std::move(value);
  return node;
}

/// Removes the quotes; a backslash escapes only quotes and, before the closing quote, itself.
std::string unquote(std::string_view text) {
  const char quote = text.front();
  const std::string_view body = text.substr(1);  // with the closing quote
  std::string out;
  for (std::size_t i = 0; i < body.size();) {
    const std::size_t end = std::min(body.find_first_not_of('\\', i), body.size());
    const std::size_t backslashes = end - i;
    const bool before_quote = end < body.size() && body[end] == quote;
    out.append(before_quote ? backslashes / 2 : backslashes, '\\');
    if (before_quote && end + 1 < body.size()) {
      out.push_back(quote);
    } else if (!before_quote && end < body.size()) {
      out.push_back(body[end]);
    }
    i = end + 1;
  }
  return out;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 1; i < text.size(); i += 2) {
    out.push_back(text[i]);
  }
  return out;
}

/// Value side of an override. After the first problem the input counts as exhausted, so that every
/// loop ends.
class ValueParser {
 public:
  explicit ValueParser(const OverrideTokens& cut) : tokens_(cut.tokens), complete_(cut.complete) {}

  ConfigNode whole() {
    ConfigNode value = element(0);
    while (peek() == OverrideKind::comma) {
      ++at_;
      sweep_ = true;
      element(0);
    }
    if (peek() != OverrideKind::end) {
      fail(fmt::format("`{}` is not expected here", tokens_[at_].text));
    } else if (!complete_) {
      fail("this character must be quoted");
    }
    return value;
  }

  bool sweep() const { return sweep_; }

  const std::string& problem() const { return problem_; }

  std::size_t problem_at() const { return problem_at_; }

 private:
  OverrideKind peek(std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead].kind : OverrideKind::end;
  }

  bool accept(OverrideKind kind) {
    if (peek() != kind) {
      return false;
    }
    ++at_;
    return true;
  }

  ConfigNode fail(std::string problem) {
    if (problem_.empty()) {
      problem_ = std::move(problem);
      problem_at_ = tokens_[at_].at;
    }
    at_ = tokens_.size() - 1;
    return {};
  }

  bool failed() const { return !problem_.empty(); }

  ConfigNode unexpected() {
    if (peek() != OverrideKind::end) {
      return fail(fmt::format("`{}` is not expected here", tokens_[at_].text));
    }
    return fail(complete_ ? "the value ends too early" : "this character must be quoted");
  }

  ConfigNode element(int depth) {
    if (depth > kMaxOverrideDepth) {
      return fail("the value is nested too deeply");
    }
    if (peek() == OverrideKind::id && peek(1) == OverrideKind::open_paren) {
      return function(depth);
    }
    if (accept(OverrideKind::open_bracket)) {
      return list(depth);
    }
    if (accept(OverrideKind::open_brace)) {
      return mapping(depth);
    }
    if (peek() == OverrideKind::quoted) {
      return value_leaf(Value::of(unquote(tokens_[at_++].text)));
    }
    return primitive(true);
  }

  ConfigNode list(int depth) {
    ConfigNode out;
    out.kind = ConfigNode::Kind::list;
    if (accept(OverrideKind::close_bracket)) {
      return out;
    }
    do {
      out.children.push_back(element(depth + 1));
    } while (accept(OverrideKind::comma));
    return accept(OverrideKind::close_bracket) ? out : unexpected();
  }

  ConfigNode mapping(int depth) {
    ConfigNode out;
    out.kind = ConfigNode::Kind::mapping;
    std::unordered_map<std::string, std::size_t> places;
    if (accept(OverrideKind::close_brace)) {
      return out;
    }
    do {
      std::string name = expr::python_text(primitive(false).value);
      if (!accept(OverrideKind::colon)) {
        return unexpected();
      }
      ConfigNode child = element(depth + 1);
      child.name = std::move(name);
      const auto [place, fresh] = places.try_emplace(child.name, out.children.size());
      if (fresh) {
        out.children.push_back(std::move(child));
      } else {
        out.children[place->second] = std::move(child);
      }
    } while (accept(OverrideKind::comma));
    return accept(OverrideKind::close_brace) ? out : unexpected();
  }

  static bool in_primitive(OverrideKind kind, bool value) {
    switch (kind) {
      case OverrideKind::id:
      case OverrideKind::null:
      case OverrideKind::integer:
      case OverrideKind::real:
      case OverrideKind::boolean:
      case OverrideKind::other:
      case OverrideKind::escape:
      case OverrideKind::blank:
        return true;
      case OverrideKind::interpolation:
      case OverrideKind::colon:
        return value;
      default:
        return false;
    }
  }

  /// A value, or the key of a mapping entry, which may contain neither colons nor interpolations.
  ConfigNode primitive(bool value) {
    std::size_t first = at_;
    while (in_primitive(peek(), value)) {
      ++at_;
    }
    std::size_t last = at_;
    if (first == last) {
      return unexpected();
    }
    if (tokens_[first].kind == OverrideKind::blank) {
      ++first;
    }
    if (first == last) {
      return fail("the value consists of spaces only");
    }
    if (tokens_[last - 1].kind == OverrideKind::blank) {
      --last;
    }
    if (last - first == 1) {
      return value_leaf(typed(tokens_[first]));
    }
    std::string text;
    for (std::size_t i = first; i < last; ++i) {
      text += tokens_[i].kind == OverrideKind::escape ? unescape(tokens_[i].text)
                                                      : std::string(tokens_[i].text);
    }
    return value_leaf(Value::of(std::move(text)));
  }

  static Value typed(const OverrideToken& token) {
    switch (token.kind) {
      case OverrideKind::integer:
        return expr::python_int(token.text).value_or(Value::of(token.text));
      case OverrideKind::real:
        return Value::of(python_float(token.text).value_or(0));
      case OverrideKind::null:
        return Value::unset();
      case OverrideKind::boolean:
        return Value::of(token.text.size() == 4);
      case OverrideKind::escape:
        return Value::of(unescape(token.text));
      default:
        return Value::of(token.text);
    }
  }

  ConfigNode function(int depth) {
    const std::size_t begin = at_;
    const std::string_view name = tokens_[at_].text;
    at_ += 2;
    std::vector<ConfigNode> arguments;
    bool named = false;
    if (!accept(OverrideKind::close_paren)) {
      do {
        const bool name_follows = peek() == OverrideKind::id && peek(1) == OverrideKind::equal;
        at_ += name_follows ? 2 : 0;
        named = named || name_follows;
        arguments.push_back(element(depth + 1));
      } while (accept(OverrideKind::comma));
      if (!accept(OverrideKind::close_paren)) {
        return unexpected();
      }
    }
    if (failed()) {
      return {};
    }
    OverrideCast cast = override_cast(name, std::move(arguments), named);
    sweep_ = sweep_ || cast.sweep;
    if (!cast.problem.empty()) {
      at_ = begin;
      return fail(std::move(cast.problem));
    }
    return std::move(cast.value);
  }

  const std::vector<OverrideToken>& tokens_;
  bool complete_ = true;
  std::size_t at_ = 0;
  std::string problem_;
  std::size_t problem_at_ = 0;
  bool sweep_ = false;
};

OverrideResult problem(std::string sentence, std::size_t at) {
  return {std::nullopt, std::move(sentence), at};
}

/// "a.b", "a/b" or nothing, from `at` on.
std::size_t key_length(std::string_view text, std::size_t at) {
  std::size_t length = override_path_length(text.substr(at));
  while (length > 0 && text.substr(at + length, 1) == "/") {
    const std::size_t next = override_path_length(text.substr(at + length + 1));
    if (next == 0) {
      break;
    }
    length += 1 + next;
  }
  return length;
}

Override::Kind take_prefix(std::string_view text, std::size_t& at) {
  if (text.substr(0, 2) == "++") {
    at = 2;
    return Override::Kind::force;
  }
  at = text.substr(0, 1) == "+" || text.substr(0, 1) == "~" ? 1 : 0;
  if (at == 0) {
    return Override::Kind::change;
  }
  return text.front() == '+' ? Override::Kind::add : Override::Kind::remove;
}

}  // namespace

OverrideResult parse_override(std::string_view text) {
  Override out;
  std::size_t at = 0;
  out.kind = take_prefix(text, at);
  const std::size_t length = key_length(text, at);
  out.key = text.substr(at, length);
  at += length;
  if (text.substr(at, 1) == "@") {
    const std::size_t package = override_path_length(text.substr(at + 1));
    out.package = text.substr(at + 1, package);
    at += 1 + package;
  }
  if (at == text.size()) {
    return out.kind == Override::Kind::remove ? OverrideResult{std::move(out)}
                                              : problem("`=` is missing", at);
  }
  if (text[at] != '=') {
    return problem("a key consists of letters, digits and `_`, separated by dots, followed by `=`",
                   at);
  }
  ++at;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) {
    ++at;
  }
  out.value_at = at;
  if (at == text.size()) {
    out.value = value_leaf(Value::of(""));
    return {std::move(out)};
  }
  const OverrideTokens cut = override_tokens(text.substr(at));
  ValueParser parser(cut);
  out.value = parser.whole();
  out.sweep = parser.sweep();
  if (!parser.problem().empty()) {
    return problem(parser.problem(), at + parser.problem_at());
  }
  return {std::move(out)};
}

namespace {

std::size_t blanks(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), text::is_blank) -
                                  text.begin());
}

/// Digits with single underscores between them.
std::size_t digits_length(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size()) {
    if (text::is_digit(text[n])) {
      ++n;
    } else if (n > 0 && text[n] == '_' && n + 1 < text.size() && text::is_digit(text[n + 1])) {
      n += 2;
    } else {
      break;
    }
  }
  return n;
}

/// "0", or digits that do not start with a zero.
std::size_t unsigned_integer(std::string_view text) {
  return text.substr(0, 1) == "0" ? 1 : digits_length(text);
}

std::size_t exponent(std::string_view text) {
  if (text.empty() || (text.front() != 'e' && text.front() != 'E')) {
    return 0;
  }
  const std::size_t sign = text.size() > 1 && (text[1] == '+' || text[1] == '-') ? 1 : 0;
  const std::size_t power = digits_length(text.substr(1 + sign));
  return power == 0 ? 0 : 1 + sign + power;
}

/// Letters that spell `word`, case ignored.
bool spells(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
           return a == b || (text::is_letter(b) && a == static_cast<char>(b | 0x20));
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
    const std::size_t mantissa = whole + 1 + digits_length(body.substr(whole + 1));
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
  if (text.empty() || !(text::is_letter(text[0]) || text[0] == '_')) {
    return 0;
  }
  return static_cast<std::size_t>(
      std::find_if_not(
          text.begin(),
          text.end(),
          [](char c) { return text::is_letter(c) || text::is_digit(c) || c == '_' || c == '-'; }) -
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
std::size_t quoted_length(std::string_view text) {
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
  OverrideKind kind = OverrideKind::end;
  bool blank_before = false;
  bool blank_behind = false;
};

constexpr std::array<Punctuation, 9> kPunctuation = {
    {{'(', OverrideKind::open_paren, true, true},
     {',', OverrideKind::comma, true, true},
     {')', OverrideKind::close_paren, true, false},
     {'[', OverrideKind::open_bracket, false, true},
     {']', OverrideKind::close_bracket, true, false},
     {'{', OverrideKind::open_brace, false, true},
     {'}', OverrideKind::close_brace, true, false},
     {':', OverrideKind::colon, true, true},
     {'=', OverrideKind::equal, true, true}}};

std::size_t punctuation(const Punctuation& one, std::string_view text) {
  const std::size_t before = one.blank_before ? blanks(text) : 0;
  if (before >= text.size() || text[before] != one.sign) {
    return 0;
  }
  return before + 1 + (one.blank_behind ? blanks(text.substr(before + 1)) : 0);
}

OverrideToken longest(std::string_view text) {
  std::size_t best = 0;
  OverrideKind kind = OverrideKind::end;
  const auto offer = [&best, &kind](OverrideKind offered, std::size_t length) {
    if (length > best) {
      best = length;
      kind = offered;
    }
  };
  for (const Punctuation& one : kPunctuation) {
    offer(one.kind, punctuation(one, text));
  }
  offer(OverrideKind::real, real(text));
  offer(OverrideKind::integer, integer(text));
  offer(OverrideKind::boolean, spells(text, "true") ? 4 : (spells(text, "false") ? 5 : 0));
  offer(OverrideKind::null, spells(text, "null") ? 4 : 0);
  offer(OverrideKind::other,
        std::string_view("/-\\+.$%*@?|").find(text.front()) == std::string_view::npos ? 0 : 1);
  offer(OverrideKind::id, id(text));
  offer(OverrideKind::escape, escapes(text));
  offer(OverrideKind::blank, blanks(text));
  offer(OverrideKind::quoted, quoted_length(text));
  offer(OverrideKind::interpolation, interpolation(text));
  return {kind, text.substr(0, best)};
}

std::size_t path_part(std::string_view text) {
  const auto starts = [](char c) { return text::is_letter(c) || c == '_' || c == '$'; };
  if (!text.empty() && starts(text.front())) {
    const auto end = std::find_if_not(text.begin(), text.end(), [starts](char c) {
      return starts(c) || text::is_digit(c) || c == '-';
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
    if (token.kind == OverrideKind::end) {
      out.complete = false;
      break;
    }
    token.at = at;
    at += token.text.size();
    out.tokens.push_back(token);
  }
  out.tokens.push_back({OverrideKind::end, {}, at});
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
  // A number alone is not a key.
  return parts == 1 && length > 0 && text::is_digit(key.front()) ? 0 : length;
}

namespace {

using expr::Value;

constexpr std::array<std::string_view, 5> kSweeps = {"choice", "glob", "interval", "range", "tag"};

std::optional<Value> cast_to_integer(const Value& value) {
  if (const std::string* text = value.text()) {
    return expr::python_int(*text);
  }
  if (!value.is_number() || !std::isfinite(value.as_number()) ||
      std::fabs(value.as_number()) > 9e18) {
    return std::nullopt;
  }
  return value.integer() != nullptr ? value
                                    : Value::of(static_cast<std::int64_t>(value.as_number()));
}

std::optional<Value> to_real(const Value& value) {
  if (const std::string* text = value.text()) {
    const auto number = python_float(*text);
    return number ? std::optional<Value>(Value::of(*number)) : std::nullopt;
  }
  return value.is_number() ? std::optional<Value>(Value::of(value.as_number())) : std::nullopt;
}

std::optional<Value> to_boolean(const Value& value) {
  if (const std::string* text = value.text()) {
    const std::string word = text::lower(*text);
    return word == "true" || word == "false" ? std::optional<Value>(Value::of(word == "true"))
                                             : std::nullopt;
  }
  return Value::of(value.truthy());
}

Value to_text(const Value& value) {
  if (value.is_unset()) {
    return Value::of("null");
  }
  const bool* truth = value.boolean();
  return truth != nullptr ? Value::of(*truth ? "true" : "false")
                          : Value::of(expr::python_text(value));
}

std::optional<Value> cast(std::string_view function, const Value& value) {
  if (function == "int") {
    return cast_to_integer(value);
  }
  if (function == "float") {
    return to_real(value);
  }
  return function == "bool" ? to_boolean(value) : std::optional<Value>(to_text(value));
}

bool cast_all(std::string_view function, ConfigNode& node) {
  if (node.kind != ConfigNode::Kind::value) {
    return std::all_of(node.children.begin(), node.children.end(), [function](ConfigNode& child) {
      return cast_all(function, child);
    });
  }
  const auto value = cast(function, node.value);
  if (value) {
    node.value = *value;
  }
  return value.has_value();
}

}  // namespace

OverrideCast override_cast(std::string_view function,
                           std::vector<ConfigNode> arguments,
                           bool named) {
  OverrideCast out;
  if (std::find(kSweeps.begin(), kSweeps.end(), function) != kSweeps.end()) {
    out.sweep = true;
    return out;
  }
  if (function == "sort" || function == "shuffle") {
    out.value.value = Value::unknown({fmt::format("{}(…)", function)});
    return out;
  }
  const bool known =
      function == "int" || function == "float" || function == "bool" || function == "str";
  if (!known) {
    out.problem = fmt::format("Hydra has no function `{}` for values; quote the value", function);
    return out;
  }
  if (arguments.size() != 1 || named) {
    out.problem = fmt::format("`{}` takes one value", function);
    return out;
  }
  out.value = std::move(arguments.front());
  if (!cast_all(function, out.value)) {
    out.problem = fmt::format("`{}` rejects this value", function);
  }
  return out;
}

}  // namespace epwise::recipe
