#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lint/facts/facts.h"
#include "lint/illegal_values.h"
#include "lint/knowledge.h"

namespace epwise::lint {

/// What one evaluation of all rules gives, before rules are asked which of them explain each other.
struct Evaluation {
  std::set<const Rule*> failed;
  /// Failed, but never reported: a crash after the check that ends the launch, or a crash over a
  /// text that a reader has reported. A subset of `failed`.
  std::set<const Rule*> silent;
  std::map<const Rule*, std::vector<std::string>> open;  // with the names that would decide them
  const Rule* ends_launch = nullptr;                     // the check that rejects; may be null
};

/// The outcome of a rule that failed.
struct Decision {
  enum class Kind : std::uint8_t {
    reported,
    explained,  // by the failure of `by`
    waiting,    // for a value that is wrong by itself
    open,       // it rests on `by`, which is undecided
  };

  Kind kind = Kind::reported;
  const Rule* by = nullptr;
};

/// THE procedure by which failed rules become findings; a lint of a recipe (engine.h) and the
/// judgement of a variant (variants.h) both ask it, in this order:
///
///   1. A rule whose premise failed is explained by it.
///   2. A rule that reads a value which a reported rule finds wrong by itself waits.
///   3. A rule that rests on an undecided rule is undecided, unless it ends the launch.
///   4. Every other rule is reported.
class Decisions {
 public:
  /// The arguments must outlive the object. `misspelt`: keys that count as what was meant.
  Decisions(const Evaluation& evaluation,
            const Knowledge& knowledge,
            const FieldsRead& reads,
            const facts::Facts& facts,
            const std::vector<Misspelling>& misspelt);

  /// Of a rule in `failed` that is not silent.
  Decision of_failed(const Rule& rule) const;

  /// Whether a rule in `open` stays undecided: it did not fail as well, and nothing explains it.
  bool is_open(const Rule& rule) const;

  /// The first reported error with which a trainer (verl, ms-swift, …) refuses its own settings:
  /// such checks stand in no stage of the framework's launch. Null pointer if there is none.
  const Rule* trainer_stop() const;

  const IllegalValues& illegal() const { return illegal_; }

 private:
  const Evaluation& evaluation_;
  const Knowledge& knowledge_;
  const facts::Facts& facts_;
  IllegalValues illegal_;
};

}  // namespace epwise::lint
