#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/text/spelling.h"
#include "expr/expression.h"
#include "expr/functions.h"
#include "expr/lexer.h"

namespace epwise::expr {

/// What is known about a node's value before evaluation.
struct Fact {
  Kind kind = Kind::any;
  // nullopt: unknown
  std::optional<units::Dimension> dimension = units::Dimension::none;
  bool null = false;   // the literal
  bool bare = false;   // a number literal without unit, other than 0
  bool whole = false;  // kind real: may still be an integer (max, sum, …)
};

/// "a boolean", "a text", "null", "a value".
std::string_view word_for(const Fact& fact);

bool is_open(const Fact& fact);      // its kind is unknown
bool is_numeric(const Fact& fact);   // boolean, integer or real
bool is_sequence(const Fact& fact);  // text or list
bool may_be_number(const Fact& fact);

/// Kinds whose values can be equal to, or ordered with, each other.
bool comparable(const Fact& left, const Fact& right);

/// The kind of `left op right` for numbers: integer if both are, real if one certainly is not.
Fact number_of(const Fact& left, const Fact& right);

/// True if an argument of that kind is acceptable.
bool suits(const Fact& fact, Kind wanted);

/// True if the arithmetic `left op right` crashes for all values.
bool never_computes(Op op, const Fact& left, const Fact& right);

/// The dimension of a product or quotient (also `//`); nullopt if it is none of ours, after which
/// it is no longer checked.
///   bytes / seconds → bytes/s;  bytes/s * seconds → bytes;  bytes / bytes → none
std::optional<units::Dimension> multiplied(std::optional<units::Dimension> left,
                                           std::optional<units::Dimension> right);
std::optional<units::Dimension> divided(std::optional<units::Dimension> left,
                                        std::optional<units::Dimension> right);

namespace {

using units::Dimension;

bool is_ordering(Op op) {
  return op == Op::less || op == Op::less_equal || op == Op::greater || op == Op::greater_equal;
}

class Checker {
 public:
  Checker(const Expression& expression, const Names& names, const Scope& scope)
      : expression_(expression),
        names_(names),
        scope_(scope) {}

  std::vector<Problem> run(Kind wanted) {
    // Children come before their parents, so one pass sees every operand first.
    for (const Node& node : expression_.nodes) {
      facts_.push_back(judge(node));
    }
    if (problems_.empty() && !expression_.empty()) {
      judge_result(wanted);
    }
    return std::move(problems_);
  }

 private:
  std::size_t child_index(const Node& node, std::int32_t index) const {
    const auto place = static_cast<std::size_t>(node.first) + static_cast<std::size_t>(index);
    return static_cast<std::size_t>(expression_.children[place]);
  }

  const Node& child(const Node& node, std::int32_t index) const {
    return expression_.nodes[child_index(node, index)];
  }

  const Fact& fact(const Node& node, std::int32_t index) const {
    return facts_[child_index(node, index)];
  }

  void problem(const Node& node, std::string sentence) {
    problems_.push_back({node.begin, node.end, std::move(sentence)});
  }

  Fact judge(const Node& node) {
    switch (node.op) {
      case Op::literal:
        return literal(node);
      case Op::name:
        return name(node);
      case Op::local:
        return {};
      case Op::negate:
        return negation(node);
      case Op::logical_not:
      case Op::logical_and:
      case Op::logical_or:
        return {.kind = Kind::boolean};
      case Op::conditional:
        return conditional(node);
      case Op::list:
        return {.kind = Kind::list};
      case Op::call:
        return call(node);
      case Op::exists:
      case Op::all:
      case Op::filter:
        return macro(node);
      case Op::is_explicit:
      case Op::written:
      case Op::origin:
      case Op::has_section:
        return special_form(node);
      case Op::in:
        return membership(node);
      case Op::add:
      case Op::subtract:
      case Op::multiply:
      case Op::divide:
      case Op::floor_divide:
      case Op::modulo:
        return arithmetic(node);
      default:
        compare(node, fact(node, 0), fact(node, 1), child(node, 1));
        return {.kind = Kind::boolean};
    }
  }

