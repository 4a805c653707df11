#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/embedded/archive.h"
#include "base/units/quantity.h"
#include "expr/value.h"

namespace epwise::expr {

/// The number of a name in its `Names`. A type of its own, so that the number of a function, a
/// variable, a rule or a node of a graph is not taken for it; no slot means "no such name":
/// use an optional one if there may be none.
class NameSlot {
 public:
  constexpr explicit NameSlot(std::int32_t number) : number_(number) {}

  constexpr std::int32_t number() const { return number_; }

  constexpr std::size_t index() const { return static_cast<std::size_t>(number_); }

  friend constexpr auto operator<=>(NameSlot a, NameSlot b) = default;

 private:
  std::int32_t number_;
};

/// Interns the dotted names in expressions ("model.num_layers", "d.DP", "stack.te") as small
/// numbers, so that evaluation looks values up by index.
class Names {
 public:
  /// All slots in order: `for (const auto slot : names.slots())`.
  class Slots {
   public:
    class Iterator {
     public:
      explicit Iterator(std::int32_t number) : number_(number) {}

      NameSlot operator*() const { return NameSlot(number_); }

      Iterator& operator++() {
        ++number_;
        return *this;
      }

      friend bool operator==(Iterator a, Iterator b) = default;

     private:
      std::int32_t number_;
    };

    explicit Slots(std::int32_t count) : count_(count) {}

    Iterator begin() const { return Iterator(0); }

    Iterator end() const { return Iterator(count_); }

   private:
    std::int32_t count_;
  };

  Names() = default;

  /// Of a compiled table, in the order of their slots: each occurs once, and their text outlives the
  /// object.
  explicit Names(std::vector<std::string_view> names);

  NameSlot slot(std::string_view name);  // adds the name if it is new
  std::optional<NameSlot> find(std::string_view name) const;

  /// Throws std::out_of_range for a slot of other names.
  std::string_view name(NameSlot slot) const { return names_.at(slot.index()); }

  std::size_t size() const { return names_.size(); }

  Slots slots() const { return Slots(static_cast<std::int32_t>(names_.size())); }

 private:
  std::vector<std::string_view> names_;
  std::deque<std::string> owned_;
  std::unordered_map<std::string_view, NameSlot> slots_;
};

}  // namespace epwise::expr

/// The rule language: a small, total, CEL-like expression language over facts. No loops except the
/// bounded macros, no assignments, no side effects. rules/README.md documents it for rule authors.
///
///   literals    true false null 8 0.5 "text" 'text' [1, 2] v"2.7.0"  16 GiB  450 GB/s  12 us
///   names       model.num_layers  d.DP  hw.nvlink_domain  stack.te  env.NCCL_ALGO  fw
///   operators   c ? a : b   ||   &&   == != < <= > >= in   + -   * / // %   ! - (negation)
///               loosest first; comparisons don't chain
///   macros      list.exists(x, P)   list.all(x, P)   list.filter(x, P)
///               x is a plain name, P may read it; a text acts as the list of its characters
///   special     explicit(name) written(name) section("comm_overlap") origin(name):
///               about a field, not its value
///   functions   see functions.h; the only list of them is functions.cc
///
/// The semantics are those of the Python code that the rules describe, so a condition behaves as
/// upstream's:
///  * `&&`, `||`, `!`, `?:` use Python's truth (null, 0, "", [] are false); the first three give
///    booleans. `/` is true division, `//` and `%` floor. `==` never crashes. `<` between text and
///    number, arithmetic on null, `in` on null and division by zero are a Crash (upstream would
///    raise there). An integer that leaves 64 bits becomes a real.
/// * Unknown operands: `false && unknown` and `unknown && false` are false, `true || unknown` and
///   `unknown || true` are true; everything else is Unknown with the union of the names that would
///   determine it. `false && crash` is false (short circuit, left to right); a crash on the right
///   of an unknown stays unknown. A list may contain unknown items: `1 in [1, u]` is true.
/// * Versions compare by PEP 440; comparing a version with text parses the text; comparing null
///   with a version is false for every ordering (a component that is not installed satisfies no
///   minimum).

namespace epwise::expr {

enum class Op : std::uint32_t {
  literal,  // `constant`
  name,     // `slot`
  local,    // `slot` is the index of an enclosing macro's variable
  negate,
  logical_not,
  logical_and,
  logical_or,
  conditional,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  list,
  call,    // `slot` is the index in functions()
  exists,  // children: list, predicate; `slot` is the index of the variable
  all,
  filter,
  is_explicit,  // `slot` is the name's, the child is the name
  written,
  has_section,  // `constant` is the section's name, the child is that literal
  origin,
};

/// One node of the tree; children are in `Expression::children` at [first, first + count).
struct Node {
  using AsBytes = void;  // the archive copies it as a whole

