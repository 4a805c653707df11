#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/names.h"
#include "expr/type.h"
#include "expr/value.h"

/// The rule language: a small, total, CEL-like expression language over facts. No loops but the
/// bounded macros, no assignment, no side effects. rules/README.md tells it to authors of rules.
///
///   literals    true false null 8 0.5 "text" 'text' [1, 2] v"2.7.0"  16 GiB  450 GB/s  12 us
///   names       model.num_layers  d.DP  hw.nvlink_domain  stack.te  env.NCCL_ALGO  fw
///   operators   c ? a : b   ||   &&   == != < <= > >= in   + -   * / // %   ! - (negation)
///               loosest first; comparisons don't chain
///   macros      list.exists(x, P)   list.all(x, P)   list.filter(x, P)
///               x is a plain name, P may read it; a text stands for the list of its letters
///   special     explicit(name) written(name) section("comm_overlap") origin(name):
///               about a field, not its value
///   functions   see functions.h; the only list of them is functions.cc
///
/// Semantics are those of the Python code that the rules describe, so that a condition behaves as
/// upstream's:
///  * `&&`, `||`, `!`, `?:` use Python's truth (null, 0, "", [] are false); the first three give
///    booleans. `/` is true division, `//` and `%` floor. `==` never crashes. `<` between text and
///    number, arithmetic on null, `in` on null and division by zero are a Crash (upstream would
///    raise there). An integer that leaves 64 bits becomes a real.
///  * Unknown operands: `false && unknown` and `unknown && false` are false, `true || unknown` and
///    `unknown || true` are true; everything else is Unknown with the union of the names that would
///    settle it. `false && crash` is false (short circuit, left to right); a crash on the right of
///    an unknown stays unknown. A list may hold unknown items: `1 in [1, u]` is true.
///  * Versions compare by PEP 440; comparing a version with text parses the text; comparing null
///    with a version is false for every ordering (what is not there satisfies no minimum).
namespace epwise::expr {

enum class Op : std::uint32_t {
  literal,  // `constant`
  name,     // `slot`
  local,    // `slot` numbers the variable of an enclosing macro
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
  exists,  // children: list, predicate; `slot` numbers the variable
  all,
  filter,
  is_explicit,  // `slot` is the name's, the child is the name
  written,
  has_section,  // `constant` is the section's name, the child is that literal
  origin,
};

/// One node of the tree; children stand in `Expression::children` at [first, first + count).
struct Node {
  using AsBytes = void;  // the archive copies it whole

  Op op = Op::literal;
  std::int32_t slot = -1;
  std::int32_t first = 0;
  std::int32_t count = 0;
  std::int32_t constant = -1;  // index in `Expression::constants`
  std::uint32_t begin = 0;     // range in the expression's own text, for messages
  std::uint32_t end = 0;
};

/// A parsed expression. Plain data, so that the build can store it in the compiled table
/// (expr/archive.h).
struct Expression {
  std::vector<Node> nodes;  // the root is the last one
  std::vector<std::int32_t> children;
  std::vector<Value> constants;
  std::vector<units::Dimension> dimensions;  // of each constant

  bool empty() const { return nodes.empty(); }

  /// Slots of every name read, ascending, without doubles.
  std::vector<int> names() const;
};

/// What is wrong with an expression, as a range of its text.
struct Problem {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string sentence;
};

struct Parsed {
  Expression expression;
  std::vector<Problem> problems;  // not empty: the expression must not be used
};

/// Text → tree. Names are interned, not judged. Nesting is bounded (200), length too (16 KiB).
Parsed parse(std::string_view text, Names& names);

/// What the checker knows about names; nullopt: no such name, `candidates` then feeds the
/// suggestion.
struct Scope {
  std::function<std::optional<Type>(std::string_view name)> type_of;
  std::function<std::vector<std::string_view>()> candidates;
};

/// Everything that can be said before running: names exist, functions and their argument counts,
/// operand types, units agree, and the result has the wanted kind (any: no wish). Also computes
/// nothing.
std::vector<Problem> check(const Expression& expression,
                           const Names& names,
                           const Scope& scope,
                           Kind wanted);

/// An upper bound of the nodes that one evaluation visits; macros count as 64 rounds.
int cost_bound(const Expression& expression);

/// Where values come from.
class Environment {
 public:
  virtual ~Environment() = default;
  virtual const Value& value(int slot) const = 0;
  virtual Value written(
      int slot) const = 0;  // as the user wrote it, before any rewrite; unset when not written
  virtual Value is_explicit(int slot) const = 0;  // a boolean: the user wrote it
  virtual Value has_section(std::string_view section) const = 0;
  virtual Value origin(int slot) const = 0;  // "written", "override", "environment", "default"
};

Value evaluate(const Expression& expression, const Environment& environment);

/// The tree as text with the fewest brackets, for `explain` and tests: parse(to_text(e)) gives e.
std::string to_text(const Expression& expression, const Names& names);

}  // namespace epwise::expr
