#include "recipe/trainers/trainer.h"

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "recipe/load.h"
#include "recipe/trainers/trainer_facts.h"
#include "support/head_vocabulary.h"

namespace epwise::recipe {
namespace {

using Files = std::map<std::string, std::string>;

/// Recipes of a file among others of its folder.
std::vector<Recipe> read_trainer(const std::string& name,
                                 const std::string& text,
                                 const Files& others = {},
                                 const std::vector<std::string>& words = {}) {
  Request request;
  request.file = std::make_shared<const text::SourceFile>(name, text);
  request.words = words;
  request.open = [others](const std::string& path) -> std::shared_ptr<const text::SourceFile> {
    const auto found = others.find(path);
    return found == others.end()
               ? nullptr
               : std::make_shared<const text::SourceFile>(found->first, found->second);
  };
  return load(request, support::head_vocabulary);
}

/// "4@3:8", "?@…" for what is unknown, "4@default" for what nobody wrote, "-" for what is not
/// there.
std::string shown_of_trainer(const Recipe& recipe, const std::string& name) {
  const Field* field = recipe.find(name);
  if (field == nullptr) {
    return "-";
  }
  const std::string value = field->value.is_unknown() ? "?" : field->value.to_text();
  if (field->mark.nowhere()) {
    return value + (field->origin == Origin::framework_default ? "@default" : "@nowhere");
  }
  const auto at = field->mark.start();
  return value + "@" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::string raw(const Recipe& recipe, const std::string& name) {
  const auto found = recipe.raw.find(name);
  return found == recipe.raw.end() ? "-" : found->second.to_text();
}

std::string variable(const Recipe& recipe, const std::string& name) {
  const auto found = recipe.variables.find(name);
  if (found == recipe.variables.end()) {
    return "-";
  }
  return found->second.value.is_unknown() ? "?" : found->second.value.to_text();
}

constexpr const char* kVerl =
    "PP=2\n"
    "python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer \\\n"
    "  actor_rollout_ref.actor.megatron.tensor_model_parallel_size=4 \\\n"
    "  actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=${PP} \\\n"
    "  actor_rollout_ref.actor.megatron.expert_model_parallel_size=$EP \\\n"
    "  "
    "+actor_rollout_ref.actor.megatron.override_transformer_config.moe_token_dispatcher_type=flex "
    "\\\n"
    "  critic.megatron.tensor_model_parallel_size=2 \\\n"
    "  trainer.n_gpus_per_node=8 trainer.nnodes=4\n";

TEST_CASE("keys that verl's closed configuration has") {
  const VerlKeys& keys = VerlKeys::embedded();
  CHECK(keys.may_know("actor_rollout_ref.rollout.n"));
  CHECK(!keys.may_know("actor_rollout_ref.rollout.nn"));
  CHECK(keys.may_know("actor_rollout_ref.rollout"));  // a group
  CHECK(keys.may_know("actor_rollout_ref.actor.megatron.override_ddp_config.bucket_size"));
  CHECK(keys.may_know("mine.of_another_program"));  // no release has its parent
  const auto beside = keys.siblings("actor_rollout_ref.rollout.nn");
  CHECK(std::ranges::find(beside, "actor_rollout_ref.rollout.n") != beside.end());
}

TEST_CASE("slime's own flags") {
  const SlimeFlags& own = slime_flags();
  CHECK(std::ranges::find(own.flags, "--opd-type") != own.flags.end());
  CHECK(std::ranges::find(own.prefixes, "--sglang-") != own.prefixes.end());
}

TEST_CASE("every table names fields that some release has, and stages that there are") {
  for (const embedded::EmbeddedFile& table : embedded::trainer_tables()) {
    CAPTURE(std::string(table.path));
    const Trainer trainer = load_trainer(table.path);
    CHECK(trainer.name == table.path);
    CHECK(!trainer.source.empty());
    CHECK(!trainer.version.empty());
    std::vector<std::string> fields = trainer.untouched;
    for (const Trainer::Setting& setting : trainer.settings) {
      fields.push_back(setting.field);
    }
    for (const auto& [name, value] : trainer.fixed) {
      fields.push_back(name);
    }
    for (const std::string& field : fields) {
      CAPTURE(field);
      const bool section =
          field.ends_with(".*") && support::head_vocabulary(trainer.framework)
                                       .has_section(field.substr(0, field.size() - 2));
      bool known = section || field.starts_with("raw.");  // a fact that rules read
      for (const std::string_view version : Vocabulary::versions(Framework::bridge)) {
        known = known || Vocabulary::load(Framework::bridge, version).find(field) != nullptr;
      }
      CHECK(known);
    }
  }
  CHECK_THROWS_AS(load_trainer("nobody"), std::logic_error);
}

TEST_CASE("overrides of verl are one recipe for each model, with their places in the script") {
  const auto recipes = read_trainer("run.sh", kVerl);
  REQUIRE(recipes.size() == 2);
  const Recipe& actor = recipes[0];
  CHECK(trainer_name(actor) == "verl (actor)");
  CHECK(actor.path == "run.sh");
  CHECK(shown_of_trainer(actor, "model.tensor_model_parallel_size") == "4@3:63");
  CHECK(shown_of_trainer(actor, "model.pipeline_model_parallel_size") == "2@4:65");
  CHECK(shown_of_trainer(actor, "model.expert_model_parallel_size").starts_with("?@5:"));
  CHECK(shown_of_trainer(actor, "model.moe_token_dispatcher_type") == "flex@6:91");
  CHECK(shown_of_trainer(actor, "model.sequence_parallel") == "true@default");
  CHECK(shown_of_trainer(actor, "model.num_moe_experts") == "?@nowhere");
  CHECK(shown_of_trainer(actor, "model.overlap_moe_expert_parallel_comm") == "-");
  CHECK(raw(actor, "raw.gpus") == "32");
  CHECK(raw(actor, "raw.gpus_source") == "run.sh:8");
  CHECK(variable(actor, "CUDA_DEVICE_MAX_CONNECTIONS") == "1");
  CHECK(actor.path_of("model.moe_permute_fusion") ==
        "actor_rollout_ref.actor.megatron.override_transformer_config.moe_permute_fusion");
  const Recipe& critic = recipes[1];
  CHECK(trainer_name(critic) == "verl (critic)");
  CHECK(critic.path == "run.sh#2");
  CHECK(shown_of_trainer(critic, "model.tensor_model_parallel_size") == "2@7:46");
  CHECK(shown_of_trainer(critic, "model.expert_model_parallel_size") == "1@default");
}

TEST_CASE("verl's fine-tuning keeps its settings under engine, and torchrun says the ranks") {
  const auto recipes = read_trainer(
      "sft.sh",
      "torchrun --nproc_per_node 8 -m verl.trainer.sft_trainer \\\n"
      "  data.train_files=${DATA:-~/train.parquet} model.path=some/model engine=megatron \\\n"
      "  engine.expert_model_parallel_size=4 trainer.nnodes=1 trainer.n_gpus_per_node=1 \\\n"
      "  +engine.override_transformer_config.moe_permute_fusion=True\n");
  REQUIRE(recipes.size() == 1);
  const Recipe& recipe = recipes.front();
  CHECK(recipe.diagnostics.empty());
  CHECK(trainer_name(recipe) == "verl");
  CHECK(shown_of_trainer(recipe, "model.expert_model_parallel_size") == "4@3:37");
  CHECK(shown_of_trainer(recipe, "model.moe_permute_fusion").starts_with("true@4:"));
  CHECK(shown_of_trainer(recipe, "model.tensor_model_parallel_size") == "1@default");
  CHECK(raw(recipe, "raw.gpus") == "8");
  const auto ray = read_trainer("sft.sh",
                                "python -m verl.trainer.sft_trainer_ray engine=megatron "
                                "engine.tensor_model_parallel_size=2 trainer.nnodes=2 "
                                "trainer.n_gpus_per_node=4\n");
  REQUIRE(ray.size() == 1);
  CHECK(raw(ray.front(), "raw.gpus") == "8");
  const auto other = read_trainer(
      "sft.sh", "torchrun -m verl.trainer.sft_trainer engine=fsdp model.path=some/model\n");
  CHECK((other.empty() || !other.front().readable));
}

TEST_CASE("verl without Megatron is no recipe") {
  const auto recipes = read_trainer(
      "run.sh",
      "python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.fsdp_config.param_offload=True "
      "actor_rollout_ref.model.path=a trainer.nnodes=1\n");
  REQUIRE(recipes.size() == 1);
  CHECK(!recipes.front().readable);
}

TEST_CASE("one tensor-parallel rank has no sequence parallelism where the trainer drops it") {
  const auto recipes =
      read_trainer("run.sh",
                   "python3 -m verl.trainer.main_ppo model_engine=megatron "
                   "actor_rollout_ref.actor.megatron.expert_model_parallel_size=8\n");
  REQUIRE(recipes.size() == 1);
  CHECK(shown_of_trainer(recipes.front(), "model.sequence_parallel") == "false@default");
  CHECK(raw(recipes.front(), "raw.gpus") == "8");
  CHECK(raw(recipes.front(), "raw.gpus_source") == "verl (actor)");
}

TEST_CASE("verl's YAML, and the roles that inherit from the actor") {
  const auto recipes =
      read_trainer("ppo.yaml",
                   "actor_rollout_ref:\n"
                   "  actor:\n"
                   "    strategy: megatron\n"
                   "    megatron:\n"
                   "      tensor_model_parallel_size: 2\n"
                   "      override_transformer_config: {moe_permute_fusion: true}\n"
                   "  ref:\n"
                   "    megatron: {expert_model_parallel_size: 4}\n"
                   "trainer: {nnodes: 2, n_gpus_per_node: \"${gpus}\"}\n");
  REQUIRE(recipes.size() == 2);
  CHECK(shown_of_trainer(recipes[0], "model.moe_permute_fusion") == "true@6:57");
  CHECK(raw(recipes[0], "raw.gpus") == "-");
  CHECK(trainer_name(recipes[1]) == "verl (ref)");
  CHECK(shown_of_trainer(recipes[1], "model.expert_model_parallel_size") == "4@8:44");
  CHECK(shown_of_trainer(recipes[1], "model.tensor_model_parallel_size") == "2@5:35");
}

TEST_CASE("roles of ROLL that train on Megatron, with their devices") {
  const auto recipes =
      read_trainer("rlvr.yaml",
                   "pretrain: some/model\n"
                   "actor_train:\n"
                   "  strategy_args:\n"
                   "    strategy_name: megatron_train\n"
                   "    strategy_config:\n"
                   "      tensor_model_parallel_size: 2\n"
                   "      expert_model_parallel_size: 4\n"
                   "      recompute_granularity: full\n"
                   "      recompute_modules: moe_act,layernorm\n"
                   "  device_mapping: list(range(0, 16))\n"
                   "actor_infer:\n"
                   "  strategy_args: {strategy_name: vllm, strategy_config: {}}\n"
                   "reference:\n"
                   "  strategy_args: {strategy_name: megatron_infer, strategy_config: {}}\n");
  REQUIRE(recipes.size() == 1);
  const Recipe& recipe = recipes.front();
  CHECK(trainer_name(recipe) == "ROLL (actor_train)");
  CHECK(shown_of_trainer(recipe, "model.expert_model_parallel_size") == "4@7:35");
  CHECK(shown_of_trainer(recipe, "model.moe_token_dispatcher_type") == "allgather@default");
  CHECK(raw(recipe, "raw.gpus") == "16");
  CHECK(raw(recipe, "raw.gpus_source") == "rlvr.yaml:10");
  // Its configuration class completes these before Megatron's looks at them.
  CHECK(shown_of_trainer(recipe, "model.sequence_parallel") == "true@default");
  CHECK(shown_of_trainer(recipe, "model.recompute_method") == "uniform@default");
  CHECK(shown_of_trainer(recipe, "model.recompute_modules") == "[moe_act, layernorm]@9:26");
}

TEST_CASE("how many devices a mapping of ROLL names") {
  const std::map<std::string, std::string> counts = {{"list(range(0,8))", "8"},
                                                     {"list(range(8, 24, 2))", "8"},
                                                     {"\"[6, 7]\"", "2"},
                                                     {"[0, 1, 2]", "3"},
                                                     {"list([0,1,8,9])", "4"},
                                                     {"list(range(0,${n}))", "-"},
                                                     {"list(range(9,8))", "-"},
                                                     {"some words", "-"},
                                                     {"", "-"}};
  for (const auto& mapping : counts) {
    CAPTURE(mapping.first);
    const auto recipes =
        read_trainer("a.yaml",
                     "train:\n  strategy_args:\n    strategy_name: megatron_train\n"
                     "    strategy_config: {}\n  device_mapping: " +
                         mapping.first + "\n");
    REQUIRE(recipes.size() == 1);
    CHECK(raw(recipes.front(), "raw.gpus") == mapping.second);
  }
}

TEST_CASE("NeMo-RL reads the files that it is laid over, and leaves open what they may say") {
  const Files others = {{"base.yaml",
                         "policy:\n"
                         "  precision: bfloat16\n"
                         "  megatron_cfg:\n"
                         "    enabled: true\n"
                         "    activation_checkpointing: false\n"
                         "    recompute_granularity: full\n"
                         "    tensor_model_parallel_size: 1\n"
                         "    expert_model_parallel_size: 2\n"
                         "cluster: {gpus_per_node: 4, num_nodes: 1}\n"}};
  const std::string child =
      "defaults: base.yaml\n"
      "policy:\n"
      "  generation: {colocated: {enabled: false, resources: {num_nodes: 2, gpus_per_node: 4}}}\n"
      "  megatron_cfg:\n"
      "    expert_model_parallel_size: 8\n"
      "    tensor_model_parallel_size: ${cluster.gpus_per_node}\n"
      "cluster:\n"
      "  num_nodes: 8\n";
  const auto whole = read_trainer("child.yaml", child, others);
  REQUIRE(whole.size() == 1);
  CHECK(trainer_name(whole.front()) == "NeMo-RL (policy)");
  CHECK(shown_of_trainer(whole.front(), "model.expert_model_parallel_size") == "8@5:33");
  CHECK(shown_of_trainer(whole.front(), "model.tensor_model_parallel_size") == "4@6:33");
  CHECK(shown_of_trainer(whole.front(), "model.recompute_granularity") == "null@default");
  CHECK(raw(whole.front(), "raw.gpus") == "24");
  REQUIRE(whole.front().files.size() == 2);
  const auto open = read_trainer("child.yaml", child);
  REQUIRE(open.size() == 1);
  CHECK(shown_of_trainer(open.front(), "model.recompute_granularity") == "?@default");
  CHECK(raw(open.front(), "raw.gpus") == "-");
}

TEST_CASE("a trainer's own settings are known by its keys and flags") {
  const std::string policy =
      "policy:\n"
      "  sequence_packing: {enabled: true, algorithm: null}\n"
      "  megatron_cfg: {enabled: true, expert_model_parallel_size: 8}\n"
      "cluster:\n"
      "  num_nodes: ${N}\n";
  const auto whole = read_trainer("a.yaml", policy).front();
  CHECK(shown_of_trainer(whole, "trainer.policy.sequence_packing.enabled") == "true@2:31");
  CHECK(shown_of_trainer(whole, "trainer.policy.sequence_packing.algorithm") == "null@2:48");
  CHECK(shown_of_trainer(whole, "trainer.cluster.num_nodes") == "?@5:14");
  CHECK(trainer_setting(whole, "trainer.policy.fp8").is_unset());
  CHECK(trainer_path(whole, "trainer.policy.fp8") == "policy.fp8");
  const auto laid_over = read_trainer("a.yaml", "defaults: base.yaml\n" + policy).front();
  CHECK(trainer_setting(laid_over, "trainer.policy.fp8").is_unknown());
  const auto slime =
      read_trainer("run.sh",
                   "python train.py --actor-num-nodes 1 --actor-num-gpus-per-node 8 --num-layers 4 "
                   "--hidden-size 64 --num-attention-heads 4 --rollout-batch-size 32 "
                   "--n-samples-per-prompt 4 --num-steps-per-rollout 2 "
                   "--use-dynamic-batch-size\n")
          .front();
  CHECK(shown_of_trainer(slime, "trainer.num_steps_per_rollout") == "2@1:194");
  CHECK(trainer_setting(slime, "trainer.use_dynamic_batch_size") == expr::Value::of(true));
  CHECK(shown_of_trainer(slime, "train.global_batch_size") == "64@default");
  const auto other = read_trainer("a.yaml", "model: {num_layers: 4}\n").front();
  CHECK(trainer_setting(other, "trainer.policy.fp8").is_unset());
}

TEST_CASE("flags of ms-swift, with the ranks that its launcher takes from the environment") {
  const auto recipes =
      read_trainer("sft.sh",
                   "NPROC_PER_NODE=8 NNODES=2 \\\n"
                   "megatron sft \\\n"
                   "  --model some/model --expert_model_parallel_size 8 \\\n"
                   "  --moe-permute-fusion true --tensor_model_parallel_size=$TP \\\n"
                   "  --recompute_granularity none --sequence_parallel \\\n"
                   "  --recompute_modules moe_act layernorm --global_batch_size 32\n");
  REQUIRE(recipes.size() == 1);
  const Recipe& recipe = recipes.front();
  CHECK(trainer_name(recipe) == "ms-swift");
  CHECK(shown_of_trainer(recipe, "model.expert_model_parallel_size") == "8@3:51");
  CHECK(shown_of_trainer(recipe, "model.moe_permute_fusion") == "true@4:24");
  CHECK(shown_of_trainer(recipe, "model.tensor_model_parallel_size").starts_with("?@4:"));
  CHECK(shown_of_trainer(recipe, "model.recompute_granularity") == "null@5:27");
  CHECK(shown_of_trainer(recipe, "model.recompute_modules") == "[moe_act, layernorm]@6:23");
  CHECK(shown_of_trainer(recipe, "train.global_batch_size") == "32@6:61");
  CHECK(shown_of_trainer(recipe, "model.expert_tensor_parallel_size") == "1@default");
  CHECK(recipe.find("model.moe_permute_fusion")->spelling == "--moe-permute-fusion");
  CHECK(raw(recipe, "raw.gpus") == "16");
  CHECK(variable(recipe, "CUDA_DEVICE_MAX_CONNECTIONS") == "1");
  CHECK(!read_trainer("e.sh", "megatron export --tensor_model_parallel_size 2\n").front().readable);
}

TEST_CASE("ms-swift's flags with facts about the model behind them") {
  const auto recipes = read_trainer("sft.sh",
                                    "megatron sft --model some/model --max_length 4096 "
                                    "--recompute_modules moe_act model.num_layers=46\n");
  REQUIRE(recipes.size() == 1);
  CHECK(shown_of_trainer(recipes.front(), "model.num_layers").starts_with("46@"));
  CHECK(shown_of_trainer(recipes.front(), "model.recompute_modules").starts_with("[moe_act]@"));
  CHECK(shown_of_trainer(recipes.front(), "model.seq_length").starts_with("4096@"));
}

TEST_CASE("what ms-swift's parser does not take") {
  const auto told = [](const std::string& words) {
    const auto recipes = read_trainer("sft.sh", "megatron sft " + words + "\n");
    std::string all;
    for (const auto& each : recipes.front().diagnostics) {
      all += each.rule + ": " + each.message + "\n";
    }
    return all;
  };
  CHECK(
      told("--model some/model --micro_batch_size 1 --sequence_parallel T --no_save_rng --lr 1e-4 "
           "--target_modules a b --moe-permute-fusion --tensor_model_parallel 2 --max_length $L")
          .empty());
  CHECK(told("--bogus 1").find("recipe/refused-setting: ms-swift has no option `--bogus`") == 0);
  CHECK(told("--lora_rnak 8").find("did you mean `--lora_rank`?") != std::string::npos);
  CHECK(told("--bogus 1 --ignore_args_error true").empty());
  CHECK(told("--moe_permute_fusion maybe").find("true or false") != std::string::npos);
  CHECK(told("--micro_batch_size 1.5").find("an integer") != std::string::npos);
  CHECK(told("--lr fast").find("a number") != std::string::npos);
  CHECK(told("--micro_batch_size 1 2").find("stops at `2`") != std::string::npos);
  CHECK(told("data --micro_batch_size 1").find("stops at `data`") != std::string::npos);
}

TEST_CASE("a file of ms-swift's flags, alone and under a script") {
  const std::string file =
      "model: some/model\n"
      "dataset: [a, b]\n"
      "tensor_model_parallel_size: 2\n"
      "expert_model_parallel_size: 4\n"
      "ENV: {NPROC_PER_NODE: 8, CUDA_DEVICE_MAX_CONNECTIONS: '32'}\n";
  const auto alone = read_trainer("sft.yaml", file);
  REQUIRE(alone.size() == 1);
  CHECK(trainer_name(alone.front()) == "ms-swift");
  CHECK(shown_of_trainer(alone.front(), "model.expert_model_parallel_size") == "4@4:29");
  CHECK(raw(alone.front(), "raw.gpus") == "8");
  CHECK(variable(alone.front(), "CUDA_DEVICE_MAX_CONNECTIONS") == "32");
  const auto under = read_trainer(
      "run.sh", "megatron sft sft.yaml --expert_model_parallel_size 8\n", {{"sft.yaml", file}});
  REQUIRE(under.size() == 1);
  CHECK(shown_of_trainer(under.front(), "model.expert_model_parallel_size") == "8@1:52");
  CHECK(shown_of_trainer(under.front(), "model.tensor_model_parallel_size") == "2@3:29");
}

TEST_CASE("slime: flags in arrays and sourced files, Ray's environment, what it sets itself") {
  const auto recipes =
      read_trainer("scripts/run.sh",
                   "DIR=\"$(cd -- \"$(dirname -- \"${BASH_SOURCE[0]}\")\" &>/dev/null && pwd)\"\n"
                   "source \"${DIR}/models/tiny.sh\"\n"
                   "PERF_ARGS=(\n"
                   "  --tensor-model-parallel-size 2 --sequence-parallel\n"
                   "  --expert-model-parallel-size 4\n"
                   ")\n"
                   "ENV=\"{\\\"env_vars\\\": {\\\"CUDA_DEVICE_MAX_CONNECTIONS\\\": \\\"1\\\", "
                   "\\\"NCCL_NVLS_ENABLE\\\": \\\"${NVLS}\\\"}}\"\n"
                   "ray job submit --runtime-env-json=\"$ENV\" -- python3 train.py \\\n"
                   "  --actor-num-nodes 2 --actor-num-gpus-per-node 8 --rollout-batch-size 32 \\\n"
                   "  --micro-batch-size 1 ${MODEL_ARGS[@]} ${PERF_ARGS[@]}\n",
                   {{"scripts/models/tiny.sh",
                     "MODEL_ARGS=(\n  --num-layers 4 --hidden-size 64\n  --num-experts 8\n)\n"}});
  REQUIRE(recipes.size() == 1);
  const Recipe& recipe = recipes.front();
  CHECK(recipe.framework == Framework::mlm);
  CHECK(trainer_name(recipe) == "slime");
  CHECK(shown_of_trainer(recipe, "model.num_moe_experts") == "8@3:17");
  CHECK(shown_of_trainer(recipe, "model.expert_model_parallel_size") == "4@5:32");
  CHECK(shown_of_trainer(recipe, "model.bf16") == "true@default");
  CHECK(raw(recipe, "raw.gpus") == "16");
  CHECK(variable(recipe, "CUDA_DEVICE_MAX_CONNECTIONS") == "1");
  CHECK(variable(recipe, "NCCL_NVLS_ENABLE") == "?");
  const text::Mark place = recipe.variables.at("CUDA_DEVICE_MAX_CONNECTIONS").key;
  CHECK(place.file->bytes().substr(place.begin, place.end - place.begin) ==
        "CUDA_DEVICE_MAX_CONNECTIONS");
  CHECK(!runs_stage(recipe, "micro-batches"));
  CHECK(runs_stage(recipe, "validate-args"));
}

TEST_CASE("NeMo 1: its YAML, and overrides of it in a script") {
  const auto recipes = read_trainer("gpt.yaml",
                                    "trainer: {devices: 8, num_nodes: 2, precision: bf16}\n"
                                    "model:\n"
                                    "  micro_batch_size: 1\n"
                                    "  global_batch_size: 64\n"
                                    "  tensor_model_parallel_size: 2\n"
                                    "  pipeline_model_parallel_size: 1\n"
                                    "  num_moe_experts: 8\n"
                                    "  activations_checkpoint_granularity: full\n");
  REQUIRE(recipes.size() == 1);
  CHECK(trainer_name(recipes.front()) == "NeMo 1");
  CHECK(shown_of_trainer(recipes.front(), "model.recompute_granularity") == "full@8:39");
  CHECK(recipes.front().find("model.recompute_granularity")->spelling ==
        "model.activations_checkpoint_granularity");
  CHECK(raw(recipes.front(), "raw.gpus") == "16");
  const auto script = read_trainer("run.sh",
                                   "python megatron_gpt_pretraining.py trainer.devices=4 "
                                   "model.tensor_model_parallel_size=2\n");
  REQUIRE(script.size() == 1);
  CHECK(trainer_name(script.front()) == "NeMo 1");
  CHECK(shown_of_trainer(script.front(), "model.expert_model_parallel_size") == "?@nowhere");
}

}  // namespace
}  // namespace epwise::recipe
