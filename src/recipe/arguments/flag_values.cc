#include "recipe/arguments/flag_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "expr/python_text.h"
#include "recipe/arguments/list_pattern.h"

namespace epwise::recipe {
namespace {

using expr::Value;
using Outcome = Converted::Outcome;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Removes single underscores between digits; nullopt where one stands elsewhere.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out.push_back(text[i]);
    } else if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1])) {
      return std::nullopt;
    }
  }
  return out;
}

/// True for digits with at most one point and an exponent, without a sign.
bool is_decimal(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, exponent);
  const auto digits = std::count_if(mantissa.begin(), mantissa.end(), is_digit);
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
  return !power.empty() && std::all_of(power.begin(), power.end(), is_digit);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

std::optional<double> special_float(std::string_view text) {
  const std::string word = lower(text);
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

Converted to_integer(std::string_view word) {
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
    return to_integer(word);
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

}  // namespace epwise::recipe
