#include "recipe/arguments/flag_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "expr/python_text.h"

namespace epwise::recipe {

namespace {

using expr::Value;
using Outcome = Converted::Outcome;

/// Removes single underscores between digits; nullopt for any other underscore.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out.push_back(text[i]);
    } else if (i == 0 || i + 1 == text.size() || !text::is_digit(text[i - 1]) ||
               !text::is_digit(text[i + 1])) {
      return std::nullopt;
    }
  }
  return out;
}

/// True for digits with at most one point and an exponent, without a sign.
bool is_decimal(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, exponent);
  const auto digits = std::count_if(mantissa.begin(), mantissa.end(), text::is_digit);
  const auto points = std::count(mantissa.begin(), mantissa.end(), '.');
  if (digits == 0 || points > 1 || static_cast<std::size_t>(digits + points) != mantissa.size()) {
    return false;
  }
  if (exponent == std::string_view::npos) {
    return true;
  }
  std::string_view power = text.substr(exponent + 1);
  if (!power.empty() && (power.front() == '+' || power.front() == '-')) {
    power.remove_prefix(1);
  }
  return !power.empty() && std::all_of(power.begin(), power.end(), text::is_digit);
}

std::optional<double> special_float(std::string_view text) {
  const std::string word = text::lower(text);
  if (word == "inf" || word == "infinity") {
    return std::numeric_limits<double>::infinity();
  }
  if (word == "nan") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::nullopt;
}

Converted refused(std::string expected, Outcome outcome = Outcome::value) {
  return {outcome, {}, std::move(expected)};
}

Converted integer_of_word(std::string_view word) {
  auto value = expr::python_int(word);
  return value ? Converted{Outcome::fine, std::move(*value)} : refused("an integer");
}

Converted to_frequency(std::string_view word) {
  if (word.find('[') == std::string_view::npos) {
    auto value = expr::python_int(word);
    return value ? Converted{Outcome::fine, std::move(*value)}
                 : refused("an integer or a list such as ([0]*3+[1]*58)");
  }
  Pattern pattern = evaluate_pattern(word);
  if (pattern.problem.empty()) {
    return {Outcome::fine, std::move(pattern.value)};
  }
  return refused(fmt::format("a list such as ([0]*3+[1]*58); this one {}", pattern.problem),
                 pattern.crash ? Outcome::crash : Outcome::value);
}

Converted to_tuple(std::string_view word) {
  while (!word.empty() && (word.front() == '(' || word.front() == ')')) {
    word.remove_prefix(1);
  }
  while (!word.empty() && (word.back() == '(' || word.back() == ')')) {
    word.remove_suffix(1);
  }
  Value::List items;
  for (std::size_t begin = 0; begin <= word.size();) {
    const std::size_t comma = std::min(word.find(',', begin), word.size());
    auto item = expr::python_int(word.substr(begin, comma - begin));
    if (!item) {
      return refused("integers with commas, such as 128,0");
    }
    items.push_back(std::move(*item));
    begin = comma + 1;
  }
  return {Outcome::fine, Value::of(std::move(items))};
}

Converted typed(std::string_view type, std::string_view word) {
  if (type == "int") {
    return integer_of_word(word);
  }
  if (type == "float") {
    const auto value = python_float(word);
    return value ? Converted{Outcome::fine, Value::of(*value)} : refused("a number");
  }
  if (type == "bool") {
    return {Outcome::fine, Value::of(!word.empty())};
  }
  if (type == "moe_freq" || type == "la_freq" || type == "no_rope_freq") {
    return to_frequency(word);
  }
  if (type == "tuple") {
    return to_tuple(word);
  }
  return {Outcome::fine, Value::of(word)};
}

}  // namespace

