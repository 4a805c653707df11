#include "expr/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text/ascii.h"

namespace epwise::expr {

namespace {

struct Sign {
  std::string_view text;
  TokenKind kind;
  Op op;
};

// Longer operators come before their prefixes.
constexpr std::array<Sign, 24> kSigns = {{
    {"||", TokenKind::sign, Op::logical_or},
    {"&&", TokenKind::sign, Op::logical_and},
    {"==", TokenKind::sign, Op::equal},
    {"!=", TokenKind::sign, Op::not_equal},
    {"<=", TokenKind::sign, Op::less_equal},
    {">=", TokenKind::sign, Op::greater_equal},
    {"//", TokenKind::sign, Op::floor_divide},
    {"<", TokenKind::sign, Op::less},
    {">", TokenKind::sign, Op::greater},
    {"+", TokenKind::sign, Op::add},
    {"-", TokenKind::sign, Op::subtract},
    {"*", TokenKind::sign, Op::multiply},
    {"/", TokenKind::sign, Op::divide},
    {"%", TokenKind::sign, Op::modulo},
    {"!", TokenKind::logical_not, Op::logical_not},
    {"(", TokenKind::open_bracket, Op::literal},
    {")", TokenKind::close_bracket, Op::literal},
    {"[", TokenKind::open_list, Op::literal},
    {"]", TokenKind::close_list, Op::literal},
    {",", TokenKind::comma, Op::literal},
    {".", TokenKind::dot, Op::literal},
    {"?", TokenKind::question, Op::literal},
    {":", TokenKind::colon, Op::literal},
    {"in", TokenKind::sign, Op::in},
}};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_word(char c) {
  return is_letter(c) || text::is_digit(c);
}

/// Words that people write between two values, from our language and others, which the parser
/// handles: not units.
bool stands_between_values(std::string_view word) {
  constexpr std::array<std::string_view, 7> kWords = {"in", "and", "or", "not", "is", "if", "else"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Lexed run() {
    while (skip_blanks()) {
      step();
    }
    finish(TokenKind::end, at_);
    return std::move(result_);
  }

 private:
  bool skip_blanks() {
    while (at_ < text_.size() && text::is_whitespace(text_[at_])) {
      ++at_;
    }
    return at_ < text_.size();
  }

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void step() {
    const char c = peek();
    if (text::is_digit(c)) {
      read_number();
    } else if (c == 'v' && (peek(1) == '"' || peek(1) == '\'')) {
      read_version();
    } else if (c == '"' || c == '\'') {
      read_text();
    } else if (is_letter(c)) {
      read_name();
    } else {
      read_sign();
    }
  }

  Token& finish(TokenKind kind, std::size_t begin) {
    Token token;
    token.kind = kind;
    token.begin = static_cast<std::uint32_t>(begin);
    token.end = static_cast<std::uint32_t>(at_);
    token.text = text_.substr(begin, at_ - begin);
    result_.tokens.push_back(std::move(token));
    return result_.tokens.back();
  }

  void problem(std::size_t begin, std::size_t end, std::string sentence) {
    result_.problems.push_back({begin, end, std::move(sentence)});
  }

  void take_digits() {
    while (text::is_digit(peek())) {
      ++at_;
    }
  }

  // The number's own letters; `whole` stays true for an integer.
  std::string_view take_number(bool& whole) {
    const std::size_t begin = at_;
    take_digits();
    if (peek() == '.' && text::is_digit(peek(1))) {
      whole = false;
      ++at_;
      take_digits();
    }
    const bool exponent = peek() == 'e' || peek() == 'E';
    const std::size_t after_sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
    if (exponent && text::is_digit(peek(after_sign))) {
      whole = false;
      at_ += after_sign;
      take_digits();
    }
    return text_.substr(begin, at_ - begin);
  }

  // A unit after a number: "GiB", "GB/s"; empty if the next word is not one (`8 in list`).
  std::string_view take_unit() {
    std::size_t begin = at_;
    while (begin < text_.size() && text::is_whitespace(text_[begin])) {
      ++begin;
    }
    std::size_t end = begin;
    while (end < text_.size() && is_letter(text_[end])) {
      ++end;
    }
    if (end == begin || stands_between_values(text_.substr(begin, end - begin))) {
      return {};
    }
    const bool per_second =
        text_.substr(end, 2) == "/s" && (end + 2 >= text_.size() || !is_word(text_[end + 2]));
    at_ = per_second ? end + 2 : end;
    return text_.substr(begin, at_ - begin);
  }

  void read_number() {
    const std::size_t begin = at_;
    bool whole = true;
    const std::string_view digits = take_number(whole);
    const std::optional<Value> number = to_number(digits, whole);
    if (!number) {
      problem(begin, at_, fmt::format("the number {} is too large", digits));
    } else if (whole && digits.size() > 1 && digits.front() == '0') {
      problem(
          begin, at_, fmt::format("{} starts with a zero; write {}", digits, number->to_text()));
    }
    const std::size_t number_end = at_;
    const std::string_view unit = take_unit();
    Token& token = finish(TokenKind::literal, begin);
    token.value = number.value_or(Value::of(0));
    if (unit.empty()) {
      return;
    }
    const auto factor = units::parse_unit(unit);
    if (!factor || factor->dimension == units::Dimension::none) {
      const auto unit_begin = static_cast<std::size_t>(unit.data() - text_.data());
      problem(std::max(unit_begin, number_end),
              at_,
              fmt::format("`{}` is not a unit; units look like GiB, MB, GB/s, us, TFLOP/s or GHz",
                          unit));
      return;
    }
    token.dimension = factor->dimension;
    token.value = scaled(token.value, factor->value);
    if (!std::isfinite(token.value.as_number())) {
      problem(begin, at_, fmt::format("the number {} is too large in {}", digits, unit));
      token.value = Value::of(0);
    }
  }

  static std::optional<Value> to_number(std::string_view digits, bool whole) {
    const char* const end = digits.data() + digits.size();
    if (whole) {
      std::int64_t integer = 0;
      const bool fits = std::from_chars(digits.data(), end, integer).ec == std::errc();
      return fits ? std::optional(Value::of(integer)) : std::nullopt;
    }
    double real = 0;
    const bool fits = std::from_chars(digits.data(), end, real).ec == std::errc();
    return fits ? std::optional(Value::of(real)) : std::nullopt;
  }

  // 16 GiB stays an integer, so `bytes // 2` does too.
  static Value scaled(const Value& number, double factor) {
    const std::int64_t* integer = number.integer();
    constexpr double kExact = 9007199254740992.0;
    const bool whole_factor = factor >= 1 && factor <= kExact && std::floor(factor) == factor;
    std::int64_t product = 0;
    if (integer != nullptr && whole_factor &&
        !__builtin_mul_overflow(*integer, static_cast<std::int64_t>(factor), &product)) {
      return Value::of(product);
    }
    return Value::of(number.as_number() * factor);
  }

  std::optional<char> escaped(char c) const {
    switch (c) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case '\\':
      case '"':
      case '\'':
        return c;
      default:
        return std::nullopt;
    }
  }

  // The content of a quoted text at the current place, which is a quote.
  std::string take_quoted() {
    const std::size_t begin = at_;
    const char quote = text_[at_++];
    std::string content;
    while (at_ < text_.size() && text_[at_] != '\n') {
      const char c = text_[at_++];
      if (c == quote) {
        return content;
      }
      if (c != '\\') {
        content += c;
        continue;
      }
      if (const auto letter = escaped(peek())) {
        content += *letter;
      } else {
        problem(at_ - 1,
                std::min(at_ + 1, text_.size()),
                R"(unknown escape; valid are \n \t \r \\ \" \')");
      }
      at_ = std::min(at_ + 1, text_.size());
    }
    problem(begin, at_, fmt::format("the text is not closed; add {}", quote));
    return content;
  }

  void read_text() {
    const std::size_t begin = at_;
    std::string content = take_quoted();
    finish(TokenKind::literal, begin).value = Value::of(std::move(content));
  }

  void read_version() {
    const std::size_t begin = at_++;
    const std::string content = take_quoted();
    const auto version = units::Version::parse(content);
    if (!version) {
      problem(begin,
              at_,
              fmt::format("`{}` is not a version; versions look like 2.7.0 or 2.9.0a0", content));
    }
    finish(TokenKind::literal, begin).value = version ? Value::of(*version) : Value::unset();
  }

  void read_name() {
    const std::size_t begin = at_;
    while (is_word(peek()) || (peek() == '.' && is_letter(peek(1)))) {
      ++at_;
    }
    Token& token = finish(TokenKind::name, begin);
    if (token.text == "in") {
      token.kind = TokenKind::sign;
      token.op = Op::in;
    }
  }

  void read_sign() {
    for (const Sign& sign : kSigns) {
      if (text_.substr(at_, sign.text.size()) == sign.text) {
        const std::size_t begin = at_;
        at_ += sign.text.size();
        finish(sign.kind, begin).op = sign.op;
        return;
      }
    }
    read_unknown();
  }

  void read_unknown() {
    const std::size_t begin = at_++;
    // A multi-byte character is reported once, as a whole.
    while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0) == 0x80) {
      ++at_;
    }
    const std::string_view sign = text_.substr(begin, at_ - begin);
    std::string_view instead;
    if (sign == "=") {
      instead = "; write == to compare";
    } else if (sign == "&") {
      instead = "; write && for and";
    } else if (sign == "|") {
      instead = "; write || for or";
    } else if (static_cast<unsigned char>(sign.front()) >= 0x80) {
      instead = "; quote letters outside ASCII with \" or '";
    }
    problem(begin, at_, fmt::format("`{}` is not allowed here{}", sign, instead));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Lexed result_;
};

}  // namespace

Lexed lex(std::string_view text) {
  return Lexer(text).run();
}

std::string_view sign_of(Op op) {
  const auto* const found = std::find_if(kSigns.begin(), kSigns.end(), [op](const Sign& sign) {
    return sign.op == op && sign.kind == TokenKind::sign;
  });
  return found == kSigns.end() ? std::string_view() : found->text;
}

}  // namespace epwise::expr
