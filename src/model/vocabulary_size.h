#pragma once

#include <optional>
#include <string>

#include "model/field_reader.h"

namespace epwise::model {

struct VocabularySize {
  int tokens = 0;
  std::string why;  // empty: the recipe writes it; else the tokenizer that it was taken from
};

/// The vocabulary of the recipe: its own field, else that of the tokenizer that it names (models'
/// published configurations; Megatron's default for tiktoken files, 2^17). Where neither tells, a
/// problem and 0.
///   --tokenizer-model: deepseek-ai/DeepSeek-V3 → 129280, "the tokenizer deepseek-ai/DeepSeek-V3"
VocabularySize read_vocabulary_size(FieldReader& reader);

}  // namespace epwise::model