  Fact literal(const Node& node) const {
    const auto& [value, dimension] = expression_.constant(node);
    if (value.boolean() != nullptr) {
      return {.kind = Kind::boolean};
    }
    if (value.is_number()) {
      const bool bare = dimension == Dimension::none && value.truthy();
      const Kind kind = value.integer() != nullptr ? Kind::integer : Kind::real;
      return {.kind = kind, .dimension = dimension, .bare = bare};
    }
    if (value.is_unset()) {
      return {.null = true};
    }
    return {.kind = value.version() != nullptr ? Kind::version : Kind::text};
  }

  Fact name(const Node& node) {
    const std::string_view name = names_.name(node.name());
    const std::optional<Type> type = scope_.type_of(name);
    if (type) {
      return {.kind = type->kind,
              .dimension = type->kind == Kind::any ? std::nullopt : std::optional(type->dimension)};
    }
    const auto candidates =
        scope_.candidates ? scope_.candidates() : std::vector<std::string_view>();
    problem(node, fmt::format("unknown name `{}`{}", name, text::did_you_mean(name, candidates)));
    return {.dimension = std::nullopt};
  }

  Fact special_form(const Node& node) const {
    if (node.op == Op::written) {
      return {.dimension = fact(node, 0).dimension};
    }
    return {.kind = node.op == Op::origin ? Kind::text : Kind::boolean};
  }

  Fact negation(const Node& node) {
    const Fact& operand = fact(node, 0);
    if (!may_be_number(operand)) {
      problem(node, fmt::format("{} cannot be negated", word_for(operand)));
    }
    Fact result = number_of(operand, operand);
    result.dimension = operand.dimension;
    result.bare = operand.bare;
    return result;
  }

  Fact conditional(const Node& node) const {
    const Fact& yes = fact(node, 1);
    const Fact& no = fact(node, 2);
    if (yes.null || no.null) {
      return yes.null ? no : yes;
    }
    const auto dimension = yes.dimension == no.dimension ? yes.dimension : std::nullopt;
    if (yes.kind == no.kind) {
      return {.kind = yes.kind, .dimension = dimension, .whole = yes.whole && no.whole};
    }
    const bool numbers =
        is_numeric(yes) && is_numeric(no) && yes.kind != Kind::boolean && no.kind != Kind::boolean;
    return {.kind = numbers ? Kind::real : Kind::any,
            .dimension = dimension,
            .whole = numbers && number_of(yes, no).whole};
  }

  Fact call(const Node& node) {
    const Function& function = functions()[static_cast<std::size_t>(node.slot)];
    bool whole = function.result == Kind::real;
    for (std::int32_t i = 0; i < node.count; ++i) {
      const auto place = std::min(static_cast<std::size_t>(i), function.takes.size() - 1);
      if (!suits(fact(node, i), function.takes[place])) {
        problem(child(node, i),
                fmt::format("{} takes {}({}), but this is {}",
                            function.name,
                            function.name,
                            function.arguments,
                            word_for(fact(node, i))));
      }
    }
    // A size keeps its unit: max(16 GiB, x) is bytes, which only the arguments show.
    const bool number = function.result == Kind::real || function.result == Kind::any;
    return {.kind = function.result,
            .dimension = number ? std::nullopt : std::optional(Dimension::none),
            .whole = whole};
  }

  Fact macro(const Node& node) {
    const Fact& target = fact(node, 0);
    if (!is_open(target) && !is_sequence(target)) {
      problem(child(node, 0),
              fmt::format("exists, all and filter need a list, but this is {}", word_for(target)));
    }
    return {.kind = node.op == Op::filter ? Kind::list : Kind::boolean};
  }

  Fact membership(const Node& node) {
    const Fact& item = fact(node, 0);
    const Fact& container = fact(node, 1);
    const Node& right = child(node, 1);
    if (!is_open(container) && !is_sequence(container)) {
      problem(right,
              fmt::format("`in` needs a list or a text on the right, not {}", word_for(container)));
    } else if (container.kind == Kind::text && !is_open(item) && item.kind != Kind::text) {
      problem(child(node, 0),
              fmt::format("only a text can be contained in a text, not {}", word_for(item)));
    } else if (right.op == Op::list) {
      for (std::int32_t i = 0; i < right.count; ++i) {
        compare({.op = Op::equal, .begin = child(right, i).begin, .end = child(right, i).end},
                item,
                fact(right, i),
                child(right, i));
      }
    }
    return {.kind = Kind::boolean};
  }

