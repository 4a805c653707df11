#pragma once

#include <string>
#include <vector>

#include "recipe/bridge/config_tree.h"
#include "recipe/vocabulary/vocabulary.h"
#include "text/diagnostic.h"

namespace epwise::recipe {

/// Keys of a Megatron-Bridge configuration that its loader drops (recipe/unknown-key) or at which a
/// class ends the launch (recipe/refused-key), with what was probably meant.
struct UnknownKeys {
  std::vector<std::string> paths;  // "model.num_layer", in the order of the file
  std::vector<text::Diagnostic> diagnostics;
};

/// Judges sections and their direct keys, and those of model.transformer; what lies deeper belongs
/// to objects. `unjudged` names sections whose class the vocabulary does not know.
UnknownKeys find_unknown_keys(const ConfigNode& root,
                              const Vocabulary& vocabulary,
                              const std::vector<std::string>& unjudged);

/// recipe/unknown-class: the `_target_` of a section names a class that the vocabulary does not
/// know, with the nearest one that it does, or the versions that have it.
text::Diagnostic unknown_class(const ConfigNode& section, const Vocabulary& vocabulary);

/// ", did you mean `model.num_layers`?", " (known since head)", " (a field of MLAModelProvider)",
/// or where else the key belongs; "" when nothing is near.
std::string meant_instead(std::string_view path, const Vocabulary& vocabulary);

}  // namespace epwise::recipe
