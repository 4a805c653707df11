#pragma once

#include <string>
#include <vector>

#include "base/text/diagnostic.h"
#include "recipe/bridge/config_tree.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// Keys of a Megatron-Bridge configuration that its loader drops (recipe/unknown-key) or for which
/// a class stops the launch (recipe/refused-key), with the probable intention.
struct UnknownKeys {
  std::vector<std::string> paths;  // "model.num_layer", in the order of the file
  std::vector<text::Diagnostic> diagnostics;
};

/// Checks sections and their direct keys, and those of model.transformer; deeper keys belong to
/// objects. `unjudged` lists sections whose class the vocabulary does not know.
UnknownKeys find_unknown_keys(const ConfigNode& root,
                              const Vocabulary& vocabulary,
                              const std::vector<std::string>& unjudged);

/// recipe/unknown-class: the `_target_` of a section is a class unknown to the vocabulary, with the
/// most similar known one, or the versions that have it.
text::Diagnostic unknown_class(const ConfigNode& section, const Vocabulary& vocabulary);

/// ", did you mean `model.num_layers`?", " (known since head)", " (a field of MLAModelProvider)",
/// or where else the key belongs; "" if nothing is similar.
std::string meant_instead(std::string_view path, const Vocabulary& vocabulary);

/// A recipe for a different release has many unknown keys with one cause. If one other release
/// knows most of them, their findings become one:
///   "54 keys unknown to Megatron-Bridge 0.5.0 exist in head: `checkpoint.…`, …"
/// Names unknown to all releases keep separate findings.
void fold_other_release(const ConfigNode& root, const Vocabulary& vocabulary, UnknownKeys& unknown);

}  // namespace epwise::recipe
