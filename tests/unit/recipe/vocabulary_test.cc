#include "recipe/vocabulary/vocabulary.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/embedded/embedded.h"
#include "support/vocabulary_table.h"

namespace epwise::recipe {

namespace {

using expr::Value;
using support::default_of;
using support::kNoField;
using support::vocabulary;

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
      {Framework::mlm, "0.12.3", "0.12.3", true},
      {Framework::mlm, "0.13.0", "0.13.1", false},
      {Framework::mlm, "0.11.0", "0.12.3", false},  // older than all
      {Framework::bridge, "0.5.1", "0.5.1", true},
      {Framework::bridge, "0.4.1", "0.4.0", false},
      {Framework::bridge, "0.6.2", "0.6.2", true},
      {Framework::bridge, "0.7.0", "head", false},
      {Framework::bridge, "0.3.1", "0.3.1", true},
      {Framework::bridge, "0.2.0", "0.3.0", false},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.asked));
    const Vocabulary known = vocabulary(row.framework, row.asked);
    CHECK(known.version() == row.used);
    CHECK(known.exact() == row.exact);
    CHECK(known.framework() == row.framework);
  }
}

TEST_CASE("the tables of another release are told from those that both have") {
  const auto of_release = [](Framework framework, std::string_view version) {
    return vocabulary(framework, version).of_release();
  };
  for (const std::string_view own : {"0.17.1", "head", "", "0.15.0", "0.16.0", "0.18.0"}) {
    CAPTURE(own);
    CHECK(of_release(Framework::mlm, own));
  }
  for (const std::string_view other : {"0.11.0", "0.18.1", "0.20.0"}) {
    CAPTURE(other);
    CHECK_FALSE(of_release(Framework::mlm, other));
  }
  CHECK(of_release(Framework::bridge, "0.6.2"));
  CHECK_FALSE(of_release(Framework::bridge, "0.2.0"));
}

TEST_CASE("known versions are listed oldest first") {
  CHECK(Vocabulary::versions(Framework::bridge, support::vocabulary_table()) ==
        std::vector<std::string_view>{
            "0.3.0", "0.3.1", "0.4.0", "0.4.2", "0.5.0", "0.5.1", "0.6.2", "head"});
  CHECK(Vocabulary::versions(Framework::mlm, support::vocabulary_table()) ==
        std::vector<std::string_view>{"0.12.3",
                                      "0.13.1",
                                      "0.14.0",
                                      "0.15.3",
                                      "0.16.1",
                                      "0.17.0",
                                      "0.17.1",
                                      "0.18.2",
                                      "0.19.0",
                                      "head"});
}

TEST_CASE("the program embeds the tables that stand in rules/vocabulary") {
  CHECK((embedded::compiled_vocabulary() == support::vocabulary_table()));
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
      {"0.17.1", "model.cuda_graph_modules", kNoField},
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
  CHECK(head.history("rl_num_parallel_generations") == "known from 0.17.0 to 0.18.2");
  CHECK(old.history("--num-experts").empty());  // known here
  CHECK(old.history("--num-expert").empty());   // known nowhere
  const Vocabulary bridge = vocabulary(Framework::bridge, "0.4.0");
  CHECK(bridge.history("env_vars") == "known since 0.6.2");
  CHECK(bridge.history("model.hf_model_revision") == "known since 0.6.2");
}

}  // namespace epwise::recipe
