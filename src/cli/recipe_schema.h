#pragma once

#include <string>

#include "recipe/vocabulary/vocabulary.h"

namespace epwise::cli {

/// A JSON Schema of recipes, for editors: sections and fields of Megatron-Bridge with their types,
/// words and defaults, or a mapping MODEL_ARGS of Megatron-LM's flags. Where a value may be put
/// together of variables a text with `${` fits too. Keys that nobody knows are refused, as lint
/// does.
std::string recipe_schema(const recipe::Vocabulary& bridge, const recipe::Vocabulary& mlm);

}  // namespace epwise::cli
