#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/units/quantity.h"
#include "base/units/version.h"

namespace epwise::expr {

/// The declared type of a name. `any` disables the checks of that operand; a recipe may still
/// contain another type than declared (a quoted boolean), which evaluation handles as the
/// framework's Python does.
enum class Kind : std::uint8_t { any, boolean, integer, real, text, version, list };

struct Type {
  Kind kind = Kind::any;
  units::Dimension dimension = units::Dimension::none;  // integer and real only
  bool optional = true;                                 // may be unset

  bool operator==(const Type&) const = default;
};

/// "bool", "int", "number", "text", "version", "list", "any"; optionally followed by a dimension:
/// "number bytes/s".
std::optional<Type> parse_type(std::string_view text);

/// The word that `parse_type` reads: "bool", "int", …
std::string_view to_string(Kind kind);

class Value;

/// Why a value is unknown, as the names that would determine it: {"gpus"}, {"stack.te"},
/// {"${GBS}"}. Sorted, unique.
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

/// The value of a name or an expression: a value, unset (Python's None), unknown for a stated
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

  /// True for bool, integer and real; `as_number` then returns the value.
  bool is_number() const;
  double as_number() const;

  /// Python's truth of a known value: None, False, 0, "", [] are false. Not for unknowns and
  /// crashes.
  bool truthy() const;

  /// Python's `==` of two known values: 1 == 1.0 == True; text equals text only; a version equals
  /// its text.
  bool equals(const Value& other) const;

  /// For display: null, true, 8, 0.5, "text" without quotes, [a, b], 2.7.0; unknown → "unknown",
  /// crash → its message.
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
