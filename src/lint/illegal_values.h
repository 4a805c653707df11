#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/diagnostic.h"
#include "lint/facts/facts.h"
#include "lint/knowledge.h"
#include "lint/renaming.h"
#include "recipe/vocabulary/vocabulary.h"

/// A value that is invalid by itself, whatever the rest of the recipe contains, is one defect:
/// rules that compare it with other values are suppressed until it is corrected.
namespace epwise::lint {

/// The fields that a rule reads, directly or through derived values. An error that reads one field
/// and otherwise only the framework's version is about that field's value alone.
class FieldsRead {
 public:
  FieldsRead(const Knowledge& knowledge, const recipe::Vocabulary& vocabulary);

  /// Slots, ascending. Several names of one Megatron-LM argument share a slot.
  const std::vector<expr::NameSlot>& of(const Rule& rule) const;

  /// The field whose value alone the rule is about; nothing for any other rule.
  std::optional<expr::NameSlot> judged(const Rule& rule) const;

  /// Of a field by its canonical name; nothing when no rule reads it.
  std::optional<expr::NameSlot> slot_of(std::string_view field) const;

  /// The fields that a launch stage sets depending on this one's value.
  const std::vector<expr::NameSlot>& filled_from(expr::NameSlot slot) const;

  const Knowledge& knowledge() const { return knowledge_; }

 private:
  struct Reads {
    std::vector<expr::NameSlot> slots;
    std::optional<expr::NameSlot> judged;
  };

  const Reads& reads(const Rule& rule) const;
  void add(expr::NameSlot slot, std::set<expr::NameSlot>& seen) const;
  bool fills_from(const RewriteStep& step, expr::NameSlot slot) const;

  const Knowledge& knowledge_;
  const recipe::Vocabulary& vocabulary_;
  mutable std::vector<std::optional<Reads>> known_;  // by rule; not thread-safe
  mutable std::map<expr::NameSlot, std::vector<expr::NameSlot>> filled_;
};

/// The illegal values of one recipe.
class IllegalValues {
 public:
  /// `told`: every rule that failed and is reported. Also counts a choice that the Megatron-LM
  /// parser rejects and a Bridge word that its field does not know, reported by the rule that lists
  /// the words or else by the reader (recipe/unknown-word); and a field left at its default by a
  /// misspelt key.
  IllegalValues(const FieldsRead& reads,
                const facts::Facts& facts,
                const std::set<const Rule*>& told,
                const std::vector<Misspelling>& misspelt);

  /// The rule whose illegal value suppresses this one; null pointer if there is none. An error is
  /// only suppressed by errors, or by a misspelt key.
  const Rule* behind(const Rule& rule) const;

  /// The misspelt key that suppresses a rule; null pointer if there is none.
  const Misspelling* behind_key(const Rule& rule) const;

  /// The rule that reports the unknown word at this location instead of the reader; null pointer if
  /// there is none.
  const Rule* teller(const text::Mark& word) const;

  /// Whether any unknown word is reported only by the reader.
  bool has_untold_word() const;

 private:
  void add_refused_choice(const facts::Facts& facts, const std::set<const Rule*>& told);
  void add_unknown_words(const facts::Facts& facts, const std::set<const Rule*>& told);
  void add_misspelt(const facts::Facts& facts,
                    const std::set<const Rule*>& told,
                    const std::vector<Misspelling>& misspelt);

  const FieldsRead& reads_;
  std::map<expr::NameSlot, const Rule*> causes_;
  std::map<expr::NameSlot, const Misspelling*> missing_;  // by the slot that was meant
  // unknown words, by the rule that reports them
  std::vector<std::pair<text::Mark, const Rule*>> words_;
};

/// Whether recipe/unknown-word fails, for a recipe or a variant of it.
bool has_unknown_word(const facts::Facts& facts);

}  // namespace epwise::lint
