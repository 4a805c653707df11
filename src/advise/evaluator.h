#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lint/facts/facts.h"
#include "lint/facts/target.h"
#include "lint/finding.h"
#include "lint/knowledge.h"
#include "lint/launch_plan.h"
#include "lint/launch_run.h"
#include "lint/variants.h"
#include "perf/workload/workload.h"
#include "recipe/recipe.h"
#include "session/analysis.h"

namespace epwise::advise {

/// A field of a recipe that gets a new value or is removed.
struct Edit {
  std::string field;  // canonical: "model.x", "env.X"
  expr::Value value;  // unset if it is removed
  bool drop = false;

  bool operator==(const Edit&) const = default;
};

using Edits = std::vector<Edit>;

/// Whether any of them concerns this field.
const Edit* find_edit(const Edits& edits, std::string_view field);

/// Whether two settings are the same: lists of names are equal regardless of order.
bool is_same_setting(const expr::Value& a, const expr::Value& b);

/// A recipe text and its variants that differ in a few values: returns lint results and computed
/// values without rewriting the text. Not thread-safe.
class Evaluator {
 public:
  /// The arguments must outlive the object.
  Evaluator(const recipe::Recipe& recipe,
            const recipe::Vocabulary& vocabulary,
            const facts::Target& target,
            const lint::Knowledge& knowledge);

  /// Whether the value of this field can be changed: rules know the field, and its section exists.
  bool varies(std::string_view field) const;

  /// Whether the section of this field exists.
  bool has_section(std::string_view field) const;

  /// Whether the framework's version has the field and, with a trainer, its configuration a place
  /// for it.
  bool knows(std::string_view field) const;

  /// The values to which the framework's command line limits this one, if it is none of them; empty:
  /// it is, or any counts. Megatron-Bridge's loader checks no choices.
  std::vector<std::string_view> refused_for(std::string_view field, const expr::Value& value) const;

  /// Why a field cannot be set that `knows` does not have.
  std::string missing_text() const;

  /// Whether the recipe's file writes a variable ("env.X") or has the section for it; if not, the
  /// variable is given at the launch.
  bool has_place(std::string_view variable) const;

  /// Written as null.
  bool is_null(std::string_view field) const;

  bool is_megatron_lm() const { return recipe_.framework == recipe::Framework::mlm; }

  /// Whether a framework around Megatron runs the training loop.
  bool has_trainer() const;

  /// Whether another number of data-parallel ranks makes a step larger or smaller, as in ROLL.
  bool batch_follows_ranks() const;

  /// Whether the recipe is written in the words of this framework, "bridge" or "mlm", itself: those of
  /// a trainer may be other ones.
  bool has_format(std::string_view framework) const;

  /// Whether the stack contains a component.
  bool stack_has(std::string_view component) const;

  /// The value after the launch, and the value written in the recipe (nullopt: not written).
  expr::Value present(std::string_view field) const;
  bool is_written(std::string_view field) const;

  /// The written value for display; empty if not written.
  std::string written_text(std::string_view field) const;

  /// The edit after which a field is as the framework has it by default: its removal, or that value
  /// where the trainer has another default. Nothing for a trainer's default that is to go, which no
  /// text contains.
  std::optional<Edit> removal_of(const std::string& field) const;

  /// Whether an edit changes nothing of the recipe as it starts.
  bool is_idle(const Edit& edit) const;

  const lint::Judgement& base() const { return variants_.base(); }

  lint::Judgement judge(const Edits& edits);

  /// Whether the condition under which a rule asks anything may hold with these edits.
  bool concerns(const lint::Rule& rule, const Edits& edits);

  /// Whether any of these rules fails on the values as written, without running the launch model.
  /// Cheap.
  bool fails_any(const std::vector<const lint::Rule*>& rules, const Edits& edits);

  /// Whether a value that the rule reads differs from the recipe's own, before any launch.
  bool changes_operand(const lint::Rule& rule, const Edits& edits);

  /// Changes that the rule's own fixes would make on top of the edits, lowest tier first; skips
  /// fixes that undo an edit, have no values or are of a higher tier.
  std::vector<Edits> fixes_of(const lint::Rule& rule, const Edits& edits, lint::Tier highest);

  /// Whether the launch gives a field another value than the edits do.
  bool overrules(const Edits& edits, std::string_view field);

  /// `unpriced` as in read_workload.
  workload::WorkloadReading workload(const Edits& edits, bool unpriced = true);

  /// The edit in the syntax of the recipe's format.
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
  lint::LaunchPlan itinerary_;
  facts::Facts facts_;    // varied and restored
  facts::Facts settled_;  // the recipe itself after its launch
  lint::Reported reported_;
};

/// The evaluators of one recipe: as written, and with added sections that an edit needs
/// (Megatron-Bridge's comm_overlap, rng, …). Not thread-safe.
class EvaluatorCache {
 public:
  /// `base` must outlive the object.
  explicit EvaluatorCache(const session::Analysis& base);

  /// An evaluator on which the edits can be evaluated. Null pointer if a section cannot be added.
  Evaluator* evaluator(const Edits& edits);

  /// The recipe as it is written.
  Evaluator& plain() { return *plain_; }

  const Evaluator& plain() const { return *plain_; }

  const recipe::Recipe& recipe() const { return *base_.recipe; }

 private:
  struct Sheet {
    std::shared_ptr<const recipe::Recipe> recipe;
    std::unique_ptr<Evaluator> evaluator;
  };

  Sheet with_sections(const std::map<std::string, std::string>& fields) const;

  const session::Analysis& base_;
  std::unique_ptr<Evaluator> plain_;
  std::map<std::set<std::string>, Sheet> sheets_;  // by the sections that were added
};

}  // namespace epwise::advise
