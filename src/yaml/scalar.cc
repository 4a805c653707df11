#include "yaml/scalar.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>

#include "yaml/resolver.h"

namespace epwise::yaml {

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

Typed refused(std::string_view why) {
  Typed typed;
  typed.refused = why;
  return typed;
}

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  }
  return result;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// PyYAML's `!!bool` takes these in any case.
std::optional<bool> boolean_word(std::string_view word) {
  const std::string small = lower(word);
  if (is_one_of(small, {"yes", "true", "on"})) {
    return true;
  }
  return is_one_of(small, {"no", "false", "off"}) ? std::optional(false) : std::nullopt;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
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

/// A word that one of the float patterns has matched.
Typed read_real(std::string_view word) {
  const Magnitude number = magnitude(word);
  const double sign = number.negative ? -1 : 1;
  const std::string digits = lower(number.digits);
  if (is_one_of(digits, {".inf", "inf"})) {
    return real_value(sign * std::numeric_limits<double>::infinity());
  }
  if (is_one_of(digits, {".nan", "nan"})) {
    return real_value(std::numeric_limits<double>::quiet_NaN());
  }
  return real_value(sign * sixties_value(digits));
}

unsigned digit_value(char c) {
  if (is_digit(c)) {
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
  std::uint64_t finished = 0;  // parts of base 60 in front of this one
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

/// A word that the integer pattern has matched.
Typed read_integer(std::string_view word) {
  const Magnitude number = magnitude(word);
  const std::string_view digits = number.digits;
  if (digits.starts_with("0b") || digits.starts_with("0x")) {
    if (digits.size() == 2) {
      return refused("Python finds no digits in this number");
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
      return refused("YAML reads this as a date, which no setting takes");
    case Implicit::sign:
      return refused("YAML gives this sign a meaning of its own that the loader doesn't know");
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
                   : refused("`!!bool` takes yes, no, true, false, on and off");
  }
  const Implicit implicit = resolve(word, Dialect::omegaconf);
  if (core == "int") {
    return implicit == Implicit::integer ? read_integer(word)
                                         : refused("`!!int` takes a whole number");
  }
  if (core == "float") {
    const bool number = implicit == Implicit::integer || implicit == Implicit::real ||
                        is_one_of(lower(word), {"inf", "-inf", "+inf", "nan"});
    return number ? read_real(word) : refused("`!!float` takes a number");
  }
  return refused("the loader doesn't know this tag");
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
    return known ? text_value() : refused("the loader doesn't take this tag");
  }
  if (!node.tag.empty()) {
    return read_tagged(node.tag, node.scalar);
  }
  return node.plain ? read_plain(node.scalar, dialect) : text_value();
}

}  // namespace epwise::yaml
