#include "expr/expression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "expr/functions.h"
#include "expr/lexer.h"
#include "expr/python_text.h"

namespace epwise::expr {

Names::Names(std::vector<std::string_view> names) : names_(std::move(names)) {
  slots_.reserve(names_.size());
  for (const NameSlot slot : slots()) {
    slots_.emplace(name(slot), slot);
  }
}

NameSlot Names::slot(std::string_view name) {
  if (const auto known = find(name)) {
    return *known;
  }
  owned_.emplace_back(name);
  const NameSlot slot(static_cast<std::int32_t>(names_.size()));
  names_.emplace_back(owned_.back());
  slots_.emplace(names_.back(), slot);
  return slot;
}

std::optional<NameSlot> Names::find(std::string_view name) const {
  const auto found = slots_.find(name);
  return found == slots_.end() ? std::nullopt : std::optional(found->second);
}

namespace {

struct Unit {
  units::Dimension dimension;
  std::string_view name;
};

// A constant is printed in the unit with the shortest text; ties: the first.
constexpr std::array<Unit, 25> kUnits = {{
    {units::Dimension::bytes, "TiB"},
    {units::Dimension::bytes, "GiB"},
    {units::Dimension::bytes, "MiB"},
    {units::Dimension::bytes, "KiB"},
    {units::Dimension::bytes, "TB"},
    {units::Dimension::bytes, "GB"},
    {units::Dimension::bytes, "MB"},
    {units::Dimension::bytes, "B"},
    {units::Dimension::seconds, "s"},
    {units::Dimension::seconds, "ms"},
    {units::Dimension::seconds, "us"},
    {units::Dimension::seconds, "ns"},
    {units::Dimension::flops, "TFLOP"},
    {units::Dimension::flops, "GFLOP"},
    {units::Dimension::flops, "FLOP"},
    {units::Dimension::bytes_per_second, "TB/s"},
    {units::Dimension::bytes_per_second, "GB/s"},
    {units::Dimension::bytes_per_second, "MB/s"},
    {units::Dimension::bytes_per_second, "B/s"},
    {units::Dimension::flops_per_second, "TFLOP/s"},
    {units::Dimension::flops_per_second, "GFLOP/s"},
    {units::Dimension::flops_per_second, "FLOP/s"},
    {units::Dimension::hertz, "GHz"},
    {units::Dimension::hertz, "MHz"},
    {units::Dimension::hertz, "Hz"},
}};

constexpr std::array<std::string_view, 8> kVariables = {"x", "y", "z", "u", "v", "w", "p", "q"};

std::string in_double_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        result += '\\';
        result += c;
        break;
      case '\n':
        result += "\\n";
        break;
      case '\t':
        result += "\\t";
        break;
      case '\r':
        result += "\\r";
        break;
      default:
        result += c;
    }
  }
  return result + "\"";
}

// The constant in one unit if parsing that text gives exactly the constant; otherwise empty.
std::string in_unit(const Value& number, const Unit& unit) {
  const auto factor = units::parse_unit(unit.name);
  if (!factor) {
    return {};
  }
  if (const std::int64_t* integer = number.integer()) {
    const auto whole = static_cast<std::int64_t>(factor->value);
    const bool exact = factor->value >= 1 && *integer % whole == 0;
    return exact ? fmt::format("{} {}", *integer / whole, unit.name) : std::string();
  }
  // A whole number before a unit of at least one would be parsed as an integer.
  constexpr double kExact = 1e15;
  const double scaled = number.as_number() / factor->value;
  const double round = std::round(scaled);
  if (factor->value < 1 && round < kExact && round * factor->value == number.as_number()) {
    return fmt::format("{} {}", static_cast<std::int64_t>(round), unit.name);
  }
  const bool exact = scaled * factor->value == number.as_number();
  return exact ? fmt::format("{} {}", number_text(Value::of(scaled)), unit.name) : std::string();
}

std::string with_unit(const Value& number, units::Dimension dimension) {
  std::string shortest;
  for (const Unit& unit : kUnits) {
    if (unit.dimension == dimension) {
      std::string text = in_unit(number, unit);
      if (!text.empty() && (shortest.empty() || text.size() < shortest.size())) {
        shortest = std::move(text);
      }
    }
  }
  return shortest;
}

class Printer {
 public:
  Printer(const Expression& expression, const Names& names)
      : expression_(expression),
        names_(names) {}

  std::string run() {
    print(expression_.nodes.back());
    return std::move(text_);
  }

 private:
  const Node& child(const Node& node, std::int32_t index) const {
    const auto at = static_cast<std::size_t>(node.first + index);
    return expression_.nodes[static_cast<std::size_t>(expression_.children[at])];
  }

  // In brackets if the child has lower precedence than its context requires.
  void print_within(const Node& node, int lowest) {
    const bool bracket = precedence(node.op) < lowest;
    text_ += bracket ? "(" : "";
    print(node);
    text_ += bracket ? ")" : "";
  }

