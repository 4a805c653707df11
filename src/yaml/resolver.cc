#include "yaml/resolver.h"

#include <algorithm>
#include <initializer_list>

namespace epwise::yaml {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_digit_or_score(char c) {
  return is_digit(c) || c == '_';
}

/// A plain word from left to right; every `take` eats what it accepts. The functions below spell
/// out the two resolvers' regular expressions.
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
  bool take_number() { return is_digit(peek()) && take_while(is_digit_or_score) > 0; }

  /// [0-9]+(?:_[0-9]+)*
  bool take_strict_number() {
    if (take_while(is_digit) == 0) {
      return false;
    }
    while (rest_.size() > 1 && rest_[0] == '_' && is_digit(rest_[1])) {
      rest_.remove_prefix(1);
      take_while(is_digit);
    }
    return true;
  }

  /// (?::[0-5]?[0-9])+
  bool take_sixties() {
    bool any = false;
    while (peek() == ':' && rest_.size() > 1 && is_digit(rest_[1])) {
      const bool two = rest_.size() > 2 && is_digit(rest_[2]) && rest_[1] <= '5';
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
    return (sign || loose) && take_while(is_digit) > 0;
  }

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_special_float(std::string_view word) {
  if (is_one_of(word, {".nan", ".NaN", ".NAN"})) {
    return true;
  }
  Reader in(word);
  in.take_sign();
  return is_one_of(in.rest(), {".inf", ".Inf", ".INF"});
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

/// What OmegaConf's own pattern adds: exponents without a dot or without a sign.
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

/// [0-9]{4}-[0-9]{2}-[0-9]{2}, or looser with a time of day behind it.
bool is_pyyaml_timestamp(std::string_view word) {
  Reader in(word);
  const auto digits = [&in](std::size_t least, std::size_t most) {
    const std::size_t n = in.take_while(is_digit);
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
    in.take_while(is_digit);
  }
  blanks();
  if (in.take_any("+-")) {
    return digits(1, 2) && (in.done() || (in.take(':') && digits(2, 2) && in.done()));
  }
  in.take('Z');
  return in.done();
}

bool is_boolean(std::string_view word) {
  return is_one_of(word,
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
  return word.empty() || is_one_of(word, {"~", "null", "Null", "NULL"});
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
