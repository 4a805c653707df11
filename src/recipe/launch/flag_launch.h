#pragma once

#include "recipe/launch/launch_words.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// Whether a program's arguments include flags of Megatron-LM.
bool is_megatron(const LaunchWords& launch, const Vocabulary& vocabulary);

/// Reads a program's words as Megatron-LM flags. Flags under a condition give unknown values. A
/// word of unknown text is only used as the value of the preceding flag, if that needs one; if such
/// words may contain all model sizes, everything that is not written is unknown.
void read_flags(Recipe& recipe, const LaunchWords& launch, const Vocabulary& vocabulary);

}  // namespace epwise::recipe
