#include "recipe/checkpoint_fields.h"

#include <array>
#include <string>
#include <string_view>

namespace epwise::recipe {
namespace {

using expr::Value;

// Source: Megatron-LM d98e8a64 megatron/training/checkpointing.py load_args_from_checkpoint.

/// The checkpoint's value overrides a flag.
constexpr std::array<std::string_view, 43> kForced = {"num_query_groups",
                                                      "group_query_attention",
                                                      "position_embedding_type",
                                                      "add_position_embedding",
                                                      "use_rotary_position_embeddings",
                                                      "rotary_base",
                                                      "rotary_percent",
                                                      "rotary_interleaved",
                                                      "add_bias_linear",
                                                      "add_qkv_bias",
                                                      "squared_relu",
                                                      "swiglu",
                                                      "untie_embeddings_and_output_weights",
                                                      "apply_layernorm_1p",
                                                      "normalization",
                                                      "apply_query_key_layer_scaling",
                                                      "attention_dropout",
                                                      "hidden_dropout",
                                                      "mtp_hybrid_override_pattern",
                                                      "mtp_num_layers",
                                                      "mtp_use_repeated_layer",
                                                      "spec",
                                                      "num_experts",
                                                      "moe_layer_freq",
                                                      "moe_ffn_hidden_size",
                                                      "moe_router_topk",
                                                      "moe_router_pre_softmax",
                                                      "moe_grouped_gemm",
                                                      "moe_single_grouped_weight",
                                                      "moe_single_grouped_bias",
                                                      "moe_shared_expert_intermediate_size",
                                                      "moe_router_score_function",
                                                      "moe_router_enable_expert_bias",
                                                      "moe_router_topk_scaling_factor",
                                                      "mamba_state_dim",
                                                      "mamba_head_dim",
                                                      "mamba_num_groups",
                                                      "mamba_num_heads",
                                                      "gdp_num_householder",
                                                      "heterogeneous_layers_config_path",
                                                      "heterogeneous_layers_config_encoded_json",
                                                      "moe_latent_size",
                                                      "tiktoken_pattern"};

/// The checkpoint's value is used if no flag gives one and there is no default.
constexpr std::array<std::string_view, 9> kMissing = {"num_layers",
                                                      "hidden_size",
                                                      "ffn_hidden_size",
                                                      "seq_length",
                                                      "num_attention_heads",
                                                      "kv_channels",
                                                      "max_position_embeddings",
                                                      "hybrid_layer_pattern",
                                                      "padded_vocab_size"};

/// With --use-mp-args-from-checkpoint-args.
constexpr std::array<std::string_view, 4> kParallel = {"tensor_model_parallel_size",
                                                       "pipeline_model_parallel_size",
                                                       "virtual_pipeline_model_parallel_size",
                                                       "expert_model_parallel_size"};

const Field* written(const Recipe& recipe, const Vocabulary& vocabulary, std::string_view name) {
  const FieldSpec* spec = vocabulary.find_attribute(name);
  return recipe.find(spec == nullptr ? "mlm." + std::string(name) : std::string(spec->name));
}

bool is_recipe_flag_on(const Recipe& recipe, const Vocabulary& vocabulary, std::string_view name) {
  const Field* field = written(recipe, vocabulary, name);
  const bool* on = field == nullptr ? nullptr : field->value.boolean();
  return on != nullptr && *on;
}

class Opening {
 public:
  Opening(Recipe& recipe, const Vocabulary& vocabulary)
      : recipe_(recipe),
        vocabulary_(vocabulary) {}

  void open(std::string_view attribute, bool also_written) {
    const FieldSpec* spec = vocabulary_.find_attribute(attribute);
    if (spec == nullptr || (!also_written && recipe_.find(spec->name) != nullptr)) {
      return;
    }
    const std::string name(spec->name);
    const auto [at, added] = recipe_.fields.try_emplace(name);
    if (added) {
      at->second.name = name;
      at->second.spelling = attribute;
    }
    at->second.value = Value::unknown({"the checkpoint"});
  }

 private:
  Recipe& recipe_;
  const Vocabulary& vocabulary_;
};

}  // namespace

void take_from_checkpoint(Recipe& recipe, const Vocabulary& vocabulary) {
  const bool loads = written(recipe, vocabulary, "load") != nullptr ||
                     written(recipe, vocabulary, "pretrained_checkpoint") != nullptr;
  if (!loads || !is_recipe_flag_on(recipe, vocabulary, "use_checkpoint_args")) {
    return;
  }
  Opening opening(recipe, vocabulary);
  for (const std::string_view each : kForced) {
    opening.open(each, true);
  }
  for (const std::string_view each : kMissing) {
    opening.open(each, false);
  }
  if (is_recipe_flag_on(recipe, vocabulary, "use_tokenizer_model_from_checkpoint_args")) {
    opening.open("tokenizer_model", true);
    opening.open("tokenizer_type", true);
  }
  if (is_recipe_flag_on(recipe, vocabulary, "use_mp_args_from_checkpoint_args")) {
    for (const std::string_view each : kParallel) {
      opening.open(each, true);
    }
  }
}

}  // namespace epwise::recipe
