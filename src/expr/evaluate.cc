#include <array>
#include <optional>

#include "expr/arithmetic.h"
#include "expr/comparison.h"
#include "expr/expression.h"
#include "expr/functions.h"
#include "expr/lexer.h"
#include "expr/precedence.h"
#include "expr/python_text.h"

namespace epwise::expr {

namespace {

constexpr std::size_t kMaxLocals = 8;

// What the unknowns met so far need; allocates only when there is one.
class Needs {
 public:
  void add(const Value& value) {
    open_ = true;
    collect_needs(value, names_);
  }

  bool open() const { return open_; }

  Value value() { return Value::unknown(std::move(names_)); }

 private:
  bool open_ = false;
  std::vector<std::string> names_;
};

class Evaluator {
 public:
  Evaluator(const Expression& expression, const Environment& environment)
      : expression_(expression), environment_(environment) {}

  Value run() { return compute(expression_.nodes.back()); }

 private:
  const Node& child(const Node& node, std::int32_t index) const {
    const auto at = static_cast<std::size_t>(node.first + index);
    return expression_.nodes[static_cast<std::size_t>(expression_.children[at])];
  }

  // The value of a node without a copy where it already stands somewhere, else computed into
  // `scratch`.
  const Value& read(const Node& node, Value& scratch) {
    switch (node.op) {
      case Op::literal:
        return expression_.constants[static_cast<std::size_t>(node.constant)];
      case Op::name:
        return environment_.value(node.slot);
      case Op::local:
        return *locals_[static_cast<std::size_t>(node.slot)];
      default:
        scratch = compute(node);
        return scratch;
    }
  }

  Value compute(const Node& node) {
    switch (node.op) {
      case Op::literal:
      case Op::name:
      case Op::local: {
        Value unused;
        return read(node, unused);
      }
      case Op::negate:
      case Op::logical_not:
        return unary(node);
      case Op::logical_and:
        return connective(node, false);
      case Op::logical_or:
        return connective(node, true);
      case Op::conditional:
        return conditional(node);
      case Op::in:
        return membership(node);
      case Op::list:
        return list(node);
      case Op::call:
        return call(node);
      case Op::exists:
        return quantifier(node, true);
      case Op::all:
        return quantifier(node, false);
      case Op::filter:
        return filter(node);
      case Op::is_explicit:
      case Op::written:
      case Op::has_section:
      case Op::origin:
        return special_form(node);
      default:
        return binary(node);
    }
  }

  Value unary(const Node& node) {
    Value scratch;
    const Value& operand = read(child(node, 0), scratch);
    if (!operand.is_known()) {
      return operand;
    }
    return node.op == Op::negate ? negate(operand) : Value::of(!operand.truthy());
  }

  // `&&` is decided by false, `||` by true.
  Value connective(const Node& node, bool decisive) {
    Value left_scratch;
    const Value& left = read(child(node, 0), left_scratch);
    if (left.is_crash()) {
      return left;
    }
    if (!left.is_unknown() && left.truthy() == decisive) {
      return Value::of(decisive);
    }
    Value right_scratch;
    const Value& right = read(child(node, 1), right_scratch);
    if (right.is_known() && right.truthy() == decisive) {
      return Value::of(decisive);
    }
    if (left.is_unknown()) {
      return both_open(left, right);
    }
    return right.is_known() ? Value::of(!decisive) : right;
  }

  // An unknown on the left; the right side adds what it needs, its crash stays unseen.
  static Value both_open(const Value& left, const Value& right) {
    Needs needs;
    needs.add(left);
    if (holds_unknown(right)) {
      needs.add(right);
    }
    return needs.value();
  }

  Value conditional(const Node& node) {
    Value scratch;
    const Value& condition = read(child(node, 0), scratch);
    if (condition.is_crash()) {
      return condition;
    }
    if (!condition.is_unknown()) {
      return compute(child(node, condition.truthy() ? 1 : 2));
    }
    Needs needs;
    needs.add(condition);
    for (const std::int32_t choice : {1, 2}) {
      Value choice_scratch;
      const Value& value = read(child(node, choice), choice_scratch);
      if (holds_unknown(value)) {
        needs.add(value);
      }
    }
    return needs.value();
  }

  Value binary(const Node& node) {
    Value left_scratch;
    const Value& left = read(child(node, 0), left_scratch);
    if (left.is_crash()) {
      return left;
    }
    Value right_scratch;
    const Value& right = read(child(node, 1), right_scratch);
    if (left.is_unknown()) {
      return both_open(left, right);
    }
    if (!right.is_known()) {
      return right;
    }
    return combine(node.op, left, right);
  }

  static Value combine(Op op, const Value& left, const Value& right) {
    switch (op) {
      case Op::equal:
        return equal_value(left, right);
      case Op::not_equal: {
        Value same = equal_value(left, right);
        return same.is_unknown() ? same : Value::of(!*same.boolean());
      }
      case Op::add:
        return add(left, right);
      case Op::subtract:
        return subtract(left, right);
      case Op::multiply:
        return multiply(left, right);
      case Op::divide:
        return divide(left, right);
      case Op::floor_divide:
        return floor_divide(left, right);
      case Op::modulo:
        return modulo(left, right);
      default:
        return ordering_value(left, right, sign_of(op));
    }
  }

