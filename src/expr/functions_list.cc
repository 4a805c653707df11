#include <algorithm>

#include <fmt/format.h>

#include "expr/arithmetic.h"
#include "expr/builtins.h"
#include "expr/comparison.h"
#include "expr/python_text.h"

namespace epwise::expr::builtin {

namespace {

std::int64_t letter_count(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
}

std::int64_t occurrences(std::string_view text, std::string_view part) {
  if (part.empty()) {
    return letter_count(text) + 1;
  }
  std::int64_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

// The values to choose among: the items of a single list, or the arguments themselves.
std::vector<const Value*> choices(Arguments a) {
  std::vector<const Value*> result;
  if (a.size() == 1 && a[0]->list() != nullptr) {
    for (const Value& value : *a[0]->list()) {
      result.push_back(&value);
    }
    return result;
  }
  result.assign(a.begin(), a.end());
  return result;
}

// The first of the least (sign "<") or greatest (">") values.
Value extreme(std::string_view function, std::string_view sign, Arguments a) {
  if (a.size() == 1 && a[0]->list() == nullptr) {
    return refuse(function, *a[0]);
  }
  const std::vector<const Value*> values = choices(a);
  if (values.empty()) {
    return Value::crash(fmt::format("ValueError: {} of an empty list", function));
  }
  const Value* best = values.front();
  for (const Value* value : values) {
    if (value == best) {
      continue;
    }
    Value better = ordering_value(*value, *best, sign);
    if (better.is_crash()) {
      return better;
    }
    best = better.truthy() ? value : best;
  }
  return *best;
}

Value folded(Arguments a, Value start, Value (*combine)(const Value&, const Value&)) {
  for (const Value* value : choices(a)) {
    start = combine(start, *value);
    if (start.is_crash()) {
      break;
    }
  }
  return start;
}

}  // namespace

Value contains(Arguments a) {
  return a[0]->is_unset() ? Value::of(false) : in_value(*a[1], *a[0]);
}

Value count(Arguments a) {
  const Value& whole = *a[0];
  if (const Value::List* list = whole.list()) {
    return Value::of(static_cast<std::int64_t>(
        std::count_if(list->begin(), list->end(), [&a](const Value& candidate) {
          return candidate.equals(*a[1]);
        })));
  }
  if (whole.text() == nullptr || a[1]->text() == nullptr) {
    return refuse("count", whole.text() == nullptr ? whole : *a[1]);
  }
  return Value::of(occurrences(*whole.text(), *a[1]->text()));
}

Value is_list(Arguments a) {
  return Value::of(a[0]->list() != nullptr);
}

Value item(Arguments a) {
  const Value::List* list = a[0]->list();
  const std::int64_t* index = a[1]->integer();
  if (list == nullptr || index == nullptr) {
    return refuse("item", list == nullptr ? *a[0] : *a[1]);
  }
  const auto size = static_cast<std::int64_t>(list->size());
  if (*index >= size || *index < -size) {
    return Value::crash(fmt::format("IndexError: item {} of a list of {}", *index, size));
  }
  return (*list)[static_cast<std::size_t>(*index < 0 ? *index + size : *index)];
}

Value length(Arguments a) {
  if (a[0]->text() != nullptr) {
    return Value::of(letter_count(*a[0]->text()));
  }
  const Value::List* list = a[0]->list();
  return list == nullptr ? refuse("len", *a[0])
                         : Value::of(static_cast<std::int64_t>(list->size()));
}

Value maximum(Arguments a) {
  return extreme("max", ">", a);
}

Value minimum(Arguments a) {
  return extreme("min", "<", a);
}

Value product(Arguments a) {
  return folded(a, Value::of(1), multiply);
}

Value sorted(Arguments a) {
  if (a[0]->list() == nullptr) {
    return refuse("sorted", *a[0]);
  }
  Value::List items = *a[0]->list();
  Value failure;
  std::stable_sort(items.begin(), items.end(), [&failure](const Value& left, const Value& right) {
    Value less = ordering_value(left, right, "<");
    if (!less.is_crash()) {
      return less.truthy();
    }
    failure = std::move(less);
    return false;
  });
  return failure.is_crash() ? failure : Value::of(std::move(items));
}

Value sum(Arguments a) {
  return folded(a, Value::of(0), add);
}

Value unique(Arguments a) {
  if (a[0]->list() == nullptr) {
    return refuse("unique", *a[0]);
  }
  // Items compare with each other one by one, because values of any type may stand in a list.
  constexpr std::size_t kMaxItems = 4096;
  if (a[0]->list()->size() > kMaxItems) {
    return Value::crash(fmt::format("MemoryError: unique of more than {} items", kMaxItems));
  }
  Value::List items;
  for (const Value& value : *a[0]->list()) {
    const bool known = std::any_of(items.begin(), items.end(), [&value](const Value& earlier) {
      return earlier.equals(value);
    });
    if (!known) {
      items.push_back(value);
    }
  }
  return Value::of(std::move(items));
}

}  // namespace epwise::expr::builtin
