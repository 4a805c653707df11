#include "yaml/scalar.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/ascii.h"

namespace epwise::yaml {

/// The type that a loader gives to a plain word, by its pattern only. `sign`: `=` and `<<`, which
/// have a special meaning in YAML.
enum class Implicit : std::uint8_t { null, boolean, integer, real, timestamp, sign, text };

/// PyYAML's patterns, and those that OmegaConf adds and removes. Dialect::words is treated like
/// PyYAML.
Implicit resolve(std::string_view word, Dialect dialect);

/// Whether the word is one of YAML's nulls: empty, `~`, `null`, `Null`, `NULL`.
bool is_null_word(std::string_view word);

namespace {

std::string without_scores(std::string_view word) {
  std::string result(word);
  result.erase(std::remove(result.begin(), result.end(), '_'), result.end());
  return result;
}

Typed text_value() {
  return {};
}

Typed null_value() {
  Typed typed;
  typed.type = ScalarType::null;
  return typed;
}

Typed boolean_value(bool value) {
  Typed typed;
  typed.type = ScalarType::boolean;
  typed.boolean = value;
  return typed;
}

Typed real_value(double value) {
  Typed typed;
  typed.type = ScalarType::real;
  typed.real = value;
  return typed;
}

Typed refused_scalar(std::string_view why) {
  Typed typed;
  typed.refused = why;
  return typed;
}

/// PyYAML's `!!bool` accepts these in any case.
std::optional<bool> boolean_word(std::string_view word) {
  const std::string small = text::lower(word);
  if (text::is_one_of(small, {"yes", "true", "on"})) {
    return true;
  }
  return text::is_one_of(small, {"no", "false", "off"}) ? std::optional(false) : std::nullopt;
}

/// A number without its sign and underscores.
struct Magnitude {
  std::string digits;
  bool negative = false;
};

Magnitude magnitude(std::string_view word) {
  Magnitude result = {without_scores(word), word.starts_with('-')};
  if (result.digits.starts_with('-') || result.digits.starts_with('+')) {
    result.digits.erase(0, 1);
  }
  return result;
}

/// Reads `1:30:00` to the base 60; one part is a plain number.
double sixties_value(std::string_view digits) {
  double value = 0;
  while (true) {
    const std::size_t colon = digits.find(':');
    value = value * 60 + std::strtod(std::string(digits.substr(0, colon)).c_str(), nullptr);
    if (colon == std::string_view::npos) {
      return value;
    }
    digits.remove_prefix(colon + 1);
  }
}

/// A word matched by one of the float patterns.
Typed read_real(std::string_view word) {
  const Magnitude number = magnitude(word);
  const double sign = number.negative ? -1 : 1;
  const std::string digits = text::lower(number.digits);
  if (text::is_one_of(digits, {".inf", "inf"})) {
    return real_value(sign * std::numeric_limits<double>::infinity());
  }
  if (text::is_one_of(digits, {".nan", "nan"})) {
    return real_value(std::numeric_limits<double>::quiet_NaN());
  }
  return real_value(sign * sixties_value(digits));
}

unsigned digit_value(char c) {
  if (text::is_digit(c)) {
    return static_cast<unsigned>(c - '0');
  }
  return static_cast<unsigned>((c | 0x20) - 'a') + 10;
}

/// Digits of one base, or to the base 60 with colons, added up in 64 bits; `big` from there on.
Typed add_up(std::string_view digits, unsigned base, bool negative) {
  Typed typed;
  typed.type = ScalarType::integer;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63U;  // -2^63 is the last that fits
  std::uint64_t sum = 0;
  double approximate = 0;
  std::uint64_t finished = 0;  // parts of base 60 before this one
  double finished_approximate = 0;
  const auto overflows = [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return a > (kMost - c) / b;
  };
  for (const char c : digits) {
    if (c == ':') {
      typed.big = typed.big || overflows(finished + sum, 60, 0);
      finished = (finished + sum) * 60;
      finished_approximate = (finished_approximate + approximate) * 60;
      sum = 0;
      approximate = 0;
      continue;
    }
    const unsigned digit = digit_value(c);
    typed.big = typed.big || overflows(sum, base, digit);
    sum = sum * base + digit;
    approximate = approximate * base + digit;
  }
  typed.big = typed.big || sum > kMost - std::min(kMost, finished);
  sum += finished;
  approximate += finished_approximate;
  typed.big = typed.big || (sum == kMost && !negative);
  typed.real = negative ? -approximate : approximate;
  typed.integer = typed.big ? 0 : static_cast<std::int64_t>(negative ? 0 - sum : sum);
  return typed;
}

/// A word matched by the integer pattern.
Typed read_integer(std::string_view word) {
  const Magnitude number = magnitude(word);
  const std::string_view digits = number.digits;
  if (digits.starts_with("0b") || digits.starts_with("0x")) {
    if (digits.size() == 2) {
      return refused_scalar("Python finds no digits in this number");
    }
    return add_up(digits.substr(2), digits[1] == 'b' ? 2 : 16, number.negative);
  }
  return add_up(digits, digits.starts_with('0') ? 8 : 10, number.negative);
}

Typed read_plain(std::string_view word, Dialect dialect) {
  switch (resolve(word, dialect)) {
    case Implicit::null:
      return null_value();
    case Implicit::boolean:
      return boolean_value(boolean_word(word) == true);
    case Implicit::integer:
      return read_integer(word);
    case Implicit::real:
      return read_real(word);
    case Implicit::timestamp:
      return refused_scalar("YAML reads this as a date, which no setting accepts");
    case Implicit::sign:
      return refused_scalar(
          "this character has a special meaning in YAML that the loader does not support");
    case Implicit::text:
      break;
  }
  return text_value();
}

/// "int" for `!!int` and `!<tag:yaml.org,2002:int>`; nothing for tags of other families.
std::optional<std::string_view> core_tag(std::string_view tag) {
  constexpr std::string_view kVerbatim = "!<tag:yaml.org,2002:";
  if (tag.starts_with("!!")) {
    return tag.substr(2);
  }
  if (tag.starts_with(kVerbatim) && tag.ends_with('>')) {
    return tag.substr(kVerbatim.size(), tag.size() - kVerbatim.size() - 1);
  }
  return std::nullopt;
}

Typed read_tagged(std::string_view tag, std::string_view word) {
  if (tag == "!") {
    return text_value();
  }
  const std::optional<std::string_view> core = core_tag(tag);
  if (core == "str") {
    return text_value();
  }
  if (core == "null") {
    return null_value();
  }
  if (core == "bool") {
    const auto boolean = boolean_word(word);
    return boolean ? boolean_value(*boolean)
                   : refused_scalar("`!!bool` accepts yes, no, true, false, on and off");
  }
  const Implicit implicit = resolve(word, Dialect::omegaconf);
  if (core == "int") {
    return implicit == Implicit::integer ? read_integer(word)
                                         : refused_scalar("`!!int` accepts a whole number");
  }
  if (core == "float") {
    const bool number = implicit == Implicit::integer || implicit == Implicit::real ||
                        text::is_one_of(text::lower(word), {"inf", "-inf", "+inf", "nan"});
    return number ? read_real(word) : refused_scalar("`!!float` accepts a number");
  }
  return refused_scalar("the loader does not know this tag");
}

}  // namespace

Typed type_plain(std::string_view word, Dialect dialect) {
  return dialect == Dialect::words ? text_value() : read_plain(word, dialect);
}

Typed type_scalar(const Node& node, Dialect dialect) {
  if (dialect == Dialect::words) {
    return node.is_null() && node.scalar.empty() ? null_value() : text_value();
  }
  if (node.is_null()) {
    return null_value();
  }
  if (!node.is_scalar()) {
    const std::optional<std::string_view> core = core_tag(node.tag);
    const bool known = node.tag.empty() || node.tag == "!" || core == "map" || core == "seq";
    return known ? text_value() : refused_scalar("the loader does not accept this tag");
  }
  if (!node.tag.empty()) {
    return read_tagged(node.tag, node.scalar);
  }
  return node.plain ? read_plain(node.scalar, dialect) : text_value();
}

namespace {

bool is_digit_or_score(char c) {
  return text::is_digit(c) || c == '_';
}

/// A plain word from left to right; every `take` consumes what it accepts. The functions below
/// spell out the two resolvers' regular expressions.
class Reader {
 public:
  explicit Reader(std::string_view word) : rest_(word) {}

