#include "suppress/condition.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>

#include <fmt/format.h>

#include "base/os/files.h"
#include "base/text/ascii.h"
#include "base/units/version.h"

namespace epwise::suppress {

namespace {

using Part = Condition::Part;
using Order = std::optional<std::strong_ordering>;

std::optional<int> number(std::string_view text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end ? std::optional(value) : std::nullopt;
}

bool is_component(const std::string& name) {
  recipe::Stack stack;
  try {
    stack.set(name, "installed", "");
  } catch (const os::UsageError&) {
    return false;
  }
  return true;
}

std::string check(const Part& part) {
  if (part.name == "gpus") {
    return number(part.value) ? "" : fmt::format("`{}` is not a valid number of GPUs", part.value);
  }
  const bool equality = part.op == "==" || part.op == "!=";
  if (part.name == "hw") {
    return equality ? "" : "`hw` can only be compared with == or !=";
  }
  if (!is_component(part.name)) {
    return fmt::format("`{}` is neither a component of the stack, nor gpus, nor hw", part.name);
  }
  if (part.value == "none") {
    return equality ? "" : "`none` can only be compared with == or !=";
  }
  return units::Version::parse(part.value) ? "" : fmt::format("`{}` is not a version", part.value);
}

Part parse_part(std::string_view text, std::string& problem) {
  constexpr std::array<std::string_view, 6> kOperators = {"<=", ">=", "==", "!=", "<", ">"};
  for (const std::string_view op : kOperators) {
    const std::size_t at = text.find(op);
    if (at != std::string_view::npos) {
      Part part{std::string(text::trimmed(text.substr(0, at), " ")),
                std::string(op),
                std::string(text::trimmed(text.substr(at + op.size()), " "))};
      problem = check(part);
      return part;
    }
  }
  problem = fmt::format("`{}` is not a comparison such as te < 2.8", text);
  return {};
}

bool compares(std::strong_ordering order, std::string_view op) {
  if (op == "<") {
    return order < 0;
  }
  if (op == "<=") {
    return order <= 0;
  }
  if (op == ">") {
    return order > 0;
  }
  if (op == ">=") {
    return order >= 0;
  }
  return op == "==" ? order == 0 : order != 0;
}

/// Nullopt: not given by the target.
std::optional<bool> component_holds(const Part& part, const recipe::Stack& stack) {
  const auto* found = stack.find(part.name);
  if (found == nullptr) {
    return std::nullopt;
  }
  if (part.value == "none") {
    return found->absent == (part.op == "==");
  }
  if (found->absent) {
    return false;
  }
  if (!found->version) {
    return std::nullopt;
  }
  return compares(*found->version <=> *units::Version::parse(part.value), part.op);
}

std::optional<bool> part_holds(const Part& part, const facts::Target& target) {
  if (part.name == "gpus") {
    return target.gpus ? std::optional(compares(*target.gpus <=> *number(part.value), part.op))
                       : std::nullopt;
  }
  if (part.name == "hw") {
    return target.hw != nullptr
               ? std::optional((target.hw->name == part.value) == (part.op == "=="))
               : std::nullopt;
  }
  return component_holds(part, target.stack);
}

}  // namespace

Condition parse_condition(std::string_view text, std::string& problem) {
  Condition condition;
  problem.clear();
  while (problem.empty() && !text.empty()) {
    const std::size_t end = text.find(" and ");
    condition.parts.push_back(parse_part(text::trimmed(text.substr(0, end), " "), problem));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 5);
  }
  if (problem.empty() && condition.parts.empty()) {
    problem = "`while` has no condition";
  }
  return condition;
}

std::optional<bool> holds(const Condition& condition,
                          const facts::Target& target,
                          std::vector<std::string>& needs) {
  std::optional<bool> all = true;
  for (const Part& part : condition.parts) {
    const auto one = part_holds(part, target);
    if (one && !*one) {
      return false;
    }
    if (!one) {
      all = std::nullopt;
      const bool own = part.name == "gpus" || part.name == "hw";
      needs.push_back(own ? part.name : "stack." + part.name);
    }
  }
  return all;
}

}  // namespace epwise::suppress