  Op op = Op::literal;
  std::int32_t slot = -1;  // of a name, a function or a variable, see `Op`
  std::int32_t first = 0;
  std::int32_t count = 0;
  std::int32_t constant = -1;  // index in `Expression::constants`
  std::uint32_t begin = 0;     // range in the expression's own text, for messages
  std::uint32_t end = 0;

  /// Of nodes that read a name.
  NameSlot name() const { return NameSlot(slot); }
};

/// A literal.
struct Constant {
  Value value;
  units::Dimension dimension = units::Dimension::none;

  bool operator==(const Constant&) const = default;
};

using Constants = std::vector<Constant>;

/// A parsed expression. Plain data, so that the build can store it in the compiled table
/// (expr/archive.h).
struct Expression {
  embedded::Sequence<Node> nodes;  // the root is the last one
  embedded::Sequence<std::int32_t> children;
  std::shared_ptr<const Constants> constants;  // those of a compiled table are one for all

  bool empty() const { return nodes.empty(); }

  /// Of a node that has one.
  const Constant& constant(const Node& node) const {
    return (*constants)[static_cast<std::size_t>(node.constant)];
  }

  /// The literals of the expression, in the order of its text; one occurs as often as it is written.
  std::vector<const Value*> literals() const;

  /// The part with this node as its root: children come before their parents.
  Expression part(std::size_t root) const { return {nodes.first(root + 1), children, constants}; }

  /// Slots of every name read, ascending, unique.
  std::vector<NameSlot> names() const;
};

/// What is wrong with an expression, with a range of its text.
struct Problem {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string sentence;
};

struct Parsed {
  Expression expression;
  std::vector<Problem> problems;  // not empty: the expression must not be used
};

/// Text → tree. Names are interned, not checked. Nesting (200) and length (16 KiB) are limited.
Parsed parse(std::string_view text, Names& names);

/// The checker's knowledge about names; nullopt: unknown name, and `candidates` provides the
/// suggestion.
struct Scope {
  std::function<std::optional<Type>(std::string_view name)> type_of;
  std::function<std::vector<std::string_view>()> candidates;
};

/// Static checks: names exist, functions and their argument counts, operand types, units agree, and
/// the result has the required kind (any: no requirement). Computes no values.
std::vector<Problem> check(const Expression& expression,
                           const Names& names,
                           const Scope& scope,
                           Kind wanted);

/// An upper bound on the nodes visited by one evaluation; a macro counts as 64 iterations.
int cost_bound(const Expression& expression);

/// The source of values.
class Environment {
 public:
  virtual ~Environment() = default;
  virtual const Value& value(NameSlot slot) const = 0;
  virtual Value written(
      NameSlot slot) const = 0;  // as the user wrote it, before any rewrite; unset if not written
  virtual Value is_explicit(NameSlot slot) const = 0;  // a boolean: the user wrote it
  virtual Value has_section(std::string_view section) const = 0;
  virtual Value origin(NameSlot slot) const = 0;  // "written", "override", "environment", "default"
};

Value evaluate(const Expression& expression, const Environment& environment);

/// The tree as text with minimal parentheses, for `explain` and tests: parse(to_text(e)) gives e.
std::string to_text(const Expression& expression, const Names& names);

/// Operator precedence, shared by the parser and the printer. Operators of one level associate left
/// to right, comparisons do not chain.
constexpr int precedence(Op op) {
  switch (op) {
    case Op::conditional:
      return 1;
    case Op::logical_or:
      return 2;
    case Op::logical_and:
      return 3;
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::in:
      return 4;
    case Op::add:
    case Op::subtract:
      return 5;
    case Op::multiply:
    case Op::divide:
    case Op::floor_divide:
    case Op::modulo:
      return 6;
    case Op::negate:
    case Op::logical_not:
      return 7;
    default:
      return 8;
  }
}

/// Nodes whose `slot` is that of a name.
constexpr bool reads_name(Op op) {
  return op == Op::name || op == Op::is_explicit || op == Op::written || op == Op::origin;
}

/// Nodes whose value is a boolean for all operands (or unknown, or a crash).
constexpr bool gives_truth(Op op) {
  return op == Op::logical_not || op == Op::logical_and || op == Op::logical_or ||
         precedence(op) == precedence(Op::equal) || op == Op::exists || op == Op::all;
}

constexpr bool is_macro(Op op) {
  return op == Op::exists || op == Op::all || op == Op::filter;
}

}  // namespace epwise::expr
