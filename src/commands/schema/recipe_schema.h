#pragma once

#include <string>

#include "recipe/vocabulary/vocabulary.h"

namespace epwise::cli {

/// A JSON Schema of recipes, for editors: sections and fields of Megatron-Bridge with their types,
/// words and defaults, or a mapping MODEL_ARGS of Megatron-LM's flags. Values that may be composed
/// of variables also accept a text with `${`. Unknown keys are rejected, as by lint.
std::string recipe_schema(const recipe::Vocabulary& bridge, const recipe::Vocabulary& mlm);

}  // namespace epwise::cli
