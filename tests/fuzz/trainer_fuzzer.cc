/// The frameworks around Megatron. The first byte chooses: a configuration ('y'), or the words of a
/// script that starts verl ('v'), ms-swift ('s') or slime ('r'); 1: one of these of known parts, which
/// the bytes after it choose. What must hold: no exception, no
/// hang, and every place lies in the text that it points into.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "recipe/load.h"
#include "support/choices.h"
#include "support/fuzz_target.h"
#include "support/fuzzed_recipe.h"
#include "support/head_vocabulary.h"
#include "support/require.h"

namespace {

using epwise::recipe::Recipe;
using epwise::recipe::Request;
using epwise::support::head_vocabulary;
using epwise::support::require;
using epwise::support::require_sound;
using epwise::text::SourceFile;

/// Files that others are laid over, one of them over itself.
std::shared_ptr<const SourceFile> layer(const std::string& name) {
  return std::make_shared<const SourceFile>(
      name,
      "defaults: [base.yaml]\npolicy: {megatron_cfg: {expert_model_parallel_size: 2}}\n"
      "cluster: {num_nodes: 2, gpus_per_node: 8}\n");
}

void run(const std::string& name, const std::string& text) {
  Request request;
  request.file = std::make_shared<const SourceFile>(name, text);
  request.environment = {{"TP", "2"}, {"LIST", "a b"}, {"GONE", std::nullopt}};
  request.open = layer;
  const auto recipes = epwise::recipe::load(request, head_vocabulary);
  require(!recipes.empty());
  for (const Recipe& recipe : recipes) {
    require_sound(recipe);
  }
}

using epwise::support::Choices;

struct Format {
  char kind;  // as the first byte of an input
  std::string_view begin;
  std::array<std::string_view, 12> keys;
};

constexpr std::array<Format, 7> kFormats = {{
    {'y',
     "",
     {"actor_rollout_ref.actor.megatron.tensor_model_parallel_size",
      "actor_rollout_ref.actor.megatron.expert_model_parallel_size",
      "actor_rollout_ref.actor.megatron.override_transformer_config.moe_token_dispatcher_type",
      "actor_rollout_ref.ref.megatron.expert_model_parallel_size",
      "actor_rollout_ref.model.path",
      "actor_rollout_ref.rollout.tensor_model_parallel_size",
      "critic.megatron.pipeline_model_parallel_size",
      "data.train_batch_size",
      "trainer.nnodes",
      "trainer.n_gpus_per_node",
      "actor_rollout_ref.actor.strategy",
      "defaults"}},
    {'y',
     "",
     {"policy.megatron_cfg.enabled",
      "policy.megatron_cfg.tensor_model_parallel_size",
      "policy.megatron_cfg.expert_model_parallel_size",
      "policy.megatron_cfg.fp8_cfg.enabled",
      "policy.megatron_cfg.env_vars.A",
      "policy.generation.colocated.enabled",
      "policy.generation.colocated.resources.num_nodes",
      "cluster.num_nodes",
      "cluster.gpus_per_node",
      "policy.train_global_batch_size",
      "defaults",
      "policy.make_sequence_length_divisible_by"}},
    {'y',
     "",
     {"actor_train.strategy_args.strategy_config.tensor_model_parallel_size",
      "actor_train.strategy_args.strategy_config.recompute_granularity",
      "actor_train.strategy_args.strategy_config.recompute_modules",
      "actor_train.device_mapping",
      "actor_infer.device_mapping",
      "num_gpus_per_node",
      "rollout_batch_size",
      "pretrain",
      "actor_train.training_args.per_device_train_batch_size",
      "actor_train.training_args.gradient_accumulation_steps",
      "reference.device_mapping",
      "actor_train.strategy_args.strategy_name"}},
    {'y',
     "model: a\ndataset: [b]\n",
     {"tensor_model_parallel_size",
      "expert_model_parallel_size",
      "ENV.NPROC_PER_NODE",
      "ENV.NNODES",
      "micro_batch_size",
      "global_batch_size",
      "recompute_granularity",
      "moe_grouped_gemm",
      "sequence_parallel",
      "num_train_epochs",
      "padding_free",
      "packing"}},
    {'v',
     "",
     {"actor_rollout_ref.actor.megatron.expert_model_parallel_size",
      "+actor_rollout_ref.actor.megatron.override_transformer_config.moe_router_dtype",
      "trainer.nnodes",
      "trainer.n_gpus_per_node",
      "~actor_rollout_ref.ref",
      "+a.b",
      "actor_rollout_ref.model.path",
      "data.train_batch_size",
      "critic.strategy",
      "actor_rollout_ref.actor.megatron",
      "++c.d",
      "algorithm.adv_estimator"}},
    {'s',
     "--model a ",
     {"--tensor_model_parallel_size",
      "--expert_model_parallel_size",
      "--recompute_granularity",
      "--recompute_modules",
      "--sequence_parallel",
      "--micro_batch_size",
      "--moe_grouped_gemm",
      "--dataset",
      "--global_batch_size",
      "--max_length",
      "--x",
      "--optimizer_cpu_offload"}},
    {'r',
     "",
     {"--tensor-model-parallel-size",
      "--expert-model-parallel-size",
      "--num-experts",
      "--recompute-granularity",
      "--sequence-parallel",
      "--rollout-batch-size",
      "--colocate",
      "--global-batch-size",
      "--actor-num-gpus-per-node",
      "--use-dynamic-batch-size",
      "--x",
      "--moe-token-dispatcher-type"}},
}};

struct Tree {
  std::map<std::string, Tree> under = {};
  std::string value = {};
};

std::string text_of(const Tree& tree, const std::string& indent) {
  std::string text;
  for (const auto& [key, child] : tree.under) {
    text += indent + key + ":" + (child.under.empty() ? " " + child.value + "\n" : "\n");
    text += text_of(child, indent + "  ");
  }
  return text;
}

void put(std::string_view path, std::string_view value, Tree& tree) {
  Tree* at = &tree;
  for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.')) {
    at = &at->under[std::string(path.substr(0, dot))];
    path.remove_prefix(dot + 1);
  }
  at->under[std::string(path)].value = value;
}

