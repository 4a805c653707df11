#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lint/facts/facts.h"
#include "perf/workload/workload.h"

namespace epwise::workload {

/// No count in a recipe comes near it, and products with a small factor still fit.
constexpr int kLargest = 100'000'000;

/// A number clamped to −kLargest … kLargest.
int clamped(double number);

/// Typed values of facts by name, and a list of required but missing ones. An unset, unknown or
/// crashing value is absent; if it depends on an unset `${X}`, or is not a number although one is
/// needed, that is also a problem, because using the default would describe a different recipe.
/// Names that no rule reads have no slot: their value is that of the recipe, the environment or the
/// framework version's default, since no launch stage writes them.
class FieldReader {
 public:
  explicit FieldReader(const facts::Facts& facts) : facts_(facts) {}

  expr::Value value(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;
  std::optional<int> integer(std::string_view name) const;  // at most kLargest
  std::optional<std::string> text(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;  // of a list, or of a single text
  bool flag(std::string_view name) const;                       // Python's truth; absent: false
  std::optional<bool> boolean(std::string_view name) const;
  bool is_set(std::string_view name) const;

  /// An integer from 1 to kLargest; otherwise a problem with the field's name, and 0.
  int required(std::string_view name, std::string_view what);

  /// Written, or the framework's default.
  InputStatus status(std::string_view name) const;
  bool is_written(std::string_view name) const;

  /// In the spelling of the recipe's format: "model.num_layers", "--num-layers".
  std::string spelled(std::string_view name) const;

  void problem(std::string message, std::string help) const;

  const facts::Facts& facts() const { return facts_; }

  std::vector<text::Diagnostic> take_problems() { return std::move(problems_); }

  bool failed() const { return !problems_.empty(); }

 private:
  void note_unbound(std::string_view name, const expr::Value& value) const;

  /// How to give a value that is not known before the script runs.
  std::string way_out(const std::string& need, bool variable) const;

  /// Whether a field comes with the model that a trainer loads.
  bool is_of_model(std::string_view name) const;

  /// What depends on an unknown value: a field as the user spells it, a derived value in words.
  std::string dependent(std::string_view name) const;
  void note_unfit(std::string_view name, const expr::Value& value, std::string_view wanted) const;

  const facts::Facts& facts_;
  mutable std::vector<text::Diagnostic> problems_;  // reading a value can reveal that it is missing
  mutable std::set<std::string, std::less<>> unbound_;
  mutable std::set<std::string, std::less<>> unfit_;
};

struct VocabularySize {
  int tokens = 0;
  std::string why;  // empty: written in the recipe; otherwise the tokenizer from which it was taken
};

/// The vocabulary of the recipe: its own field, otherwise that of the tokenizer it names (models'
/// published configurations; Megatron's default for tiktoken files, 2^17). If neither is available,
/// a problem and 0.
///   --tokenizer-model: deepseek-ai/DeepSeek-V3 → 129280, "the tokenizer deepseek-ai/DeepSeek-V3"
VocabularySize read_vocabulary_size(FieldReader& reader);

}  // namespace epwise::workload
