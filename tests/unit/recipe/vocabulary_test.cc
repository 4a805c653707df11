#include "recipe/vocabulary.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "data/embedded.h"
#include "support/vocabulary_table.h"

namespace epwise::recipe {

namespace {

using expr::Value;
using support::vocabulary;

const Value kMissing = Value::of("no such field");

Value default_of(const Vocabulary& known, std::string_view name) {
  const FieldSpec* const field = known.find(name);
  return field == nullptr ? kMissing : field->default_value;
}

Value texts(std::initializer_list<const char*> words) {
  Value::List list;
  for (const char* const word : words) {
    list.push_back(Value::of(word));
  }
  return Value::of(list);
}

std::string name_of(const FieldSpec* field) {
  return field == nullptr ? "-" : std::string(field->name);
}

}  // namespace

TEST_CASE("a version of no table takes the one that fits best") {
  struct Row {
    Framework framework;
    const char* asked;
    const char* used;
    bool exact;
  };

  const std::vector<Row> rows = {
      {Framework::mlm, "0.17.1", "0.17.1", true},
      {Framework::mlm, "head", "head", true},
      {Framework::mlm, "", "head", false},
      {Framework::mlm, "main", "head", false},
      {Framework::mlm, "0.18.0rc1", "0.18.2", false},  // the known release of the same series
      {Framework::mlm, "0.19", "0.19.0", true},
      {Framework::mlm, "0.20.0", "head", false},
      {Framework::mlm, "1.0", "head", false},
      {Framework::mlm, "0.12.3", "0.15.3", false},  // older than all
      {Framework::bridge, "0.5.1", "0.5.0", false},
      {Framework::bridge, "0.6.2", "0.6.2", true},
      {Framework::bridge, "0.7.0", "head", false},
      {Framework::bridge, "0.2.0", "0.4.0", false},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.asked));
    const Vocabulary known = vocabulary(row.framework, row.asked);
    CHECK(known.version() == row.used);
    CHECK(known.exact() == row.exact);
    CHECK(known.framework() == row.framework);
  }
}

TEST_CASE("known versions are listed oldest first") {
  CHECK(Vocabulary::versions(Framework::bridge, support::vocabulary_table()) ==
        std::vector<std::string_view>{"0.4.0", "0.5.0", "0.6.2", "head"});
  CHECK(Vocabulary::versions(Framework::mlm, support::vocabulary_table()) ==
        std::vector<std::string_view>{"0.15.3", "0.16.1", "0.17.1", "0.18.2", "0.19.0", "head"});
}

TEST_CASE("the program embeds the tables that stand in rules/vocabulary") {
  CHECK((data::compiled_vocabulary() == support::vocabulary_table()));
  const Vocabulary embedded = Vocabulary::load(Framework::mlm, "0.18.2");
  CHECK(embedded.version() == "0.18.2");
  CHECK(embedded.names() == vocabulary(Framework::mlm, "0.18.2").names());
  CHECK(Vocabulary::versions(Framework::bridge).back() == "head");
}

