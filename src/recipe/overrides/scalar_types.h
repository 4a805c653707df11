#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "expr/value.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// One scalar of a Bridge file with its field, for comparison with the field's type.
struct TypedScalar {
  std::string path;  // as written: "optimizer.lr"
  const FieldSpec* spec = nullptr;
  expr::Value value;
  bool plain = false;   // unquoted: its type is chosen by the loader
  std::string written;  // the scalar's text; empty for an override
  text::Mark mark;
};

/// Values of a different type than their field, which the loader does not check.
struct TypeFindings {
  std::vector<std::string> boolean_texts;  // boolean fields that contain text: any text is true
  // fields whose value is an object (a dtype, an enumerator) and that contain its name as text
  std::vector<std::string> object_texts;
  /// recipe/quoted-boolean, recipe/text-for-number, recipe/number-for-count, and at most one
  /// yaml/dialect-scalar: plain scalars that PyYAML types differently than people expect (1e-6 is a
  /// text, `off` a boolean, 012 is 10).
  std::vector<text::Diagnostic> diagnostics;
};

TypeFindings check_types(const std::vector<TypedScalar>& scalars);

/// The value, or the first item of a list, that is not one of a field's words; nullopt if there is
/// none, or if the field accepts anything.
///   unknown_word("sigmoi", {"softmax", "sigmoid"}) → "sigmoi"
std::optional<std::string> unknown_word(const expr::Value& value,
                                        const std::vector<std::string_view>& choices);

/// recipe/unknown-word for the value of a field written at `path`, or nullopt; `framework` names
/// whoever defines the words: "Megatron-Bridge 0.6.2", "Megatron-Core".
std::optional<text::Diagnostic> check_word(const expr::Value& value,
                                           const FieldSpec& spec,
                                           std::string_view path,
                                           const text::Mark& mark,
                                           std::string_view framework);

/// Words that Bridge's loader accepts although they are not valid for their field:
/// recipe/unknown-word.
std::vector<text::Diagnostic> check_words(const std::vector<TypedScalar>& scalars,
                                          std::string_view version);

}  // namespace epwise::recipe
