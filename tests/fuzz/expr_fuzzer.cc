// The rule language on any text: what parses is printed back to the same tree and evaluated without
// a crash.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expression.h"
#include "support/fuzz_target.h"

namespace {

using epwise::expr::Environment;
using epwise::expr::Expression;
using epwise::expr::Kind;
using epwise::expr::Names;
using epwise::expr::NameSlot;
using epwise::expr::Scope;
using epwise::expr::Type;
using epwise::expr::Value;

/// Gives every name one of a few values, by its number.
class Numbered : public Environment {
 public:
  const Value& value(NameSlot slot) const override {
    return values_[slot.index() % values_.size()];
  }

  Value written(NameSlot slot) const override { return value(slot); }

  Value is_explicit(NameSlot slot) const override { return Value::of(slot.number() % 2 == 0); }

  Value has_section(std::string_view section) const override {
    return Value::of(section.size() % 2 == 0);
  }

  Value origin(NameSlot slot) const override {
    return Value::of(slot.number() % 2 == 0 ? "written" : "default");
  }

 private:
  std::vector<Value> values_ = {Value::of(8),
                                Value::of("selective"),
                                Value::of(Value::List{Value::of(1), Value::of("moe")}),
                                Value::unset(),
                                Value::unknown({"gpus"}),
                                Value::of(0.5),
                                Value::of(true)};
};

}  // namespace

FUZZ_TARGET(expr) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Names names;
  const auto parsed = epwise::expr::parse(text, names);
  for (const auto& problem : parsed.problems) {
    if (problem.begin > problem.end || problem.end > size || problem.sentence.empty()) {
      std::abort();
    }
  }
  if (!parsed.problems.empty()) {
    return 0;
  }
  const Expression& tree = parsed.expression;
  const auto printed = to_text(tree, names);
  const auto again = epwise::expr::parse(printed, names);
  if (!again.problems.empty() || to_text(again.expression, names) != printed) {
    std::abort();
  }
  const Scope scope = {.type_of = [](std::string_view) { return std::optional(Type{}); },
                       .candidates = [] { return std::vector<std::string_view>(); }};
  static_cast<void>(check(tree, names, scope, Kind::boolean));
  if (cost_bound(tree) < 100'000) {
    const auto value = evaluate(tree, Numbered());
    static_cast<void>(value);
  }
  return 0;
}