TEST_CASE("Megatron-LM: defaults in canonical polarity, by version") {
  struct Row {
    const char* version;
    const char* name;
    Value value;
  };

  const std::vector<Row> rows = {
      {"head", "model.moe_token_dispatcher_type", Value::of("allgather")},
      {"head", "model.num_moe_experts", Value::unset()},
      {"head", "model.add_bias_linear", Value::of(true)},
      {"head", "model.share_embeddings_and_output_weights", Value::of(true)},
      {"head", "model.persist_layer_norm", Value::of(true)},
      {"head", "model.gradient_accumulation_fusion", Value::of(true)},
      {"head", "model.cross_entropy_loss_fusion", Value::of(false)},
      {"head", "optimizer.optimizer_offload_fraction", Value::of(1.0)},
      {"head", "optimizer.initial_loss_scale", Value::of(std::int64_t{4294967296})},
      {"head", "model.cp_comm_type", texts({"p2p"})},
      {"head", "model.cuda_graph_modules", Value::of(Value::List{})},
      {"0.18.2", "model.cuda_graph_modules", Value::of(Value::List{})},
      {"0.17.1", "model.cuda_graph_modules", kMissing},
      {"0.17.1", "model.cuda_graph_scope", Value::of(Value::List{})},
      {"0.15.3", "model.cuda_graph_scope", Value::of("full")},
      {"0.17.1", "ddp.data_parallel_sharding_strategy", Value::of("no_shard")},
      {"0.18.2", "ddp.data_parallel_sharding_strategy", Value::of("optim_grads_params")},
      {"0.15.3", "model.use_mamba_mem_eff_path", Value::of(true)},  // the attribute says disable_…
      {"0.16.1", "model.use_mamba_mem_eff_path", Value::of(true)},
      {"0.15.3", "mlm.enable_chunked_prefill", Value::of(true)},
      {"0.16.1", "mlm.enable_chunked_prefill", Value::of(false)},
      {"0.17.1", "mlm.enable_msc", Value::of(true)},
      {"0.18.2", "mlm.enable_msc", Value::of(false)},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.version));
    CAPTURE(std::string(row.name));
    CHECK(default_of(vocabulary(Framework::mlm, row.version), row.name).to_text() ==
          row.value.to_text());
    CHECK(default_of(vocabulary(Framework::mlm, row.version), row.name) == row.value);
  }
}

TEST_CASE("Megatron-LM: attributes, negations and further names") {
  const Vocabulary known = vocabulary(Framework::mlm, "head");
  CHECK(name_of(known.find_attribute("num_experts")) == "model.num_moe_experts");
  CHECK(name_of(known.find_attribute("untie_embeddings_and_output_weights")) ==
        "model.share_embeddings_and_output_weights");
  CHECK(known.find_attribute("untie_embeddings_and_output_weights")->inverted);
  CHECK_FALSE(known.find_attribute("add_bias_linear")->inverted);
  CHECK(known.find("model.num_moe_experts")->attribute == "num_experts");
  CHECK(known.find("mlm.yaml_cfg")->attribute == "yaml_cfg");
  CHECK(known.find_attribute("model.num_layers") == nullptr);
  // One switch of Megatron-LM is several fields of Megatron-Bridge.
  CHECK(name_of(known.find("comm_overlap.bucket_size")) == "ddp.bucket_size");
  CHECK(name_of(known.find("mixed_precision.fp8_param_gather")) == "model.fp8_param");
  CHECK(name_of(known.find("rng.te_rng_tracker")) == "model.use_te_rng_tracker");
  CHECK(name_of(known.find("optimizer.use_distributed_optimizer")) ==
        "ddp.use_distributed_optimizer");
  // A number of layers does not say what the boolean says.
  CHECK(known.find("model.cpu_offloading") == nullptr);
  // What depends on the machine has no default that we know.
  const Value rank = default_of(known, "dist.local_rank");
  REQUIRE(rank.is_unknown());
  CHECK(rank.unknown()->needs == std::vector<std::string>{"dist.local_rank"});
}

TEST_CASE("Megatron-LM: every attribute stands once in every version") {
  for (const std::string_view version :
       Vocabulary::versions(Framework::mlm, support::vocabulary_table())) {
    CAPTURE(std::string(version));
    const Vocabulary known = vocabulary(Framework::mlm, version);
    std::set<std::string_view> attributes;
    for (const FieldSpec& field : known.fields()) {
      CHECK(attributes.insert(field.attribute).second);
      CHECK(known.find(field.name) == &field);
      CHECK(known.find_attribute(field.attribute) == &field);
    }
    for (const Flag& flag : known.flags()) {
      CHECK((flag.action == Flag::Action::help || attributes.contains(flag.attribute)));
    }
    CHECK(known.names().size() == known.fields().size());
    CHECK(std::ranges::is_sorted(known.names()));
  }
}

