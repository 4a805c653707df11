#pragma once

#include <vector>

#include "recipe/arguments/word.h"
#include "recipe/load.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"
#include "yaml/node.h"

namespace epwise::recipe {

/// The layers of one configuration, the lowest first.
struct Configuration {
  const yaml::Node* base = nullptr;  // null pointer: none
  const yaml::Node& root;
  const std::vector<Word>& overrides;
};

/// Reads a Megatron-Bridge configuration into a recipe: a whole dump of a ConfigContainer (it names
/// a `_target_` and is read as PyYAML reads it), or an override file with a few of its keys (read
/// as OmegaConf reads it), then overrides in Hydra's grammar, then interpolations.
///
/// Fields carry dotted names; model.transformer.x counts as model.x. A mapping with a `_target_` is
/// worth what config_targets.h says. A section of null is a field that is unset, a section of text
/// (a recipe's name) is both a field and present. env_vars becomes variables.
///
/// An override file may come with the recipe that it is laid over, as OmegaConf merges them; the
/// result is then as whole as that one.
///
/// raw.partial (an override file without one), raw.unwritten (unknown: overrides of a recipe that
/// nobody shows, which may write what they leave out), raw.unknown_keys, raw.boolean_texts,
/// raw.env_booleans and raw.env_nonscalar (lists).
void read_bridge(Recipe& recipe,
                 const Configuration& text,
                 const Environment& environment,
                 const Vocabulary& vocabulary);

}  // namespace epwise::recipe
