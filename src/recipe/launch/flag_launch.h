#pragma once

#include "recipe/launch/launch_words.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// Whether a program's arguments are Megatron-LM's: some of its flags stand among them.
bool is_megatron(const LaunchWords& launch, const Vocabulary& vocabulary);

/// Reads a program's words as Megatron-LM's flags. Flags that are there under a condition give
/// unknown values. A word of unknown text is the value of the flag before it where that wants one,
/// and nothing else; where such words may hold all the sizes of the model, everything that is not
/// written is unknown.
void read_flags(Recipe& recipe, const LaunchWords& launch, const Vocabulary& vocabulary);

}  // namespace epwise::recipe
