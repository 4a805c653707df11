#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "lint/knowledge.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary.h"

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
};

/// The illegal values of one recipe.
class IllegalValues {
 public:
  /// `failed`: every rule that failed. A choice that the parser of Megatron-LM refuses counts too.
  IllegalValues(const FieldsRead& reads,
                const recipe::Recipe& recipe,
                const recipe::Vocabulary& vocabulary,
                const std::set<const Rule*>& failed);

  /// The rule that reports the illegal value for which this one has to wait; null pointer when it
  /// waits for none.
  const Rule* behind(const Rule& rule) const;

 private:
  const FieldsRead& reads_;
  std::map<int, const Rule*> causes_;  // by slot
};

}  // namespace epwise::lint