  // `x in ["a", "b"]` compares with the items where they stand and builds no list.
  Value membership(const Node& node) {
    const Node& right = child(node, 1);
    if (right.op != Op::list) {
      return plain_membership(node);
    }
    Value left_scratch;
    const Value& left = read(child(node, 0), left_scratch);
    if (left.is_crash()) {
      return left;
    }
    Needs needs;
    bool found = false;
    for (std::int32_t i = 0; i < right.count; ++i) {
      Value item_scratch;
      const Value& item = read(child(right, i), item_scratch);
      if (item.is_crash()) {
        return left.is_unknown() ? left : item;
      }
      const Likeness same = equality(left, item);
      found = found || same == Likeness::equal;
      if (same == Likeness::open) {
        needs.add(item);
      }
    }
    if (found || !needs.open()) {
      return Value::of(found);
    }
    return with(std::move(needs), left);
  }

  static Value with(Needs needs, const Value& value) {
    needs.add(value);
    return needs.value();
  }

  Value plain_membership(const Node& node) {
    Value left_scratch;
    const Value& left = read(child(node, 0), left_scratch);
    if (left.is_crash()) {
      return left;
    }
    Value right_scratch;
    const Value& right = read(child(node, 1), right_scratch);
    if (right.is_unknown() || (left.is_unknown() && right.list() == nullptr)) {
      return both_open(left, right);
    }
    return right.is_crash() ? right : in_value(left, right);
  }

  Value list(const Node& node) {
    Value::List items;
    items.reserve(static_cast<std::size_t>(node.count));
    for (std::int32_t i = 0; i < node.count; ++i) {
      items.push_back(compute(child(node, i)));
      if (items.back().is_crash()) {
        return std::move(items.back());
      }
    }
    return Value::of(std::move(items));
  }

  Value call(const Node& node) {
    constexpr std::int32_t kFew = 3;
    if (node.count <= kFew) {
      std::array<Value, kFew> scratch;
      std::array<const Value*, kFew> arguments = {};
      return call_with(node, scratch, arguments);
    }
    std::vector<Value> scratch(static_cast<std::size_t>(node.count));
    std::vector<const Value*> arguments(scratch.size());
    return call_with(node, scratch, arguments);
  }

  Value call_with(const Node& node, std::span<Value> scratch, std::span<const Value*> arguments) {
    const Function& function = functions()[static_cast<std::size_t>(node.slot)];
    Needs needs;
    for (std::int32_t i = 0; i < node.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      arguments[at] = &read(child(node, i), scratch[at]);
      const Value& argument = *arguments[at];
      if (argument.is_crash()) {
        return needs.open() ? needs.value() : argument;
      }
      if (argument.is_unknown() || (!function.shallow && holds_unknown(argument))) {
        needs.add(argument);
      }
    }
    if (needs.open()) {
      return needs.value();
    }
    return function.call(arguments.first(static_cast<std::size_t>(node.count)));
  }

  // The items that a macro runs over: those of a list, the letters of a text.
  static std::optional<Value::List> letters(const Value& value) {
    const std::string* text = value.text();
    if (text == nullptr) {
      return std::nullopt;
    }
    Value::List items;
    for (std::size_t begin = 0; begin < text->size();) {
      std::size_t end = begin + 1;
      while (end < text->size() && (static_cast<unsigned char>((*text)[end]) & 0xC0) == 0x80) {
        ++end;
      }
      items.push_back(Value::of(std::string_view(*text).substr(begin, end - begin)));
      begin = end;
    }
    return items;
  }

  const Value& bind(const Node& node, const Value& item, Value& scratch) {
    locals_[static_cast<std::size_t>(node.slot)] = &item;
    return read(child(node, 1), scratch);
  }

  Value quantifier(const Node& node, bool decisive) {
    Value scratch;
    const Value& target = read(child(node, 0), scratch);
    if (!target.is_known()) {
      return target;
    }
    const std::optional<Value::List> spelled = letters(target);
    const Value::List* items = spelled ? &*spelled : target.list();
    if (items == nullptr) {
      return not_iterable(target);
    }
    Needs needs;
    for (const Value& item : *items) {
      Value item_scratch;
      const Value& verdict = bind(node, item, item_scratch);
      if (verdict.is_unknown()) {
        needs.add(verdict);
      } else if (verdict.is_crash()) {
        if (!needs.open()) {
          return verdict;
        }
      } else if (verdict.truthy() == decisive) {
        return Value::of(decisive);
      }
    }
    return needs.open() ? needs.value() : Value::of(!decisive);
  }

  Value filter(const Node& node) {
    Value scratch;
    const Value& target = read(child(node, 0), scratch);
    if (!target.is_known()) {
      return target;
    }
    const std::optional<Value::List> spelled = letters(target);
    const Value::List* items = spelled ? &*spelled : target.list();
    if (items == nullptr) {
      return not_iterable(target);
    }
    Needs needs;
    Value::List kept;
    for (const Value& item : *items) {
      Value item_scratch;
      const Value& verdict = bind(node, item, item_scratch);
      if (verdict.is_unknown()) {
        needs.add(verdict);
      } else if (verdict.is_crash()) {
        return needs.open() ? needs.value() : verdict;
      } else if (verdict.truthy()) {
        kept.push_back(item);
      }
    }
    return needs.open() ? needs.value() : Value::of(std::move(kept));
  }

  static Value not_iterable(const Value& value) {
    return Value::crash("TypeError: " + std::string(type_word(value)) + " is no list");
  }

  Value special_form(const Node& node) const {
    switch (node.op) {
      case Op::is_explicit:
        return environment_.is_explicit(node.slot);
      case Op::written:
        return environment_.written(node.slot);
      case Op::origin:
        return environment_.origin(node.slot);
      default:
        return environment_.has_section(
            *expression_.constants[static_cast<std::size_t>(node.constant)].text());
    }
  }

  const Expression& expression_;
  const Environment& environment_;
  std::array<const Value*, kMaxLocals> locals_ = {};
};

}  // namespace

Value evaluate(const Expression& expression, const Environment& environment) {
  return Evaluator(expression, environment).run();
}

}  // namespace epwise::expr
