#pragma once

#include <string>
#include <string_view>

#include "expr/value.h"
#include "lint/finding.h"
#include "model/facts.h"

namespace epwise::lint {

/// A name as the user of this recipe's format writes it: "model.num_moe_experts" (Bridge),
/// "--num-experts" (Megatron-LM); names that are no fields stay as people know them: "d.DP" → "DP",
/// "env.X" → "X", "stack.te" → "te".
std::string spelling(std::string_view name, const model::Facts& facts);

/// A name beside its value. A flag of Megatron-LM that switches off says the opposite of the value
/// that it stands for: "add_bias_linear (--disable-bias-linear)". All others as `spelling`.
std::string value_name(std::string_view name, const model::Facts& facts);

/// What a reader calls a derived value: "d.DP" → "DP", as everybody does; any other by the first
/// words of its meaning, "d.gran" → "recompute granularity", or else without its dots and lines.
std::string plain_name(std::string_view name, std::string_view meaning);

/// JSON Pointer of a field in the recipe's document: "/model/num_moe_experts",
/// "/MODEL_ARGS/--num-experts".
std::string pointer(std::string_view name, const model::Facts& facts);

/// Where a field's value stands or would have to stand: its own mark, else its section's, else the
/// whole mapping's.
text::Mark place(std::string_view name, const model::Facts& facts);

/// "set this field to that" in the recipe's own form: a boolean of Megatron-LM is a flag that comes
/// or goes. `known` is false when this framework version has no such field.
struct SpelledEdit {
  Fix::Edit edit;
  bool known = true;
};

SpelledEdit spell_edit(std::string_view field, const expr::Value* value, const model::Facts& facts);

}  // namespace epwise::lint