  void print(const Node& node) {
    switch (node.op) {
      case Op::literal:
        return literal(node);
      case Op::name:
        text_ += names_.name(node.name());
        return;
      case Op::local:
        text_ += variable(node.slot);
        return;
      case Op::negate:
      case Op::logical_not:
        text_ += node.op == Op::negate ? "-" : "!";
        return print_within(child(node, 0), precedence(node.op));
      case Op::conditional:
        print_within(child(node, 0), precedence(node.op) + 1);
        text_ += " ? ";
        print(child(node, 1));
        text_ += " : ";
        return print(child(node, 2));
      case Op::list:
        text_ += "[";
        return items(node, "]");
      case Op::call:
        text_ += functions()[static_cast<std::size_t>(node.slot)].name;
        text_ += "(";
        return items(node, ")");
      case Op::exists:
      case Op::all:
      case Op::filter:
        return macro(node);
      case Op::is_explicit:
      case Op::written:
      case Op::has_section:
      case Op::origin:
        return special_form(node);
      default:
        return binary(node);
    }
  }

  void binary(const Node& node) {
    const int level = precedence(node.op);
    const bool chains = level != precedence(Op::equal);
    print_within(child(node, 0), chains ? level : level + 1);
    text_ += fmt::format(" {} ", sign_of(node.op));
    print_within(child(node, 1), level + 1);
  }

  void items(const Node& node, std::string_view close) {
    for (std::int32_t i = 0; i < node.count; ++i) {
      text_ += i == 0 ? "" : ", ";
      print(child(node, i));
    }
    text_ += close;
  }

  void literal(const Node& node) {
    const auto& [value, dimension] = expression_.constant(node);
    if (value.text() != nullptr) {
      text_ += in_double_quotes(*value.text());
    } else if (value.version() != nullptr) {
      text_ += "v" + in_double_quotes(value.version()->text());
    } else if (dimension != units::Dimension::none) {
      text_ += with_unit(value, dimension);
    } else if (value.real() != nullptr) {
      text_ += number_text(value);
    } else {
      text_ += value.to_text();
    }
  }

  void macro(const Node& node) {
    const Node& target = child(node, 0);
    const bool bracket = is_bare_word(target) || precedence(target.op) < precedence(Op::name);
    text_ += bracket ? "(" : "";
    print(target);
    text_ += fmt::format("{}.{}({}, ",
                         bracket ? ")" : "",
                         node.op == Op::exists ? "exists"
                         : node.op == Op::all  ? "all"
                                               : "filter",
                         variable(node.slot));
    print(child(node, 1));
    text_ += ")";
  }

  // `8.all` would read as a number, `true.all` as a name.
  bool is_bare_word(const Node& node) const {
    if (node.op != Op::literal) {
      return false;
    }
    const Value& value = expression_.constant(node).value;
    return value.text() == nullptr && value.version() == nullptr;
  }

  void special_form(const Node& node) {
    switch (node.op) {
      case Op::is_explicit:
        text_ += "explicit(";
        break;
      case Op::written:
        text_ += "written(";
        break;
      case Op::origin:
        text_ += "origin(";
        break;
      default: {
        text_ +=
            fmt::format("section({})", in_double_quotes(*expression_.constant(node).value.text()));
        return;
      }
    }
    text_ += fmt::format("{})", names_.name(node.name()));
  }

  // Variables are numbered, because the author's names are lost: any name will do that hides none
  // read here.
  std::string variable(std::int32_t slot) const {
    std::string name(kVariables[static_cast<std::size_t>(slot)]);
    while (is_read(name)) {
      name += '_';
    }
    return name;
  }

  bool is_read(std::string_view variable) const {
    return std::any_of(
        expression_.nodes.begin(), expression_.nodes.end(), [this, variable](const Node& node) {
          if (!reads_name(node.op)) {
            return false;
          }
          const std::string_view name = names_.name(node.name());
          return name.substr(0, name.find('.')) == variable;
        });
  }

  const Expression& expression_;
  const Names& names_;
  std::string text_;
};

}  // namespace

std::string to_text(const Expression& expression, const Names& names) {
  return Printer(expression, names).run();
}

int cost_bound(const Expression& expression) {
  constexpr std::int64_t kRounds = 64;
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  std::vector<std::int64_t> costs;
  for (const Node& node : expression.nodes) {
    std::int64_t cost = 1;
    for (std::int32_t i = 0; i < node.count; ++i) {
      const auto at = static_cast<std::size_t>(node.first) + static_cast<std::size_t>(i);
      const std::int64_t child = costs[static_cast<std::size_t>(expression.children[at])];
      cost += is_macro(node.op) && i == 1 ? child * kRounds : child;
    }
    costs.push_back(std::min(cost, kMost));
  }
  return costs.empty() ? 0 : static_cast<int>(costs.back());
}

}  // namespace epwise::expr