  // `==`, `!=` and the orderings; `right` is the node of the right operand.
  void compare(const Node& node, const Fact& left, const Fact& right_fact, const Node& right) {
    const bool ordering = is_ordering(node.op);
    if (left.null || right_fact.null) {
      if (ordering) {
        problem(node, "nothing is less or greater than null; compare with == or !=");
      }
      return;
    }
    if (!comparable(left, right_fact)) {
      const bool version = left.kind == Kind::version || right_fact.kind == Kind::version;
      problem(node,
              fmt::format("{} and {} {}{}",
                          word_for(left),
                          word_for(right_fact),
                          ordering ? "cannot be ordered" : "are never equal",
                          version ? "; a version is written v\"2.7.0\"" : ""));
      return;
    }
    compare_version_text(node, left, right);
    same_dimension(node, left, right_fact);
  }

  void compare_version_text(const Node& node, const Fact& left, const Node& right) {
    if (left.kind != Kind::version || right.op != Op::literal) {
      return;
    }
    const std::string* text = expression_.constant(right).value.text();
    if (text != nullptr && !units::Version::parse(*text)) {
      problem(node, fmt::format("`{}` is not a version", *text));
    }
  }

  void same_dimension(const Node& node, const Fact& left, const Fact& right) {
    if (!left.dimension || !right.dimension || left.dimension == right.dimension) {
      return;
    }
    const bool one_plain = left.dimension == Dimension::none || right.dimension == Dimension::none;
    if (!one_plain) {
      problem(node,
              fmt::format("units differ: {} and {}",
                          units::to_string(*left.dimension),
                          units::to_string(*right.dimension)));
    } else if (left.bare || right.bare) {
      const Dimension dimension = left.bare ? *right.dimension : *left.dimension;
      problem(node,
              fmt::format("the number has no unit, but the other side is in {}",
                          units::to_string(dimension)));
    }
  }

  Fact arithmetic(const Node& node) {
    const Fact& left = fact(node, 0);
    const Fact& right = fact(node, 1);
    if (never_computes(node.op, left, right)) {
      problem(node,
              fmt::format("`{}` between {} and {} is not defined",
                          sign_of(node.op),
                          word_for(left),
                          word_for(right)));
      return {.dimension = std::nullopt};
    }
    if (is_sequence(left) || is_sequence(right)) {
      return {.kind = is_sequence(left) ? left.kind : right.kind};
    }
    Fact result = number_of(left, right);
    const bool joins = node.op == Op::add || node.op == Op::multiply;
    if (joins && (is_open(left) || is_open(right))) {
      result.kind = Kind::any;
    }
    if (node.op == Op::divide) {
      result = {.kind = Kind::real};
    }
    result.dimension = dimension_of(node, left, right);
    return result;
  }

  std::optional<Dimension> dimension_of(const Node& node, const Fact& left, const Fact& right) {
    switch (node.op) {
      case Op::multiply:
        return multiplied(left.dimension, right.dimension);
      case Op::divide:
      case Op::floor_divide:
        return divided(left.dimension, right.dimension);
      default:
        same_dimension(node, left, right);
        return left.dimension == Dimension::none ? right.dimension : left.dimension;
    }
  }

  void judge_result(Kind wanted) {
    const Fact& result = facts_.back();
    const Node& root = expression_.nodes.back();
    if (wanted == Kind::any || result.kind == Kind::any || result.kind == wanted) {
      return;
    }
    const bool counts = result.kind == Kind::integer || result.kind == Kind::real;
    if (wanted == Kind::real && counts) {
      return;
    }
    if (wanted == Kind::integer && result.whole) {
      return;
    }
    problem(root,
            fmt::format("this yields {}, but {} is needed{}",
                        word_for(result),
                        word_for({.kind = wanted}),
                        wanted == Kind::boolean ? "; compare it with something" : ""));
  }

