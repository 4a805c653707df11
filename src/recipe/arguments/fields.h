#pragma once

#include "recipe/arguments/arguments.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// Megatron-LM's own parser of that version; it refers to the vocabulary.
Parser parser_of(const Vocabulary& vocabulary);

/// Puts what argparse made of the words into a recipe, under canonical names and in canonical
/// polarity:
/// --untie-embeddings-and-output-weights → model.share_embeddings_and_output_weights false. Adds
/// the diagnostics and raw.unknown_flags, raw.stray_words (lists) and raw.bad_choice (attribute of
/// the first refused choice; null without one).
void add_arguments(Recipe& recipe, Arguments arguments, const Vocabulary& vocabulary);

/// A list value of texts.
expr::Value text_list(const std::vector<std::string>& texts);

}  // namespace epwise::recipe