std::optional<double> python_float(std::string_view text) {
  auto plain = without_underscores(expr::stripped(text));
  if (!plain) {
    return std::nullopt;
  }
  std::string_view body = *plain;
  const bool negative = !body.empty() && body.front() == '-';
  if (!body.empty() && (negative || body.front() == '+')) {
    body.remove_prefix(1);
  }
  double value = 0;
  if (const auto special = special_float(body)) {
    value = *special;
  } else if (!is_decimal(body)) {
    return std::nullopt;
  } else {
    const auto read = std::from_chars(body.data(), body.data() + body.size(), value);
    if (read.ec == std::errc::result_out_of_range) {
      const std::size_t exponent = body.find_first_of("eE");
      const bool tiny = exponent != std::string_view::npos && body.substr(exponent + 1, 1) == "-";
      value = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    }
  }
  return negative ? -value : value;
}

Converted convert_flag_value(const Flag& flag, std::string_view word) {
  Converted converted = typed(flag.type, word);
  if (converted.outcome != Outcome::fine || flag.choices.empty()) {
    return converted;
  }
  const std::string text = converted.value.to_text();
  if (std::find(flag.choices.begin(), flag.choices.end(), text) != flag.choices.end()) {
    return converted;
  }
  const bool enumeration = flag.type == "enum" || flag.type == "cuda_graph_modules";
  return {enumeration ? Outcome::crash : Outcome::choice,
          std::move(converted.value),
          fmt::format("one of {}", fmt::join(flag.choices, ", "))};
}

namespace {

using expr::Value;

constexpr int kMaxPatternDepth = 64;
constexpr std::size_t kMaxEntries = 100'000;
constexpr std::int64_t kMaxInteger = std::int64_t{1} << 40;

std::size_t entries(const Value& value) {
  std::size_t sum = 1;
  if (const Value::List* list = value.list()) {
    for (const Value& item : *list) {
      sum += entries(item);
    }
  }
  return sum;
}

/// Recursive descent over Python's precedence: sum < product < sign < power < index < atom. After
/// the first problem the input counts as exhausted, so that every loop ends; later values are
/// meaningless.
class Evaluator {
 public:
  explicit Evaluator(std::string_view text) : text_(text) {}

  Pattern whole() {
    Value value = tuple(0);
    if (problem_.empty() && at_ != text_.size()) {
      syntax();
    }
    if (!problem_.empty()) {
      return {{}, problem_, crash_};
    }
    return {std::move(value)};
  }

 private:
  Value fail(std::string_view problem, bool crash = false) {
    if (problem_.empty()) {
      problem_ = problem;
      crash_ = crash;
    }
    at_ = text_.size();
    return {};
  }

  Value syntax() { return fail("is not a valid list expression", true); }

  bool failed() const { return !problem_.empty(); }

  bool peek(std::string_view token) const { return text_.substr(at_, token.size()) == token; }

  bool accept(std::string_view token) {
    if (!peek(token)) {
      return false;
    }
    at_ += token.size();
    return true;
  }

  bool at_end_of_list() const { return at_ == text_.size() || peek(")") || peek("]"); }

  Value tuple(int depth) {
    Value first = sum(depth);
    if (!peek(",")) {
      return first;
    }
    Value::List items{std::move(first)};
    while (accept(",") && !at_end_of_list()) {
      items.push_back(sum(depth));
    }
    return Value::of(std::move(items));
  }

  Value sum(int depth) {
    Value left = product(depth);
    while (accept("+")) {
      left = add(left, product(depth));
    }
    return left;
  }

  Value product(int depth) {
    Value left = signed_power(depth);
    while (peek("*") && !peek("**")) {
      accept("*");
      left = multiply(left, signed_power(depth));
    }
    return left;
  }

  Value signed_power(int depth) {
    if (depth > kMaxPatternDepth) {
      return fail("is nested too deeply");
    }
    if (accept("+")) {
      const Value value = signed_power(depth + 1);
      return value.list() != nullptr ? fail("applies a sign to a list") : value;
    }
    Value base = indexed(depth);
    if (!accept("**")) {
      return base;
    }
    return power(base, signed_power(depth + 1));
  }

  Value indexed(int depth) {
    Value value = atom(depth);
    while (peek("[") || peek("(")) {
      if (peek("(")) {
        return fail("calls something that is not a function");
      }
      accept("[");
      value = index(value, tuple(depth + 1));
      if (!accept("]")) {
        return syntax();
      }
    }
    return value;
  }

