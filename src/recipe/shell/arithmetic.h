#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace epwise::shell {

/// Looks up a name in an arithmetic expression.
using Number = std::function<std::optional<std::int64_t>(std::string_view name)>;

/// An expression of `$((…))`: integers, names, + - * / % **, comparisons, ! && ||, ?: and
/// parentheses. Nullopt for anything else, for unknown names, division by zero and overflow.
///   evaluate_arithmetic("8 * (NODES - 1)", …NODES=3) → 16
std::optional<std::int64_t> evaluate_arithmetic(std::string_view text, const Number& number);

/// What an expression assigns: N++, --N, N = 2 * M, N += 4.
struct Assigned {
  std::string name;
  std::optional<std::int64_t> now;     // its new value
  std::optional<std::int64_t> result;  // that of the expression: of N++ the old one
};

/// Nullopt for an expression that assigns nothing, or more than one name.
std::optional<Assigned> evaluate_assignment(std::string_view text, const Number& number);

/// An integer with an optional sign, as read by the shell; nullopt for any other text.
std::optional<std::int64_t> whole_number(std::string_view text);

}  // namespace epwise::shell
