#pragma once

#include <string>
#include <vector>

#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"
#include "text/diagnostic.h"

namespace epwise::recipe {

/// One scalar of a Bridge file with its field, to be compared with the field's type.
struct TypedScalar {
  std::string path;  // as written: "optimizer.lr"
  const FieldSpec* spec = nullptr;
  expr::Value value;
  bool plain = false;   // written without quotes: its type is the loader's idea
  std::string written;  // the scalar's text; empty for an override
  text::Mark mark;
};

/// Values that have another type than their field, which the loader does not check.
struct TypeFindings {
  std::vector<std::string> boolean_texts;  // boolean fields that hold text: any text is true
  /// recipe/quoted-boolean, recipe/text-for-number, recipe/number-for-count, and at most one
  /// yaml/dialect-scalar: plain scalars whose type PyYAML sees otherwise than people do (1e-6 is a
  /// text, `off` a boolean, 012 is 10).
  std::vector<text::Diagnostic> diagnostics;
};

TypeFindings check_types(const std::vector<TypedScalar>& scalars);

}  // namespace epwise::recipe
