#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/value.h"
#include "recipe/overrides/scalar_types.h"
#include "text/diagnostic.h"

namespace epwise::recipe {

/// The value, or the first entry of a list, that is none of a field's words; nullopt when there is
/// none, or when the field takes anything.
///   unknown_word("sigmoi", {"softmax", "sigmoid"}) → "sigmoi"
std::optional<std::string> unknown_word(const expr::Value& value,
                                        const std::vector<std::string_view>& choices);

/// recipe/unknown-word for the value of a field written at `path`, or nullopt; `framework` is who
/// knows other words: "Megatron-Bridge 0.6.2", "Megatron-Core".
std::optional<text::Diagnostic> check_word(const expr::Value& value,
                                           const FieldSpec& spec,
                                           std::string_view path,
                                           const text::Mark& mark,
                                           std::string_view framework);

/// Words that Bridge's loader takes although their field knows others: recipe/unknown-word.
std::vector<text::Diagnostic> check_words(const std::vector<TypedScalar>& scalars,
                                          std::string_view version);

}  // namespace epwise::recipe
