#include "recipe/overrides/casts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "expr/python_text.h"
#include "recipe/arguments/flag_values.h"

namespace epwise::recipe {
namespace {

using expr::Value;

constexpr std::array<std::string_view, 5> kSweeps = {"choice", "glob", "interval", "range", "tag"};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

std::optional<Value> to_integer(const Value& value) {
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
    const std::string word = lower(*text);
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
    return to_integer(value);
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
    out.problem =
        fmt::format("Hydra has no function `{}` for values; put the value in quotes", function);
    return out;
  }
  if (arguments.size() != 1 || named) {
    out.problem = fmt::format("`{}` takes one value", function);
    return out;
  }
  out.value = std::move(arguments.front());
  if (!cast_all(function, out.value)) {
    out.problem = fmt::format("`{}` refuses this value", function);
  }
  return out;
}

}  // namespace epwise::recipe