  bool done() const { return rest_.empty(); }

  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }

  bool take(char c) {
    if (peek() != c || rest_.empty()) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  bool take_any(std::string_view set) {
    if (rest_.empty() || set.find(rest_.front()) == std::string_view::npos) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  template <typename Accepts>
  std::size_t take_while(Accepts accepts) {
    std::size_t n = 0;
    while (n < rest_.size() && accepts(rest_[n])) {
      ++n;
    }
    rest_.remove_prefix(n);
    return n;
  }

  void take_sign() { take_any("+-"); }

  /// [0-9][0-9_]*
  bool take_number() { return text::is_digit(peek()) && take_while(is_digit_or_score) > 0; }

  /// [0-9]+(?:_[0-9]+)*
  bool take_strict_number() {
    if (take_while(text::is_digit) == 0) {
      return false;
    }
    while (rest_.size() > 1 && rest_[0] == '_' && text::is_digit(rest_[1])) {
      rest_.remove_prefix(1);
      take_while(text::is_digit);
    }
    return true;
  }

  /// (?::[0-5]?[0-9])+
  bool take_sixties() {
    bool any = false;
    while (peek() == ':' && rest_.size() > 1 && text::is_digit(rest_[1])) {
      const bool two = rest_.size() > 2 && text::is_digit(rest_[2]) && rest_[1] <= '5';
      rest_.remove_prefix(two ? 3 : 2);
      any = true;
    }
    return any;
  }

  /// [eE][-+][0-9]+, where the sign may be missing when `loose`
  bool take_exponent(bool loose) {
    if (!take_any("eE")) {
      return false;
    }
    const bool sign = take_any("+-");
    return (sign || loose) && take_while(text::is_digit) > 0;
  }

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

bool is_special_float(std::string_view word) {
  if (text::is_one_of(word, {".nan", ".NaN", ".NAN"})) {
    return true;
  }
  Reader in(word);
  in.take_sign();
  return text::is_one_of(in.rest(), {".inf", ".Inf", ".INF"});
}

/// PyYAML's float: digits with a dot, an exponent only with a sign, base 60 with a dot.
bool is_pyyaml_float(std::string_view word) {
  Reader in(word);
  if (in.take('.')) {
    if (!in.take_number()) {
      return is_special_float(word);
    }
  } else {
    in.take_sign();
    if (!in.take_number()) {
      return is_special_float(word);
    }
    const bool sixties = in.take_sixties();
    if (!in.take('.')) {
      return false;
    }
    in.take_while(is_digit_or_score);
    if (sixties) {
      return in.done();
    }
  }
  return in.done() || (in.take_exponent(false) && in.done());
}

/// Additions of OmegaConf's own pattern: exponents without a dot or without a sign.
bool is_omegaconf_float(std::string_view word) {
  Reader in(word);
  in.take_sign();
  if (!in.take_strict_number()) {
    return false;
  }
  if (in.take('.')) {
    in.take_while(is_digit_or_score);
  }
  return in.take_exponent(true) && in.done();
}

bool is_pyyaml_integer(std::string_view word) {
  Reader in(word);
  in.take_sign();
  if (in.take('0')) {
    const auto all = [&in](auto accepts) { return in.take_while(accepts) > 0 && in.done(); };
    if (in.done()) {
      return true;
    }
    if (in.take('b')) {
      return all([](char c) { return c == '0' || c == '1' || c == '_'; });
    }
    if (in.take('x')) {
      return all([](char c) {
        return is_digit_or_score(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
      });
    }
    return all([](char c) { return (c >= '0' && c <= '7') || c == '_'; });
  }
  if (!in.take_number()) {
    return false;
  }
  in.take_sixties();
  return in.done();
}

/// [0-9]{4}-[0-9]{2}-[0-9]{2}, or looser followed by a time of day.
bool is_pyyaml_timestamp(std::string_view word) {
  Reader in(word);
  const auto digits = [&in](std::size_t least, std::size_t most) {
    const std::size_t n = in.take_while(text::is_digit);
    return n >= least && n <= most;
  };
  const auto blanks = [&in] { return in.take_while([](char c) { return c == ' ' || c == '\t'; }); };
  if (!digits(4, 4) || !in.take('-')) {
    return false;
  }
  const std::size_t before = in.rest().size();
  if (!digits(1, 2) || !in.take('-') || !digits(1, 2)) {
    return false;
  }
  if (in.done()) {
    return before == 5;
  }
  if (!in.take_any("Tt") && blanks() == 0) {
    return false;
  }
  if (!digits(1, 2) || !in.take(':') || !digits(2, 2) || !in.take(':') || !digits(2, 2)) {
    return false;
  }
  if (in.take('.')) {
    in.take_while(text::is_digit);
  }
  blanks();
  if (in.take_any("+-")) {
    return digits(1, 2) && (in.done() || (in.take(':') && digits(2, 2) && in.done()));
  }
  in.take('Z');
  return in.done();
}

bool is_boolean(std::string_view word) {
  return text::is_one_of(word,
                         {"yes",
                          "Yes",
                          "YES",
                          "no",
                          "No",
                          "NO",
                          "true",
                          "True",
                          "TRUE",
                          "false",
                          "False",
                          "FALSE",
                          "on",
                          "On",
                          "ON",
                          "off",
                          "Off",
                          "OFF"});
}

}  // namespace

bool is_null_word(std::string_view word) {
  return word.empty() || text::is_one_of(word, {"~", "null", "Null", "NULL"});
}

Implicit resolve(std::string_view word, Dialect dialect) {
  if (is_null_word(word)) {
    return Implicit::null;
  }
  if (is_boolean(word)) {
    return Implicit::boolean;
  }
  if (is_pyyaml_float(word)) {
    return Implicit::real;
  }
  if (is_pyyaml_integer(word)) {
    return Implicit::integer;
  }
  if (dialect == Dialect::omegaconf && is_omegaconf_float(word)) {
    return Implicit::real;
  }
  if (dialect == Dialect::pyyaml && is_pyyaml_timestamp(word)) {
    return Implicit::timestamp;
  }
  return word == "=" || word == "<<" ? Implicit::sign : Implicit::text;
}

}  // namespace epwise::yaml