  Value atom(int depth) {
    if (depth > kMaxPatternDepth) {
      return fail("is nested too deeply");
    }
    if (accept("[")) {
      return list(depth);
    }
    if (!accept("(")) {
      return integer();
    }
    if (accept(")")) {
      return Value::of(Value::List{});
    }
    Value value = tuple(depth + 1);
    return accept(")") ? value : syntax();
  }

  Value list(int depth) {
    Value::List items;
    while (!accept("]")) {
      items.push_back(sum(depth + 1));
      if (!accept(",") && !peek("]")) {
        return syntax();
      }
    }
    return Value::of(std::move(items));
  }

  Value integer() {
    const std::size_t begin = at_;
    std::int64_t value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      value = value * 10 + (text_[at_] - '0');
      if (value > kMaxInteger) {
        return fail("contains a number that is too large");
      }
      ++at_;
    }
    const bool leading_zero = at_ - begin > 1 && text_[begin] == '0' && value != 0;
    if (at_ == begin || leading_zero) {
      return syntax();
    }
    return Value::of(value);
  }

  Value add(const Value& left, const Value& right) {
    if (left.integer() != nullptr && right.integer() != nullptr) {
      return bounded(*left.integer() + *right.integer());
    }
    if (left.list() == nullptr || right.list() == nullptr) {
      return fail("adds a list and an integer");
    }
    if (entries(left) + entries(right) > kMaxEntries) {
      return fail("produces a list of more than 100,000 entries");
    }
    Value::List items = *left.list();
    items.insert(items.end(), right.list()->begin(), right.list()->end());
    return Value::of(std::move(items));
  }

  Value multiply(const Value& left, const Value& right) {
    if (left.integer() != nullptr && right.integer() != nullptr) {
      const bool fits = *left.integer() == 0 || *right.integer() <= kMaxInteger / *left.integer();
      return fits ? bounded(*left.integer() * *right.integer())
                  : fail("contains a number that is too large");
    }
    if (left.list() == nullptr && right.list() != nullptr) {
      return multiply(right, left);
    }
    if (left.list() == nullptr || right.integer() == nullptr) {
      return fail("multiplies two lists");
    }
    const auto times = static_cast<std::size_t>(*right.integer());
    if (times != 0 && entries(left) > kMaxEntries / times) {
      return fail("produces a list of more than 100,000 entries");
    }
    Value::List items;
    for (std::size_t i = 0; i < times; ++i) {
      items.insert(items.end(), left.list()->begin(), left.list()->end());
    }
    return Value::of(std::move(items));
  }

  Value power(const Value& base, const Value& exponent) {
    if (base.integer() == nullptr || exponent.integer() == nullptr) {
      return fail("raises a list to a power");
    }
    if (*base.integer() < 2 || *exponent.integer() == 0) {
      return Value::of(*exponent.integer() == 0 ? std::int64_t{1} : *base.integer());
    }
    Value result = base;
    for (std::int64_t i = 1; i < *exponent.integer() && !failed(); ++i) {
      result = multiply(result, base);
    }
    return result;
  }

  Value index(const Value& list, const Value& position) {
    if (list.list() == nullptr || position.integer() == nullptr) {
      return fail("indexes something that is not a list");
    }
    const auto at = static_cast<std::size_t>(*position.integer());
    return at < list.list()->size() ? (*list.list())[at]
                                    : fail("indexes past the end of a list", true);
  }

  Value bounded(std::int64_t value) {
    return value <= kMaxInteger ? Value::of(value) : fail("contains a number that is too large");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string problem_;
  bool crash_ = false;
};

}  // namespace

Pattern evaluate_pattern(std::string_view text) {
  constexpr std::string_view kAllowed = ",0123456789[]()+*";
  if (text.empty() || text.find_first_not_of(kAllowed) != std::string_view::npos) {
    return {{}, "may contain only digits and , [ ] ( ) + *"};
  }
  return Evaluator(text).whole();
}

}  // namespace epwise::recipe
