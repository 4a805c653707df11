#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/expression.h"

namespace epwise::expr {

/// Values by name, for tests; a name without a value is unset. Field questions are answered for the
/// names in `written_names`.
class MapEnvironment : public Environment {
 public:
  explicit MapEnvironment(const Names& names) : names_(names) {}

  void set(std::string name, Value value) {
    values_.insert_or_assign(std::move(name), std::move(value));
  }

  std::vector<std::string> written_names;
  std::vector<std::string> sections;

  const Value& value(NameSlot slot) const override {
    const auto found = values_.find(names_.name(slot));
    return found == values_.end() ? unset_ : found->second;
  }

  Value written(NameSlot slot) const override {
    return is_written(slot) ? Value::of("as written") : Value::unset();
  }

  Value is_explicit(NameSlot slot) const override { return Value::of(is_written(slot)); }

  Value has_section(std::string_view section) const override {
    return Value::of(holds(sections, section));
  }

  Value origin(NameSlot slot) const override {
    return Value::of(is_written(slot) ? "written" : "default");
  }

 private:
  static bool holds(const std::vector<std::string>& list, std::string_view wanted) {
    for (const std::string& item : list) {
      if (item == wanted) {
        return true;
      }
    }
    return false;
  }

  bool is_written(NameSlot slot) const { return holds(written_names, names_.name(slot)); }

  const Names& names_;
  std::map<std::string, Value, std::less<>> values_;
  Value unset_;
};

}  // namespace epwise::expr
