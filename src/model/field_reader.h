#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/facts.h"
#include "model/workload.h"

namespace epwise::model {

/// No count of a recipe comes near it, and products with a small factor still fit.
constexpr int kLargest = 100'000'000;

/// A number cut to −kLargest … kLargest.
int clamped(double number);

/// Typed values of facts by name, and a list of those that are needed and that nobody gives. An
/// unset, unknown or crashing value is absent; where it hangs on a `${X}` that nothing binds, that
/// or is no number where one is wanted, that is a problem too, for a default in its place would be
/// another recipe's. Names that no rule reads
/// have no slot: their value is the recipe's or the default of the framework's version, for no
/// launch stage writes them.
class FieldReader {
 public:
  explicit FieldReader(const Facts& facts) : facts_(facts) {}

  expr::Value value(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;
  std::optional<int> integer(std::string_view name) const;  // of at most kLargest
  std::optional<std::string> text(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;  // of a list, or of a single text
  bool flag(std::string_view name) const;                       // Python's truth; absent: false
  bool is_set(std::string_view name) const;

  /// A whole number from 1 to kLargest; where there is none, a problem that names the field, and 0.
  int required(std::string_view name, std::string_view what);

  /// Written, or else the framework's default.
  InputStatus status(std::string_view name) const;
  bool is_written(std::string_view name) const;

  /// As the recipe's format spells it: "model.num_layers", "--num-layers".
  std::string spelled(std::string_view name) const;

  void problem(std::string message, std::string help) const;

  const Facts& facts() const { return facts_; }

  std::vector<text::Diagnostic> take_problems() { return std::move(problems_); }

  bool failed() const { return !problems_.empty(); }

 private:
  void note_unbound(std::string_view name, const expr::Value& value) const;
  void note_unfit(std::string_view name, const expr::Value& value, std::string_view wanted) const;

  const Facts& facts_;
  mutable std::vector<text::Diagnostic> problems_;  // reading a value can show that it is missing
  mutable std::set<std::string, std::less<>> unbound_;
  mutable std::set<std::string, std::less<>> unfit_;
};

}  // namespace epwise::model
