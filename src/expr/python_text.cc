#include "expr/python_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text/ascii.h"

namespace epwise::expr {

namespace {

// Python's repr prefers single quotes and uses double ones only for a text with a single quote and
// no double one.
std::string python_quoted(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string result(1, quote);
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (c == '\r') {
      result += "\\r";
    } else {
      if (c == quote || c == '\\') {
        result += '\\';
      }
      result += c;
    }
  }
  result += quote;
  return result;
}

std::string item_text(const Value& item) {
  return item.text() != nullptr ? python_quoted(*item.text()) : python_text(item);
}

// Digits without the underscores between them; nullopt if there is an underscore elsewhere or
// another letter.
std::optional<std::string> plain_digits(std::string_view text) {
  std::string digits;
  bool after_digit = false;
  for (const char c : text) {
    if (text::is_digit(c)) {
      digits += c;
      after_digit = true;
    } else if (c == '_' && after_digit) {
      after_digit = false;
    } else {
      return std::nullopt;
    }
  }
  if (!after_digit) {
    return std::nullopt;
  }
  return digits;
}

}  // namespace

std::string number_text(const Value& number) {
  if (const bool* b = number.boolean()) {
    return *b ? "True" : "False";
  }
  if (const std::int64_t* i = number.integer()) {
    return fmt::format("{}", *i);
  }
  const double value = number.as_number();
  if (std::isnan(value)) {
    return "nan";
  }
  std::string text = fmt::format("{}", value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) {
    text += ".0";
  }
  return text;
}

std::string python_text(const Value& value) {
  if (value.is_unset()) {
    return "None";
  }
  if (value.is_number()) {
    return number_text(value);
  }
  const Value::List* list = value.list();
  if (list == nullptr) {
    return value.to_text();
  }
  std::string joined;
  for (const Value& item : *list) {
    joined += joined.empty() ? "" : ", ";
    joined += item_text(item);
  }
  return fmt::format("[{}]", joined);
}

std::string_view stripped(std::string_view text) {
  return text::trimmed(text, text::kPythonWhitespace);
}

std::optional<Value> python_int(std::string_view text) {
  text = stripped(text);
  const bool signed_text = !text.empty() && (text.front() == '-' || text.front() == '+');
  const bool negative = signed_text && text.front() == '-';
  const std::optional<std::string> digits = plain_digits(text.substr(signed_text ? 1 : 0));
  if (!digits) {
    return std::nullopt;
  }
  const std::string number = (negative ? "-" : "") + *digits;
  std::int64_t integer = 0;
  const char* const end = number.data() + number.size();
  if (std::from_chars(number.data(), end, integer).ec == std::errc()) {
    return Value::of(integer);
  }
  // Python rejects more digits than this, so a longer text is not a number in Python either.
  constexpr std::size_t kMaxDigits = 4300;
  double real = 0;
  if (digits->size() > kMaxDigits) {
    return std::nullopt;
  }
  if (std::from_chars(number.data(), end, real).ec == std::errc::result_out_of_range) {
    real = negative ? -HUGE_VAL : HUGE_VAL;
  }
  return Value::of(real);
}

std::string_view type_word(const Value& value) {
  if (value.is_unset()) {
    return "None";
  }
  if (value.boolean() != nullptr) {
    return "bool";
  }
  if (value.integer() != nullptr) {
    return "int";
  }
  if (value.real() != nullptr) {
    return "float";
  }
  if (value.text() != nullptr) {
    return "str";
  }
  if (value.version() != nullptr) {
    return "Version";
  }
  return "list";
}

}  // namespace epwise::expr
