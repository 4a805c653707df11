#include "expr/arithmetic.h"
#include "expr/evaluator.h"
#include "expr/functions.h"
#include "expr/python_text.h"

namespace epwise::expr {

Value Evaluator::membership(const Node& node) {
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

Value Evaluator::with(Needs needs, const Value& value) {
  needs.add(value);
  return needs.value();
}

Value Evaluator::plain_membership(const Node& node) {
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
  if (right.list() != nullptr && !spend(right.list()->size())) {
    return too_long();
  }
  return right.is_crash() ? right : in_value(left, right);
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

std::optional<Value::List> Evaluator::letters(const Value& value) {
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

const Value& Evaluator::bind(const Node& node, const Value& item, Value& scratch) {
  locals_[static_cast<std::size_t>(node.slot)] = &item;
  return read(child(node, 1), scratch);
}

Value Evaluator::quantifier(const Node& node, bool decisive) {
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
    if (!spend(1)) {
      return too_long();
    }
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

Value Evaluator::not_iterable(const Value& value) {
  return Value::crash("TypeError: " + std::string(type_word(value)) + " is no list");
}

}  // namespace epwise::expr
