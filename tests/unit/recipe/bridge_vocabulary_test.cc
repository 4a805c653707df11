#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "recipe/vocabulary/vocabulary.h"
#include "support/vocabulary_table.h"

namespace epwise::recipe {

namespace {

using expr::Value;
using support::default_of;
using support::kNoField;
using support::vocabulary;

}  // namespace

TEST_CASE("Megatron-Bridge: defaults of the section's class, by version") {
  struct Row {
    const char* version;
    const char* name;
    Value value;
  };

  const std::vector<Row> rows = {
      {"head", "model.moe_token_dispatcher_type", Value::of("allgather")},
      {"head", "model.moe_flex_dispatcher_backend", Value::of("deepep")},
      {"head", "model.share_embeddings_and_output_weights", Value::of(true)},
      {"head", "model.cross_entropy_loss_fusion", Value::of(true)},
      {"head", "model.gradient_accumulation_fusion", Value::of(true)},
      {"head", "model.attention_dropout", Value::of(0.1)},
      {"head", "model.fp8_recipe", Value::of("delayed")},
      {"head", "model.cuda_graph_modules", Value::of("full")},
      {"head", "mixed_precision.fp8_recipe", Value::of("tensorwise")},
      {"head", "optimizer.optimizer_offload_fraction", Value::of(0.0)},
      {"head", "optimizer.params_dtype", Value::of("torch.float32")},
      {"head", "optimizer.adam_eps", Value::of(1e-8)},
      {"head", "train.exit_signal", Value::of("SIGTERM")},
      {"head", "model.activation_func", Value::of("torch._C._nn.gelu")},
      {"head", "comm_overlap.wgrad_deferral_limit", Value::unset()},
      {"0.4.0", "model.cuda_graph_modules", kNoField},
      {"0.4.0", "model.use_transformer_engine_op_fuser", Value::of(false)},
      {"head", "ddp.megatron_fsdp_main_params_dtype", Value::of("torch.float32")},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.version));
    CAPTURE(std::string(row.name));
    CHECK(default_of(vocabulary(Framework::bridge, row.version), row.name).to_text() ==
          row.value.to_text());
    CHECK(default_of(vocabulary(Framework::bridge, row.version), row.name) == row.value);
  }
}

TEST_CASE("Megatron-Bridge: required fields, types and sections") {
  const Vocabulary known = vocabulary(Framework::bridge, "0.6.2");
  CHECK_FALSE(known.find("comm_overlap.tp_comm_overlap")->has_default);
  CHECK(known.find("comm_overlap.tp_comm_overlap")->type.kind == expr::Kind::boolean);
  CHECK(known.find("model.num_moe_experts")->type ==
        expr::Type{.kind = expr::Kind::integer, .optional = true});
  CHECK(known.find("model.bf16")->type ==
        expr::Type{.kind = expr::Kind::boolean, .optional = false});
  CHECK(known.find("optimizer.lr")->type.kind == expr::Kind::real);
  CHECK(known.find("model.recompute_modules")->type.kind == expr::Kind::list);
  CHECK(known.find("model.moe_layer_freq")->type.kind == expr::Kind::any);
  CHECK(known.find("model.num_layers")->attribute == "model.num_layers");
  const auto& choices = known.find("dataset.dataloader_type")->choices;
  CHECK(choices == std::vector<std::string_view>{"single", "cyclic", "batch", "external"});

  for (const std::string_view section : {"model", "comm_overlap", "env_vars", "rng", "ft"}) {
    CAPTURE(std::string(section));
    CHECK(known.has_section(section));
  }
  CHECK_FALSE(known.has_section("model.transformer"));
  CHECK_FALSE(known.has_section("models"));
  CHECK_FALSE(vocabulary(Framework::bridge, "0.5.0").has_section("env_vars"));
  // Absent by default, or made by the framework.
  CHECK(known.find("comm_overlap")->has_default);
  CHECK(known.find("comm_overlap")->default_value.is_unset());
  CHECK_FALSE(known.find("train")->has_default);
}

TEST_CASE("Megatron-Bridge: a model class has its own fields and defaults") {
  Vocabulary known = vocabulary(Framework::bridge, "0.6.2");
  const Value unsure = default_of(known, "model.q_lora_rank");
  REQUIRE(unsure.is_unknown());  // until the class is known
  CHECK(unsure.unknown()->needs == std::vector<std::string>{"model._target_"});

  REQUIRE(known.use_class("model", "megatron.bridge.models.mla_provider.MLAModelProvider"));
  CHECK(default_of(known, "model.q_lora_rank") == Value::of(512));
  // Its second base class says false, and Python's dataclasses let that one count.
  CHECK(default_of(known, "model.multi_latent_attention") == Value::of(false));
  CHECK(default_of(known, "train.exit_signal") == Value::of("SIGTERM"));  // others stay
  CHECK(std::ranges::is_sorted(known.names()));

  REQUIRE(
      known.use_class("model", "megatron.bridge.models.olmoe.olmoe_provider.OlMoEModelProvider"));
  CHECK(default_of(known, "model.num_moe_experts") == Value::of(64));
  CHECK(default_of(known, "model.moe_router_topk") == Value::of(8));
  CHECK(known.find("model.q_lora_rank") == nullptr);
  const auto classes = known.classes_with("model.q_lora_rank");
  CHECK(std::ranges::find(classes, "MLATransformerConfig") != classes.end());
  CHECK(std::ranges::find(classes, "GPTModelProvider") == classes.end());

  // Where the class stood in another release, and classes that are not the framework's.
  Vocabulary moved = vocabulary(Framework::bridge, "head");
  CHECK(moved.use_class("model", "megatron.bridge.models.olmoe.elsewhere.OlMoEModelProvider"));
  CHECK(default_of(moved, "model.num_moe_experts") == Value::of(64));
  CHECK_FALSE(moved.use_class("model", "my.models.GPTModelProvider"));
  CHECK_FALSE(moved.use_class("model", "megatron.bridge.models.NoSuchProvider"));
  CHECK(default_of(moved, "model.num_moe_experts") == Value::of(64));  // nothing changed
}

