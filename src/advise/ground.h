#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lint/finding.h"
#include "lint/itinerary.h"
#include "lint/knowledge.h"
#include "lint/variants.h"
#include "model/facts.h"
#include "model/target.h"
#include "model/workload.h"
#include "recipe/recipe.h"

namespace epwise::advise {

/// A field of a recipe that gets another value, or goes.
struct Edit {
  std::string field;  // canonical: "model.x", "env.X"
  expr::Value value;  // unset where it goes
  bool drop = false;

  bool operator==(const Edit&) const = default;
};

using Edits = std::vector<Edit>;

/// Whether one of them is about this field.
const Edit* find_edit(const Edits& edits, std::string_view field);

/// A recipe text and everything that differs from it in a few values: what lint says of it and what
/// it would compute, without writing a text. Not safe to share between threads.
class Ground {
 public:
  /// The arguments must outlive the object.
  Ground(const recipe::Recipe& recipe,
         const recipe::Vocabulary& vocabulary,
         const model::Target& target,
         const lint::Knowledge& knowledge);

  /// Whether the value of this field can be another: rules know it and its section is there.
  bool varies(std::string_view field) const;

  /// Whether the framework's version has the field.
  bool knows(std::string_view field) const;

  /// Whether the stack names a component that is there.
  bool stack_has(std::string_view component) const;

  /// The value as the launch leaves it, and as the recipe writes it (unset: it doesn't).
  expr::Value present(std::string_view field) const;
  bool is_written(std::string_view field) const;

  /// What the recipe writes for it, for people; empty where it doesn't.
  std::string written_text(std::string_view field) const;

  const lint::Judgement& base() const { return variants_.base(); }

  lint::Judgement judge(const Edits& edits);

  /// Whether one of these rules fails on the values as written, whatever the launch makes of them.
  /// Cheap.
  bool fails_any(const std::vector<const lint::Rule*>& rules, const Edits& edits);

  /// What a rule's own fixes would change on top of the edits, cheapest tier first; none that
  /// undoes one of them, has no values or is of a higher tier.
  std::vector<Edits> fixes_of(const lint::Rule& rule, const Edits& edits, lint::Tier highest);

  model::WorkloadReading workload(const Edits& edits);

  /// The edit as the recipe's format spells it.
  lint::Fix::Edit spelled(const Edit& edit) const;

  /// A finding of this rule, at the first of its operands that the recipe writes.
  lint::Finding finding(const lint::Rule& rule) const;

 private:
  std::vector<lint::Variants::Change> changes_of(const Edits& edits) const;
  void vary(const Edits& edits);

  const recipe::Recipe& recipe_;
  const recipe::Vocabulary& vocabulary_;
  const lint::Knowledge& knowledge_;
  lint::Variants variants_;
  lint::Itinerary itinerary_;
  std::set<std::string_view> reported_;
  model::Facts facts_;    // varied and restored
  model::Facts settled_;  // the recipe itself after its launch
};

}  // namespace epwise::advise
