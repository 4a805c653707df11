#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "expr/value.h"
#include "lint/facts/facts.h"
#include "lint/finding.h"
#include "lint/knowledge.h"
#include "lint/rule.h"

namespace epwise::lint {

/// Fixes for almost valid words: for each field that the rule reports and whose text, or an item of
/// whose list, is a misspelling of a word known to the framework or the rule.
///   recompute_granularity: selektive → "Correct the spelling", selective
/// For an error they are neutral, because nothing ran with the wrong word; otherwise they have the
/// tier of the rule's own fixes.
std::vector<Fix> spelling_fixes(const Rule& rule,
                                const facts::Facts& facts,
                                const Knowledge& knowledge);

/// Fixes for a reader's diagnostic about a scalar: a text in place of a number or a switch, a
/// number or switch in place of a text, a word that is not among the choices of its flag. Empty if
/// the intention is unclear.
///   lr: 1e-4 → 0.0001, sequence_parallel: "true" → true
std::vector<Fix> spelling_fixes(const text::Diagnostic& diagnostic, const facts::Facts& facts);

/// Environment variables that the recipe or the target sets and no library reads, if they differ in
/// a letter or two from one that a library reads (env/misspelt-variable).
///   NCCL_P2P_LEVL=NVL → "NCCL does not read `NCCL_P2P_LEVL`, did you mean `NCCL_P2P_LEVEL`?"
std::vector<text::Diagnostic> misspelt_variables(const facts::Facts& facts,
                                                 const Knowledge& knowledge);

/// Whether a fix only corrects a misspelt name or word.
bool is_spelling(const Finding& finding, const Fix& fix);

/// A name in the syntax of this recipe's format: "model.num_moe_experts" (Bridge), "--num-experts"
/// (Megatron-LM); names that are not fields use their common form: "d.DP" → "DP", "env.X" → "X",
/// "stack.te" → "te".
std::string spelling(std::string_view name, const facts::Facts& facts);

/// A name to be shown with its value. A Megatron-LM flag that switches something off is the
/// opposite of its value: "add_bias_linear (--disable-bias-linear)". All others as `spelling`.
std::string value_name(std::string_view name, const facts::Facts& facts);

/// The display name of a derived value: "d.DP" → "DP", the common abbreviation; any other by the
/// first words of its description, "d.gran" → "recompute granularity", or else without dots and
/// underscores.
std::string plain_name(std::string_view name, std::string_view meaning);

/// JSON Pointer of a field in the recipe's document: "/model/num_moe_experts",
/// "/MODEL_ARGS/--num-experts".
std::string pointer(std::string_view name, const facts::Facts& facts);

/// The location of a field's value, or where it would be added: its own mark, otherwise its
/// section's, otherwise that of the whole mapping.
text::Mark place(std::string_view name, const facts::Facts& facts);

/// "set this field to that" in the recipe's format: a boolean of Megatron-LM is a flag to add or
/// remove. `known` is false if this framework version has no such field.
struct SpelledEdit {
  Fix::Edit edit;
  bool known = true;
};

SpelledEdit spell_edit(std::string_view field, const expr::Value* value, const facts::Facts& facts);

}  // namespace epwise::lint