  const Expression& expression_;
  const Names& names_;
  const Scope& scope_;
  std::vector<Fact> facts_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> check(const Expression& expression,
                           const Names& names,
                           const Scope& scope,
                           Kind wanted) {
  return Checker(expression, names, scope).run(wanted);
}

std::string_view word_for(const Fact& fact) {
  if (fact.null) {
    return "null";
  }
  switch (fact.kind) {
    case Kind::boolean:
      return "a boolean";
    case Kind::integer:
      return "an integer";
    case Kind::real:
      return "a number";
    case Kind::text:
      return "a text";
    case Kind::version:
      return "a version";
    case Kind::list:
      return "a list";
    case Kind::any:
      break;
  }
  return "a value";
}

bool is_open(const Fact& fact) {
  return fact.kind == Kind::any && !fact.null;
}

bool is_numeric(const Fact& fact) {
  return fact.kind == Kind::boolean || fact.kind == Kind::integer || fact.kind == Kind::real;
}

bool may_be_number(const Fact& fact) {
  return is_open(fact) || is_numeric(fact);
}

bool is_sequence(const Fact& fact) {
  return fact.kind == Kind::text || fact.kind == Kind::list;
}

bool comparable(const Fact& left, const Fact& right) {
  if (is_open(left) || is_open(right)) {
    return true;
  }
  const bool versions = left.kind == Kind::version || right.kind == Kind::version;
  if (versions) {
    const Fact& other = left.kind == Kind::version ? right : left;
    return other.kind == Kind::version || other.kind == Kind::text;
  }
  return (is_numeric(left) && is_numeric(right)) || left.kind == right.kind;
}

Fact number_of(const Fact& left, const Fact& right) {
  if (is_open(left) || is_open(right)) {
    return {.kind = Kind::real, .whole = true};
  }
  const bool real = left.kind == Kind::real || right.kind == Kind::real;
  const bool strict =
      (left.kind == Kind::real && !left.whole) || (right.kind == Kind::real && !right.whole);
  return {.kind = real ? Kind::real : Kind::integer, .whole = !strict};
}

bool suits(const Fact& fact, Kind wanted) {
  if (wanted == Kind::any || fact.kind == Kind::any) {
    return true;
  }
  if (wanted == Kind::real) {
    return is_numeric(fact);
  }
  if (wanted == Kind::integer) {
    return fact.kind == Kind::integer || fact.kind == Kind::boolean || fact.whole;
  }
  return fact.kind == wanted;
}

bool never_computes(Op op, const Fact& left, const Fact& right) {
  const bool numbers = may_be_number(left) && may_be_number(right);
  if (numbers) {
    return false;
  }
  const bool left_joins = is_sequence(left) || is_open(left);
  const bool right_joins = is_sequence(right) || is_open(right);
  if (op == Op::add) {
    return !left_joins || !right_joins ||
           (left.kind != right.kind && !is_open(left) && !is_open(right));
  }
  if (op == Op::multiply) {
    return !((left_joins && may_be_number(right)) || (may_be_number(left) && right_joins));
  }
  return true;
}

namespace {

using units::Dimension;

// whole = part * other
struct Product {
  Dimension whole;
  Dimension part;
  Dimension other;
};

constexpr std::array<Product, 3> kProducts = {
    {{Dimension::bytes, Dimension::bytes_per_second, Dimension::seconds},
     {Dimension::flops, Dimension::flops_per_second, Dimension::seconds},
     {Dimension::none, Dimension::hertz, Dimension::seconds}}};

}  // namespace

std::optional<Dimension> multiplied(std::optional<Dimension> left, std::optional<Dimension> right) {
  if (left == Dimension::none || right == Dimension::none) {
    return left == Dimension::none ? right : left;
  }
  for (const Product& product : kProducts) {
    if ((left == product.part && right == product.other) ||
        (left == product.other && right == product.part)) {
      return product.whole;
    }
  }
  return std::nullopt;
}

std::optional<Dimension> divided(std::optional<Dimension> left, std::optional<Dimension> right) {
  if (right == Dimension::none) {
    return left;
  }
  if (left && left == right) {
    return Dimension::none;
  }
  for (const Product& product : kProducts) {
    if (left == product.whole && right == product.part) {
      return product.other;
    }
    if (left == product.whole && right == product.other) {
      return product.part;
    }
  }
  return std::nullopt;
}

}  // namespace epwise::expr
