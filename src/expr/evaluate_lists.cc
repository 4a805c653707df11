#include "expr/arithmetic.h"
#include "expr/evaluator.h"
#include "expr/functions.h"
#include "expr/python_text.h"

namespace epwise::expr {

namespace {

// The letters of a text as a list; nullopt for anything else.
std::optional<Value::List> letters(const Value& value) {
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

Value not_iterable(const Value& value) {
  return Value::crash("TypeError: " + std::string(type_word(value)) + " is no list");
}

}  // namespace

Truth Evaluator::membership(const Node& node, Needs& needs) {
  Value left_scratch;
  const Value& left = read(child(node, 0), left_scratch);
  if (left.is_crash()) {
    return truth_of(left, needs);
  }
  if (child(node, 1).op == Op::list) {
    return among(left, child(node, 1), needs);
  }
  Value right_scratch;
  const Value& right = read(child(node, 1), right_scratch);
  if (right.is_unknown() || (left.is_unknown() && right.list() == nullptr)) {
    needs.add(left);
    if (holds_unknown(right)) {
      needs.add(right);
    }
    return Truth::open;
  }
  if (right.list() != nullptr && !spend(right.list()->size())) {
    return truth_of(too_long(), needs);
  }
  return truth_of(right.is_crash() ? right : in_value(left, right), needs);
}

// `x in ["a", "b"]` compares with the items where they stand and builds no list.
Truth Evaluator::among(const Value& wanted, const Node& list, Needs& needs) {
  Needs item_needs;
  bool found = false;
  for (std::int32_t i = 0; i < list.count; ++i) {
    Value scratch;
    const Value& item = read(child(list, i), scratch);
    if (item.is_crash()) {
      return truth_of(wanted.is_unknown() ? wanted : item, needs);
    }
    const Likeness same = equality(wanted, item);
    found = found || same == Likeness::equal;
    if (same == Likeness::open) {
      item_needs.add(item);
    }
  }
  if (found || !item_needs.open()) {
    return found ? Truth::yes : Truth::no;
  }
  needs.add(std::move(item_needs));
  needs.add(wanted);
  return Truth::open;
}

Value Evaluator::list(const Node& node) {
  Value::List items;
  items.reserve(static_cast<std::size_t>(node.count));
  std::size_t size = 0;
  for (std::int32_t i = 0; i < node.count; ++i) {
    items.push_back(compute(child(node, i)));
    if (items.back().is_crash()) {
      return std::move(items.back());
    }
    size += extent(items.back());
    if (size > kMaxExtent) {
      return Value::crash("MemoryError: the list is too long");
    }
  }
  return Value::of(std::move(items));
}

Value Evaluator::call(const Node& node) {
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

Value Evaluator::call_with(const Node& node,
                           std::span<Value> scratch,
                           std::span<const Value*> arguments) {
  const Function& function = functions()[static_cast<std::size_t>(node.slot)];
  Needs needs;
  for (std::int32_t i = 0; i < node.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Value& argument = read(child(node, i), scratch[at]);
    if (argument.is_crash()) {
      return needs.open() ? needs.value() : argument;
    }
    if (argument.is_unknown() || (!function.shallow && holds_unknown(argument))) {
      needs.add(argument);
    }
    arguments[at] = &argument;
  }
  if (needs.open()) {
    return needs.value();
  }
  return function.call(arguments.first(static_cast<std::size_t>(node.count)));
}

Truth Evaluator::quantifier(const Node& node, bool decisive, Needs& needs) {
  Value scratch;
  const Value& target = read(child(node, 0), scratch);
  if (!target.is_known()) {
    return truth_of(target, needs);
  }
  const std::optional<Value::List> spelled = letters(target);
  const Value::List* items = spelled ? &*spelled : target.list();
  if (items == nullptr) {
    return truth_of(not_iterable(target), needs);
  }
  const Truth decision = decisive ? Truth::yes : Truth::no;
  Needs open;
  for (const Value& item : *items) {
    if (!spend(1)) {
      return truth_of(too_long(), needs);
    }
    locals_[static_cast<std::size_t>(node.slot)] = &item;
    const Truth truth = test(child(node, 1), open);
    if (truth == decision || (truth == Truth::crashed && !open.open())) {
      return truth;
    }
  }
  if (open.open()) {
    needs.add(std::move(open));
    return Truth::open;
  }
  return decisive ? Truth::no : Truth::yes;
}

Value Evaluator::filter(const Node& node) {
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
    if (!spend(1)) {
      return too_long();
    }
    locals_[static_cast<std::size_t>(node.slot)] = &item;
    const Truth truth = test(child(node, 1), needs);
    if (truth == Truth::crashed) {
      return needs.open() ? needs.value() : std::move(crash_);
    }
    if (truth == Truth::yes) {
      kept.push_back(item);
    }
  }
  return needs.open() ? needs.value() : Value::of(std::move(kept));
}

}  // namespace epwise::expr
