#pragma once

#include <vector>

#include "recipe/arguments/arguments.h"
#include "recipe/load.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"
#include "yaml/node.h"

namespace epwise::recipe {

/// The layers of one configuration, lowest first.
struct Configuration {
  const yaml::Node* base = nullptr;  // null pointer: none
  const yaml::Node& root;
  const std::vector<Word>& overrides;
};

/// Reads a Megatron-Bridge configuration into a recipe: a complete dump of a ConfigContainer (it
/// contains a `_target_` and is read like by PyYAML), or an override file with a few of its keys
/// (read like by OmegaConf), then overrides in Hydra's grammar, then interpolations.
///
/// Fields have dotted names; model.transformer.x counts as model.x. config_targets.h defines the
/// value of a mapping with a `_target_`. A null section is an unset field, a text section (a
/// recipe's name) is both a field and present. env_vars becomes variables.
///
/// An override file may come with its base recipe, merged as by OmegaConf; the result is then as
/// complete as the base.
///
/// raw.partial (an override file without a base), raw.unwritten (unknown: overrides of an
/// unavailable recipe, which may set what they omit), raw.unknown_keys, raw.boolean_texts,
/// raw.plain_sections, raw.sequences, raw.env_booleans and raw.env_nonscalar (lists).
void read_bridge(Recipe& recipe,
                 const Configuration& text,
                 const Environment& environment,
                 const Vocabulary& vocabulary);

/// Merges several documents into one: mappings key by key, anything else is replaced by the later
/// document's value. Leaves a single document.
void merge_documents(std::vector<yaml::Document>& documents);

/// OmegaConf, which reads files of overrides, rejects a mapping with a key given twice, where PyYAML
/// takes the last value: turns yaml/duplicate-key and yaml/repeated-key into yaml/refused-duplicate-key.
void refuse_duplicate(text::Diagnostic& diagnostic);

}  // namespace epwise::recipe
