#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "units/version.h"

namespace epwise::expr {

class Value;

/// Why a value is not known, as the names that would settle it: {"gpus"}, {"stack.te"}, {"${GBS}"}.
/// Sorted, no doubles.
struct Unknown {
  std::vector<std::string> needs;

  bool operator==(const Unknown&) const = default;
};

/// Reading the value would have raised in the framework itself: "TypeError: '<=' between None and
/// int".
struct Crash {
  std::string what;

  bool operator==(const Crash&) const = default;
};

/// What a name or an expression is worth: a value, unset (Python's None), not known for a stated
/// reason, or a crash. Integers and booleans mix as in Python (True == 1, True + 1 == 2); text is
/// never a number.
class Value {
 public:
  using List = std::vector<Value>;

  Value() = default;  // unset

  static Value unset() { return {}; }

  static Value unknown(std::vector<std::string> needs);

  static Value crash(std::string what) { return Value(Data{Crash{std::move(what)}}); }

  static Value of(bool v) { return Value(Data{v}); }

  static Value of(std::int64_t v) { return Value(Data{v}); }

  static Value of(int v) { return Value(Data{static_cast<std::int64_t>(v)}); }

  static Value of(double v) { return Value(Data{v}); }

  static Value of(std::string v) { return Value(Data{std::move(v)}); }

  static Value of(std::string_view v) { return Value(Data{std::string(v)}); }

  static Value of(const char* v) { return Value(Data{std::string(v)}); }

  static Value of(units::Version v) { return Value(Data{std::move(v)}); }

  static Value of(List v) { return Value(Data{std::move(v)}); }

  bool is_unset() const { return std::holds_alternative<std::monostate>(data_); }

  bool is_unknown() const { return std::holds_alternative<Unknown>(data_); }

  bool is_crash() const { return std::holds_alternative<Crash>(data_); }

  bool is_known() const { return !is_unknown() && !is_crash(); }  // unset is known

  const bool* boolean() const { return std::get_if<bool>(&data_); }

  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&data_); }

  const double* real() const { return std::get_if<double>(&data_); }

  const std::string* text() const { return std::get_if<std::string>(&data_); }

  const units::Version* version() const { return std::get_if<units::Version>(&data_); }

  const List* list() const { return std::get_if<List>(&data_); }

  const Unknown* unknown() const { return std::get_if<Unknown>(&data_); }

  const Crash* crashed() const { return std::get_if<Crash>(&data_); }

  /// True for bool, integer and real; `as_number` is then its value.
  bool is_number() const;
  double as_number() const;

  /// Python's truth of a known value: None, False, 0, "", [] are false. Not for unknowns and
  /// crashes.
  bool truthy() const;

  /// Python's `==` of two known values: 1 == 1.0 == True; text equals text only; a version equals
  /// its text.
  bool equals(const Value& other) const;

  /// For people: null, true, 8, 0.5, "text" without quotes, [a, b], 2.7.0; unknown → "unknown",
  /// crash → its sentence.
  std::string to_text() const;

  bool operator==(const Value&) const = default;  // same kind and content; for tests

 private:
  using Data = std::variant<std::monostate,
                            bool,
                            std::int64_t,
                            double,
                            std::string,
                            units::Version,
                            List,
                            Unknown,
                            Crash>;

  explicit Value(Data data) : data_(std::move(data)) {}

  Data data_;
};

}  // namespace epwise::expr