TEST_CASE("Megatron-LM: flags as the parser knows them") {
  const Vocabulary known = vocabulary(Framework::mlm, "head");

  const Flag* flag = known.flag("--num-experts");
  REQUIRE(flag != nullptr);
  CHECK(flag->attribute == "num_experts");
  CHECK(flag->action == Flag::Action::store);
  CHECK(flag->values == Flag::Values::one);
  CHECK(flag->type == "int");

  flag = known.flag("--disable-bias-linear");
  REQUIRE(flag != nullptr);
  CHECK(flag->attribute == "add_bias_linear");
  CHECK(flag->action == Flag::Action::store_false);

  flag = known.flag("--recompute-modules");
  REQUIRE(flag != nullptr);
  CHECK(flag->values == Flag::Values::some);
  CHECK(flag->type == "str");
  CHECK(known.flag("--data-path")->values == Flag::Values::any);

  flag = known.flag("--moe-token-dispatcher-type");
  REQUIRE(flag != nullptr);
  CHECK(flag->choices == std::vector<std::string_view>{"allgather", "alltoall", "flex"});

  flag = known.flag("--flash-attention-version");
  REQUIRE(flag != nullptr);
  CHECK(flag->choices == std::vector<std::string_view>{"2", "3", "4"});

  flag = known.flag("--rampup-batch-size");
  REQUIRE(flag != nullptr);
  CHECK(flag->values == Flag::Values::fixed);
  CHECK(flag->count == 3);

  CHECK(known.flag("--moe-layer-freq")->type == "moe_freq");
  CHECK(known.flag("--attention-backend")->type == "enum");
  CHECK(known.flag("--help")->action == Flag::Action::help);
  CHECK(known.flag("-h") == known.flag("--help"));

  // Both halves of a boolean with --no-…
  CHECK(known.flag("--rl-partial-rollouts")->action == Flag::Action::store_true);
  CHECK(known.flag("--no-rl-partial-rollouts")->action == Flag::Action::store_false);
  CHECK(known.flag("--no-rl-partial-rollouts")->attribute == "rl_partial_rollouts");

  CHECK(known.flag("--num-exp") == nullptr);
  CHECK(known.flag("--num_experts") == nullptr);
}

TEST_CASE("choices change with the version") {
  const auto choices = [](const char* version, const char* flag) {
    return vocabulary(Framework::mlm, version).flag(flag)->choices;
  };
  CHECK(choices("0.15.3", "--optimizer") == std::vector<std::string_view>{"adam", "sgd"});
  CHECK(choices("0.15.3", "--cuda-graph-scope") ==
        std::vector<std::string_view>{"full", "attn", "full_iteration"});
  CHECK(choices("0.17.1", "--cuda-graph-impl") ==
        std::vector<std::string_view>{"none", "local", "transformer_engine"});
  CHECK(choices("0.18.2", "--cuda-graph-impl").size() == 4);
}

TEST_CASE("spellings that start so, for messages") {
  const Vocabulary known = vocabulary(Framework::mlm, "0.19.0");
  CHECK(known.spellings_starting("--moe-router-topk") ==
        std::vector<std::string_view>{"--moe-router-topk", "--moe-router-topk-scaling-factor"});
  CHECK(known.spellings_starting("--nothing-of-that").empty());
  std::size_t spellings = 0;
  for (const Flag& flag : known.flags()) {
    spellings += flag.spellings.size();
  }
  CHECK(known.spellings_starting("").size() == spellings);
}

