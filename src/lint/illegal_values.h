#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "lint/knowledge.h"
#include "lint/renaming.h"
#include "model/facts.h"
#include "recipe/vocabulary/vocabulary.h"
#include "text/mark.h"

/// A value that is wrong by itself, whatever the rest of the recipe says, is one defect: the rules
/// that compare it with other values wait until it is put right.
namespace epwise::lint {

/// The fields that a rule reads, itself or through derived values. An error that reads one field
/// and nothing else but the framework's version is about that field's value alone.
class FieldsRead {
 public:
  FieldsRead(const Knowledge& knowledge, const recipe::Vocabulary& vocabulary);

  /// Slots, ascending. Several names of one argument of Megatron-LM are one slot.
  const std::vector<int>& of(const Rule& rule) const;

  /// The field whose value alone the rule is about; -1 for any other rule.
  int judged(const Rule& rule) const;

  /// Of a field by its canonical name; -1 when no rule knows it.
  int slot_of(std::string_view field) const;

  /// The fields that a launch stage writes on account of this one's value.
  const std::vector<int>& filled_from(int slot) const;

  const Knowledge& knowledge() const { return knowledge_; }

 private:
  struct Reads {
    std::vector<int> slots;
    int judged = -1;
  };

  const Reads& reads(const Rule& rule) const;
  void add(int slot, std::set<int>& seen) const;

  const Knowledge& knowledge_;
  const recipe::Vocabulary& vocabulary_;
  mutable std::vector<std::optional<Reads>> known_;  // by rule; for one thread
  mutable std::map<int, std::vector<int>> filled_;   // by slot
};

/// The illegal values of one recipe.
class IllegalValues {
 public:
  /// `told`: every rule that failed and is reported. A choice that the parser of Megatron-LM
  /// refuses counts too, and a word of Bridge that its field does not know: reported by the rule
  /// that lists the words, by the reader (recipe/unknown-word) where there is none. So does what a
  /// misspelt key leaves at its default.
  IllegalValues(const FieldsRead& reads,
                const model::Facts& facts,
                const std::set<const Rule*>& told,
                const std::vector<Misspelling>& misspelt);

  /// The rule that reports the illegal value for which this one has to wait; null pointer when it
  /// waits for none. An error waits for errors alone, or for a key that is put right.
  const Rule* behind(const Rule& rule) const;

  /// The misspelt key for which a rule has to wait; null pointer when there is none.
  const Misspelling* behind_key(const Rule& rule) const;

  /// The rule that reports the unknown word at this place in the reader's stead; null pointer when
  /// there is none.
  const Rule* teller(const text::Mark& word) const;

  /// Whether some unknown word has no other teller than the reader.
  bool has_untold_word() const;

 private:
  void add_refused_choice(const model::Facts& facts, const std::set<const Rule*>& told);
  void add_unknown_words(const model::Facts& facts, const std::set<const Rule*>& told);
  void add_misspelt(const model::Facts& facts,
                    const std::set<const Rule*>& told,
                    const std::vector<Misspelling>& misspelt);

  const FieldsRead& reads_;
  std::map<int, const Rule*> causes_;                      // by slot
  std::map<int, const Misspelling*> missing_;              // by the slot that was meant
  std::vector<std::pair<text::Mark, const Rule*>> words_;  // unknown ones, by whom they are told
};

/// Whether recipe/unknown-word fails, for a recipe or a variation of it.
bool has_unknown_word(const model::Facts& facts);

}  // namespace epwise::lint
