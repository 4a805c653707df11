#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "lint/variants.h"
#include "repair/bench.h"

namespace epwise::repair {

/// The verdict on one recipe with other values or on another target, without reading a text again:
/// lint::Variants answers, and what a reader said about the text stays as it was.
class Judge {
 public:
  /// `result` is that of a lint of the recipe on the bench's target. All of them outlive the judge.
  Judge(const Bench& bench, const recipe::Recipe& recipe, const lint::Result& result);

  /// Before any change.
  const Verdict& before() const { return before_; }

  /// With a fix made. nullopt where only a lint of the changed text can tell: keys that go, whole
  /// sections, environment variables, values of another kind than the field's or that a reader
  /// speaks of, and all of Megatron-LM, whose flags tell more than their values.
  std::optional<Verdict> with(const lint::Fix& fix);

  /// On a target that differs in hardware, number of GPUs or the versions of what is installed
  /// beside the framework.
  Verdict on(const model::Target& target);

 private:
  std::optional<std::vector<lint::Variants::Change>> changes_of(const lint::Fix& fix) const;
  std::vector<lint::Variants::Change> changes_of(const model::Target& target) const;
  Verdict judge(const std::vector<lint::Variants::Change>& changes);

  const Bench& bench_;
  const recipe::Recipe& recipe_;
  const recipe::Vocabulary& vocabulary_;
  Verdict before_;
  Verdict readers_;                           // what the readers found, which stays …
  std::set<int> reported_lines_;              // … as long as these lines do
  std::unique_ptr<lint::Variants> variants_;  // made when it is first asked
};

}  // namespace epwise::repair