std::string made(Choices& choices, char& kind) {
  const Format& format = choices.of(kFormats);
  kind = format.kind;
  std::string text(format.begin);
  Tree tree;
  for (std::size_t count = 1 + choices.below(8); count > 0; --count) {
    const std::string_view key = choices.of(format.keys);
    const std::string_view value = choices.of(epwise::support::kValues);
    if (kind == 'y') {
      put(key, value, tree);
    } else if (kind == 'v') {
      text += std::string(key) + "='" + std::string(value) + "' ";
    } else {
      text += std::string(key) + (choices.below(4) == 0 ? "=" : " ") + std::string(value) + " ";
    }
  }
  return text + text_of(tree, "");
}

}  // namespace

FUZZ_TARGET(trainer) {
  constexpr std::size_t kMost = 1U << 13U;
  if (size == 0 || size > kMost) {
    return 0;
  }
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  char kind = static_cast<char>(data[0]);
  if (epwise::support::is_structured(data, size)) {
    Choices choices(data + 1, size - 1);
    text = made(choices, kind);
  }
  switch (kind) {
    case 'v':
      run("verl.sh", "python3 -m verl.trainer.main_ppo model_engine=megatron " + text);
      break;
    case 's':
      run("swift.sh", "megatron sft " + text);
      break;
    case 'r':
      run("slime.sh",
          "ray job submit --runtime-env-json='" + text +
              "' -- python3 train.py --actor-num-nodes 2 --hf-checkpoint a --num-layers 4 --lr 1 " +
              text);
      break;
    default:
      run("fuzz.yaml", text);
      break;
  }
  return 0;
}