TEST_CASE("history tells which other versions know a name") {
  const Vocabulary old = vocabulary(Framework::mlm, "0.15.3");
  const Vocabulary head = vocabulary(Framework::mlm, "head");
  CHECK(old.history("--cuda-graph-modules") == "known since 0.18.2");
  CHECK(old.history("model.cuda_graph_modules") == "known since 0.18.2");
  CHECK(head.history("--use-legacy-models") == "known until 0.17.1");
  CHECK(head.history("--moe-ncclep-static-shape") == "known only in 0.19.0");
  CHECK(head.history("rl_num_parallel_generations") == "known from 0.17.1 to 0.18.2");
  CHECK(old.history("--num-experts").empty());  // known here
  CHECK(old.history("--num-expert").empty());   // known nowhere
  const Vocabulary bridge = vocabulary(Framework::bridge, "0.4.0");
  CHECK(bridge.history("env_vars") == "known since 0.6.2");
  CHECK(bridge.history("model.hf_model_revision") == "known since 0.6.2");
}

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
      {"0.4.0", "model.cuda_graph_modules", kMissing},
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

  REQUIRE(known.use_model_class("megatron.bridge.models.mla_provider.MLAModelProvider"));
  CHECK(default_of(known, "model.q_lora_rank") == Value::of(512));
  // Its second base class says false, and Python's dataclasses let that one count.
  CHECK(default_of(known, "model.multi_latent_attention") == Value::of(false));
  CHECK(default_of(known, "train.exit_signal") == Value::of("SIGTERM"));  // others stay
  CHECK(std::ranges::is_sorted(known.names()));

  REQUIRE(known.use_model_class("megatron.bridge.models.olmoe.olmoe_provider.OlMoEModelProvider"));
  CHECK(default_of(known, "model.num_moe_experts") == Value::of(64));
  CHECK(default_of(known, "model.moe_router_topk") == Value::of(8));
  CHECK(known.find("model.q_lora_rank") == nullptr);
  const auto classes = known.classes_with("model.q_lora_rank");
  CHECK(std::ranges::find(classes, "MLATransformerConfig") != classes.end());
  CHECK(std::ranges::find(classes, "GPTModelProvider") == classes.end());

  // Where the class stood in another release, and classes that are not the framework's.
  Vocabulary moved = vocabulary(Framework::bridge, "head");
  CHECK(moved.use_model_class("megatron.bridge.models.olmoe.elsewhere.OlMoEModelProvider"));
  CHECK(default_of(moved, "model.num_moe_experts") == Value::of(64));
  CHECK_FALSE(moved.use_model_class("my.models.GPTModelProvider"));
  CHECK_FALSE(moved.use_model_class("megatron.bridge.models.NoSuchProvider"));
  CHECK(default_of(moved, "model.num_moe_experts") == Value::of(64));  // nothing changed
}

TEST_CASE("Megatron-Bridge: dense models of head keep the transformer below") {
  Vocabulary known = vocabulary(Framework::bridge, "head");
  CHECK(known.find("model.num_layers") != nullptr);
  REQUIRE(known.use_model_class("megatron.bridge.models.gpt.model_config.BridgeGPTModelConfig"));
  CHECK(known.find("model.num_layers") == nullptr);
  CHECK(default_of(known, "model.transformer.moe_token_dispatcher_type") == Value::of("allgather"));
  CHECK(known.find("model.vocab_size") != nullptr);
  CHECK_FALSE(vocabulary(Framework::bridge, "0.6.2")
                  .use_model_class("megatron.bridge.models.gpt.model_config.BridgeGPTModelConfig"));
}

TEST_CASE("Megatron-Bridge: other sections have classes too") {
  Vocabulary known = vocabulary(Framework::bridge, "head");
  CHECK(known.find("dataset.random_seed") != nullptr);
  CHECK(known.find("dataset.offline_packing_specs.packed_sequence_size") != nullptr);
  REQUIRE(known.use_class("dataset", "megatron.bridge.data.builders.gpt_sft.GPTSFTDatasetConfig"));
  CHECK(known.find("dataset.random_seed") == nullptr);
  CHECK(known.find("dataset.offline_packing_specs.packed_sequence_size") != nullptr);
  CHECK_FALSE(known.use_class("dataset", "megatron.bridge.models.gpt_provider.GPTModelProvider"));
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
