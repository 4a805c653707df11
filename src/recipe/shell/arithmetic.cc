#include "recipe/shell/arithmetic.h"

#include <array>
#include <charconv>
#include <limits>

#include "base/text/ascii.h"
#include "recipe/shell/words.h"

namespace epwise::shell {
namespace {

using Result = std::optional<std::int64_t>;

constexpr int kMaxArithmeticDepth = 60;

struct Operator {
  std::string_view sign;
  int level;  // higher binds tighter
};

/// Longer signs first.
constexpr std::array<Operator, 14> kArithmeticOperators = {{{"||", 1},
                                                            {"&&", 2},
                                                            {"==", 3},
                                                            {"!=", 3},
                                                            {"<=", 4},
                                                            {">=", 4},
                                                            {"**", 7},
                                                            {"<", 4},
                                                            {">", 4},
                                                            {"+", 5},
                                                            {"-", 5},
                                                            {"*", 6},
                                                            {"/", 6},
                                                            {"%", 6}}};

Result multiplied(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? Result() : Result(result);
}

Result power(std::int64_t base, std::int64_t exponent) {
  constexpr std::int64_t kMost = 62;
  if (exponent < 0 || exponent > kMost) {
    return std::nullopt;
  }
  Result result = 1;
  for (std::int64_t i = 0; i < exponent && result; ++i) {
    result = multiplied(*result, base);
  }
  return result;
}

Result divided(std::string_view sign, std::int64_t a, std::int64_t b) {
  const bool overflow = a == std::numeric_limits<std::int64_t>::min() && b == -1;
  if (b == 0 || overflow) {
    return std::nullopt;
  }
  return sign == "/" ? a / b : a % b;
}

Result compared_numbers(std::string_view sign, std::int64_t a, std::int64_t b) {
  if (sign == "==") {
    return a == b;
  }
  if (sign == "!=") {
    return a != b;
  }
  if (sign == "<=") {
    return a <= b;
  }
  if (sign == ">=") {
    return a >= b;
  }
  return sign == "<" ? a < b : a > b;
}

Result applied(std::string_view sign, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (sign == "+") {
    return __builtin_add_overflow(a, b, &result) ? Result() : Result(result);
  }
  if (sign == "-") {
    return __builtin_sub_overflow(a, b, &result) ? Result() : Result(result);
  }
  if (sign == "*") {
    return multiplied(a, b);
  }
  if (sign == "**") {
    return power(a, b);
  }
  if (sign == "/" || sign == "%") {
    return divided(sign, a, b);
  }
  if (sign == "&&" || sign == "||") {
    return sign == "&&" ? (a != 0 && b != 0) : (a != 0 || b != 0);
  }
  return compared_numbers(sign, a, b);
}

class Evaluation {
 public:
  Evaluation(std::string_view text, const Number& number) : text_(text), number_(number) {}

  Result run() {
    const Result result = choice();
    skip();
    return at_ == text_.size() && !failed_ ? result : std::nullopt;
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) {
      ++at_;
    }
  }

  bool take(std::string_view sign) {
    skip();
    const bool found = text_.substr(at_).starts_with(sign);
    at_ += found ? sign.size() : 0;
    return found;
  }

  Result choice() {
    const Result condition = binary(0);
    if (!take("?")) {
      return condition;
    }
    const Result yes = choice();
    failed_ = failed_ || !take(":");
    const Result no = choice();
    if (!condition) {
      return std::nullopt;
    }
    return *condition != 0 ? yes : no;
  }

  const Operator* sign() {
    skip();
    for (const Operator& each : kArithmeticOperators) {
      if (text_.substr(at_).starts_with(each.sign)) {
        return &each;
      }
    }
    return nullptr;
  }

  Result binary(int level) {
    if (++depth_ > kMaxArithmeticDepth) {
      failed_ = true;
    }
    Result left = failed_ ? std::nullopt : unary();
    for (const Operator* next = sign(); next != nullptr && next->level > level && !failed_;
         next = sign()) {
      at_ += next->sign.size();
      const Result right = binary(next->sign == "**" ? next->level - 1 : next->level);
      left = left && right ? applied(next->sign, *left, *right) : std::nullopt;
    }
    --depth_;
    return left;
  }

