#include <fmt/format.h>

#include "expr/arithmetic.h"
#include "expr/builtins.h"
#include "expr/layout_text.h"
#include "expr/list_text.h"
#include "expr/python_text.h"

namespace epwise::expr::builtin {

namespace {

constexpr std::int64_t kMaxLayers = 65536;

Value pattern(std::int64_t every, std::int64_t layers) {
  if (every == 0) {
    return Value::crash("ZeroDivisionError: frequency 0");
  }
  if (layers > kMaxLayers) {
    return Value::crash(fmt::format("MemoryError: frequency of {} layers", layers));
  }
  Value::List list;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    list.push_back(Value::of(layer % every == 0 ? 1 : 0));
  }
  return Value::of(std::move(list));
}

// Megatron-LM reads a text with a bracket as a list and any other as a number.
std::optional<Value> from_text(std::string_view text) {
  return text.find('[') != std::string_view::npos ? evaluate_list_text(text) : python_int(text);
}

}  // namespace

Value frequency(Arguments a) {
  Value value = *a[0];
  if (value.text() != nullptr) {
    const std::optional<Value> read = from_text(*value.text());
    if (!read) {
      return Value::crash(fmt::format("ValueError: '{}' is no layer frequency", *value.text()));
    }
    value = *read;
  }
  if (value.list() != nullptr) {
    return value;
  }
  const bool whole = value.integer() != nullptr || value.boolean() != nullptr;
  if (!whole || a[1]->integer() == nullptr) {
    return refuse("frequency", whole ? *a[1] : value);
  }
  return pattern(static_cast<std::int64_t>(value.as_number()), *a[1]->integer());
}

Value layout_counts(Arguments a) {
  const std::optional<Layout> layout = read_layout(*a[0]);
  if (!layout) {
    return refuse("layout_counts", *a[0]);
  }
  if (!layout->problem.empty()) {
    return Value::crash("AssertionError: " + layout->problem);
  }
  Value::List stages;
  for (const std::string& stage : layout->stages) {
    stages.push_back(Value::of(stage));
  }
  return Value::of(std::move(stages));
}

Value layout_stages(Arguments a) {
  Value stages = layout_counts(a.first(1));
  if (stages.is_crash()) {
    return stages;
  }
  const Value total = Value::of(static_cast<std::int64_t>(stages.list()->size()));
  if (a.size() == 1) {
    return total;
  }
  const Value remainder = modulo(total, *a[1]);
  if (remainder.is_crash()) {
    return remainder;
  }
  return remainder.truthy() ? Value::unset() : floor_divide(total, *a[1]);
}

Value layout_valid(Arguments a) {
  const std::optional<Layout> layout = read_layout(*a[0]);
  return Value::of(layout && layout->problem.empty());
}

}  // namespace epwise::expr::builtin