TEST_CASE("Megatron-Bridge: dense models of head keep the transformer below") {
  Vocabulary known = vocabulary(Framework::bridge, "head");
  CHECK(known.find("model.num_layers") != nullptr);
  REQUIRE(known.use_class("model", "megatron.bridge.models.gpt.model_config.BridgeGPTModelConfig"));
  CHECK(known.find("model.num_layers") == nullptr);
  CHECK(default_of(known, "model.transformer.moe_token_dispatcher_type") == Value::of("allgather"));
  CHECK(known.find("model.vocab_size") != nullptr);
  CHECK_FALSE(
      vocabulary(Framework::bridge, "0.6.2")
          .use_class("model", "megatron.bridge.models.gpt.model_config.BridgeGPTModelConfig"));
}

TEST_CASE("Megatron-Bridge: other sections have classes too") {
  Vocabulary known = vocabulary(Framework::bridge, "head");
  CHECK(known.find("dataset.random_seed") != nullptr);
  CHECK(known.find("dataset.offline_packing_specs.packed_sequence_size") != nullptr);
  REQUIRE(known.use_class("dataset", "megatron.bridge.data.builders.gpt_sft.GPTSFTDatasetConfig"));
  CHECK_FALSE(known.refuses_keys("dataset"));
  CHECK(known.find("dataset.random_seed") == nullptr);
  CHECK(known.find("dataset.offline_packing_specs.packed_sequence_size") != nullptr);
  CHECK_FALSE(known.use_class("dataset", "megatron.bridge.models.gpt_provider.GPTModelProvider"));
}

TEST_CASE(
    "Megatron-Bridge: datasets of pre-training end the launch at a key that is none of theirs") {
  for (const std::string_view version : {"0.4.0", "0.4.2", "0.5.0", "0.5.1", "0.6.2", "head"}) {
    CAPTURE(version);
    Vocabulary known = vocabulary(Framework::bridge, version);
    CHECK_FALSE(known.refuses_keys("dataset"));
    REQUIRE(known.use_class("dataset", "megatron.bridge.training.config.MockGPTDatasetConfig"));
    CHECK(known.refuses_keys("dataset"));
    CHECK_FALSE(known.refuses_keys("model"));
    CHECK(known.knows("dataset.seq_length"));
    CHECK(known.knows("dataset.skip_getting_attention_mask_from_dataset"));
    CHECK_FALSE(known.knows("dataset.fim_rate"));
  }
}

TEST_CASE("Megatron-Bridge: classes of a section, and versions that have one") {
  const Vocabulary known = vocabulary(Framework::bridge, "0.5.0");
  const auto classes = known.classes_of("comm_overlap");
  REQUIRE_FALSE(classes.empty());
  CHECK(classes.front() == "megatron.bridge.training.comm_overlap.CommOverlapConfig");
  CHECK(known.history("megatron.bridge.data.builders.gpt_sft.GPTSFTDatasetConfig") ==
        "known since 0.6.2");
}

TEST_CASE("Megatron-Bridge: keys that the loader would keep") {
  const Vocabulary known = vocabulary(Framework::bridge, "head");
  for (const std::string_view path : {"model.num_layers",
                                      "_target_",
                                      "model._target_",
                                      "model.params_dtype._target_",
                                      "model.transformer_layer_spec.use_transformer_engine",
                                      "env_vars.NCCL_DEBUG",
                                      "dataset.dataset_kwargs.add_bos",
                                      "dataset.dataset_kwargs.chat.template",
                                      "comm_overlap.tp_comm_overlap_cfg.qkv_fprop.num_sm"}) {
    CAPTURE(std::string(path));
    CHECK(known.knows(path));
  }
  for (const std::string_view path : {"model.num_layer",
                                      "modle.num_layers",
                                      "model.num_layers.x",
                                      "train.micro_batch_size.a.b",
                                      "comm_overlap.tp_comm_overlap_cfg.qkv",
                                      "comm_overlap.tp_comm_overlap_cfg.qkv_fprop.num_sms"}) {
    CAPTURE(std::string(path));
    CHECK_FALSE(known.knows(path));
  }
}

}  // namespace epwise::recipe