  Result unary() {
    if (take("!")) {
      const Result value = nested();
      return value ? Result(*value == 0) : value;
    }
    if (take("-")) {
      const Result value = nested();
      return value ? applied("-", 0, *value) : value;
    }
    if (take("+")) {
      return nested();
    }
    if (take("(")) {
      const Result value = nested_choice();
      failed_ = failed_ || !take(")");
      return value;
    }
    return operand();
  }

  Result nested() {
    if (++depth_ > kMaxArithmeticDepth) {
      failed_ = true;
      return std::nullopt;
    }
    const Result value = unary();
    --depth_;
    return value;
  }

  Result nested_choice() {
    if (++depth_ > kMaxArithmeticDepth) {
      failed_ = true;
      return std::nullopt;
    }
    const Result value = choice();
    --depth_;
    return value;
  }

  Result operand() {
    skip();
    const std::size_t name = name_length(text_, at_);
    if (name > 0) {
      const std::string_view spelled = text_.substr(at_, name);
      at_ += name;
      return number_(spelled);
    }
    std::size_t end = at_;
    while (end < text_.size() && continues_name(text_[end])) {
      ++end;
    }
    const Result value = whole_number(text_.substr(at_, end - at_));
    failed_ = failed_ || !value;
    at_ = end;
    return value;
  }

  std::string_view text_;
  const Number& number_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

namespace {

/// Whether `text` goes on with a sign that assigns to the name before it: its length, or 0.
std::size_t assigning_sign(std::string_view text) {
  constexpr std::array<std::string_view, 5> kSigns = {"+=", "-=", "*=", "/=", "%="};
  for (const std::string_view sign : kSigns) {
    if (text.starts_with(sign)) {
      return sign.size();
    }
  }
  return text.starts_with('=') && !text.starts_with("==") ? 1 : 0;
}

/// Whether a text assigns to any name.
bool assigns_within(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    const bool compares = at > 0 && std::string_view("=!<>").find(text[at - 1]) != text.npos;
    if (rest.starts_with("++") || rest.starts_with("--") ||
        (!compares && assigning_sign(rest) > 0)) {
      return true;
    }
  }
  return false;
}

/// NAME = EXPR, NAME += EXPR: `rest` begins with the sign, which has so many characters.
Result assigned_value(std::string_view name,
                      std::string_view rest,
                      std::size_t sign,
                      const Number& number) {
  const Result value = evaluate_arithmetic(rest.substr(sign), number);
  if (sign == 1) {
    return value;
  }
  const Result old = number(name);
  return value && old ? applied(rest.substr(0, 1), *old, *value) : Result();
}

}  // namespace

std::optional<Assigned> evaluate_assignment(std::string_view text, const Number& number) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text = text::trimmed(text, kBlanks);
  const bool before = text.starts_with("++") || text.starts_with("--");
  const char sign = before ? text.front() : '\0';
  text = before ? text::trimmed_start(text.substr(2), kBlanks) : text;
  const std::size_t length = name_length(text, 0);
  const std::string_view name = text.substr(0, length);
  const std::string_view rest = text::trimmed_start(text.substr(length), kBlanks);
  const bool after = !before && (rest == "++" || rest == "--");
  const std::size_t assigning = before ? 0 : assigning_sign(rest);
  if (length == 0 || (before && !rest.empty()) || (!before && !after && assigning == 0) ||
      (assigning > 0 && assigns_within(rest.substr(assigning)))) {
    return std::nullopt;
  }
  Assigned result{std::string(name), {}, {}};
  if (before || after) {
    const Result old = number(name);
    const bool up = (before ? sign : rest.front()) == '+';
    result.now = old ? applied(up ? "+" : "-", *old, 1) : old;
    result.result = before ? result.now : old;
    return result;
  }
  result.now = assigned_value(name, rest, assigning, number);
  result.result = result.now;
  return result;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const std::size_t begin = text.starts_with('+') ? 1 : 0;
  const std::string_view digits = text.substr(begin);
  const bool octal = digits.size() > 1 && digits.front() == '0';
  const auto result =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, octal ? 8 : 10);
  const bool whole = result.ec == std::errc() && result.ptr == digits.data() + digits.size();
  return whole ? Result(value) : std::nullopt;
}

std::optional<std::int64_t> evaluate_arithmetic(std::string_view text, const Number& number) {
  return Evaluation(text, number).run();
}

}  // namespace epwise::shell
