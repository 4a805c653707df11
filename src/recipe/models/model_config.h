#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/source_file.h"
#include "expr/value.h"
#include "recipe/bridge/config_tree.h"

namespace epwise::recipe {

/// A model as its config.json describes it.
struct ModelConfig {
  std::string name;    // "Qwen/Qwen3-30B-A3B"; of a file, its path
  std::string source;  // what the numbers come from: "config.json as published", the file's path
  std::string status;  // published, assumed; "file" for the user's own config.json
  ConfigNode values;   // a mapping; of a vision-language model, its text_config
};

/// A public model by its id on the Hugging Face hub, or by the last component of a path. Case is
/// ignored, and a release of the same architecture counts as its model.
///   public_model("Qwen/Qwen3-30B-A3B-Instruct-2507")->name   → "Qwen/Qwen3-30B-A3B"
///   public_model("/data/models/Mixtral-8x7B-v0.1")->name     → "mistralai/Mixtral-8x7B-v0.1"
///   public_model("my-model")                                 → nullopt
std::optional<ModelConfig> public_model(std::string_view id);

/// The ids of all public models that are known, sorted.
std::vector<std::string> public_model_names();

/// ", did you mean `Qwen/Qwen3-30B-A3B`?", for a name that public_model does not know; may be empty.
std::string similar_models(std::string_view name);

/// The user's own config.json; nullopt if it is not a mapping with a model's numbers.
std::optional<ModelConfig> read_model_config(const text::SourceFile& file);

/// The fields of Megatron-Core that the model decides, by canonical name, as the converters of
/// Megatron-Bridge and of the trainers set them. An unset value keeps Megatron-Core's default.
/// A model_type that recipe/models/config_names.yaml does not list gives its numbers only.
///   {num_hidden_layers: 46, n_routed_experts: 128, …}
///   → {"model.num_layers": 46, "model.num_moe_experts": 128, …}
std::map<std::string, expr::Value> megatron_fields(const ModelConfig& model);

/// Whether recipe/models/config_names.yaml lists the model_type: what megatron_fields does not set
/// keeps Megatron-Core's default, as far as the model decides it.
bool is_known_kind(const ModelConfig& model);

/// Facts about the encoder of images in front of a language model, by name (raw.vision_layers and
/// others: recipe/models/vision_encoders.yaml): what `vision_config` says, over the defaults of the
/// model_type `kind`. Empty if neither tells its size. A text model has no encoder.
///   vision_facts(nullptr, "qwen3_vl_moe_text")["raw.vision_layers"]   → 27
std::map<std::string, expr::Value> vision_facts(const ConfigNode* vision_config,
                                                std::string_view kind);

/// Of a public model or a config.json.
std::map<std::string, expr::Value> vision_facts(const ModelConfig& model);

/// The model_type of a vision-language model class of Megatron-Bridge; empty for other classes.
///   "megatron.bridge.models.qwen_vl.qwen3_vl_provider.Qwen3VLMoEModelProvider" → "qwen3_vl"
std::string vision_kind(std::string_view model_class);

}  // namespace epwise::recipe
