#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "recipe/load.h"
#include "recipe/trainers/trainer_facts.h"
#include "recipe/trainers/trainer_formats.h"
#include "support/head_vocabulary.h"

namespace epwise::recipe {
namespace {

std::vector<Recipe> read_format(const std::string& name, const std::string& text) {
  Request request;
  request.file = std::make_shared<const text::SourceFile>(name, text);
  return load(request, support::head_vocabulary);
}

TEST_CASE("overrides of other programs are not taken for Megatron-Bridge's") {
  CHECK(!read_format("run.sh",
                     "python run_grpo.py grpo.steps=2 logger.dir=a checkpoint.save=b policy.x=1\n")
             .front()
             .readable);
  CHECK(
      !read_format("run.sh", "python train.py optimizer.name=adam data.path=a\n").front().readable);
  CHECK(read_format("run.sh", "python train.py model.num_layers=4 train.train_iters=2 x.y=1\n")
            .front()
            .readable);
}

const std::string kSlime =
    "python train.py --actor-num-nodes 1 --actor-num-gpus-per-node 8 --num-layers 4 "
    "--hidden-size 64 --num-attention-heads 4 ";
const std::string kSwift =
    "model: Qwen/Qwen3-30B-A3B\nload: a\nexpert_model_parallel_size: 8\nmax_length: 2048\n";

/// "sequence x micro-batch" of the longest step, "-" if the trainer does not state it.
std::string longest(const std::string& name, const std::string& text) {
  const auto step = longest_step(read_format(name, text).front());
  return step ? std::to_string(step->sequence) + " x " + std::to_string(step->micro_batch) : "-";
}

TEST_CASE("the longest step of trainers that pack samples") {
  const std::string verl =
      "python -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer.yaml "
      "actor_rollout_ref.actor.megatron.context_parallel_size=2 data.max_prompt_length=1000 ";
  CHECK(longest("run.sh", verl + "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4\n") ==
        "1512 x 4");
  CHECK(longest("run.sh", verl + "actor_rollout_ref.actor.use_dynamic_bsz=True\n") == "32768 x 1");
  CHECK(longest("run.sh",
                verl +
                    "actor_rollout_ref.actor.use_dynamic_bsz=True data.max_response_length=50000 "
                    "actor_rollout_ref.actor.ppo_max_token_len_per_gpu=$N\n") == "-");
  CHECK(longest("run.sh", verl + "data.max_response_length=9223372036854775807\n") == "-");
  CHECK(longest("run.sh", verl + "\n") == "-");
  const std::string slime = kSlime + "--max-tokens-per-gpu 9216 --context-parallel-size 2 ";
  CHECK(longest("run.sh", slime + "--use-dynamic-batch-size\n") == "18432 x 1");
  CHECK(longest("run.sh", slime + "\n") == "-");
  CHECK(longest("run.sh", slime + "--rollout-max-response-len 6000 --micro-batch-size 2\n") ==
        "6000 x 2");
  CHECK(longest("run.sh",
                slime + "--rollout-max-response-len 6000 --rollout-max-prompt-len 2000\n") ==
        "8000 x 1");
  const std::string roll =
      "prompt_length: 1000\nresponse_length: 3000\nactor_train:\n"
      "  training_args: {per_device_train_batch_size: 2}\n"
      "  strategy_args: {strategy_name: megatron_train, strategy_config: "
      "{expert_model_parallel_size: 2}}\n";
  CHECK(longest("a.yaml", roll) == "4000 x 2");
  CHECK(longest("a.yaml", "sequence_length: 6000\n" + roll) == "6000 x 2");
  const std::string swift = kSwift + "micro_batch_size: 2\n";
  CHECK(longest("a.yaml", swift) == "-");
  CHECK(longest("a.yaml", swift + "rlhf_type: dpo\n") == "-");
  CHECK(longest("a.yaml", swift + "rlhf_type: grpo\n") == "2560 x 2");
  CHECK(longest("a.yaml", swift + "rlhf_type: grpo\nmax_completion_length: 8192\n") == "10240 x 2");
  CHECK(longest("a.yaml", swift + "rlhf_type: gkd\nresponse_length: 1000\n") == "3048 x 2");
}

/// "sequence, micro-batch, batch" of a step of the optimizer by the trainer's settings, or "-".
std::string step_of(const Recipe& recipe) {
  const auto fact = [&](const char* name) {
    const auto found = recipe.raw.find(name);
    return found == recipe.raw.end() ? std::string() : found->second.to_text();
  };
  const std::string sequence = fact("raw.step_sequence");
  const std::string of_rank = fact("raw.step_rank_batch");
  const std::string batch = of_rank.empty() ? fact("raw.step_global_batch") : of_rank + " a rank";
  return sequence.empty() ? "-" : sequence + ", " + fact("raw.step_micro_batch") + ", " + batch;
}

TEST_CASE("a step of slime and of ms-swift takes samples of the longest length") {
  const auto step = [](const std::string& name, const std::string& text) {
    return step_of(read_format(name, text).front());
  };
  const std::string slime = kSlime + "--global-batch-size 64 --rollout-max-response-len 6000 ";
  CHECK(step("run.sh", slime + "\n") == "6000, 1, 64");
  CHECK(step("run.sh", slime + "--micro-batch-size 4\n") == "6000, 4, 64");
  CHECK(step("run.sh", slime + "--use-dynamic-batch-size --max-tokens-per-gpu 13000\n") ==
        "6000, 2, 64");
  CHECK(step("run.sh", slime + "--use-dynamic-batch-size\n") == "-");
  CHECK(step("a.yaml", kSwift) == "-");
  CHECK(step("a.yaml", kSwift + "rlhf_type: grpo\n") == "2560, 1, 16");
}

TEST_CASE("a step of verl's optimizer takes a mini-batch of prompts with all their responses") {
  const std::string verl =
      "python -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer.yaml "
      "actor_rollout_ref.actor.megatron.context_parallel_size=2 data.max_prompt_length=1000 "
      "data.max_response_length=3000 actor_rollout_ref.actor.ppo_mini_batch_size=32 "
      "actor_rollout_ref.rollout.n=8 ";
  const auto steps = [&](const std::string& words) {
    std::string all;
    for (const Recipe& recipe : read_format("run.sh", verl + words + "\n")) {
      all += (all.empty() ? "" : "; ") + step_of(recipe);
    }
    return all;
  };
  CHECK(steps("actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2") == "4000, 2, 256");
  CHECK(steps("actor_rollout_ref.actor.use_dynamic_bsz=True") == "4000, 8, 256");
  CHECK(steps("actor_rollout_ref.actor.use_dynamic_bsz=True "
              "actor_rollout_ref.actor.ppo_max_token_len_per_gpu=1000") == "4000, 1, 256");
  CHECK(steps("actor_rollout_ref.rollout.n=$N actor_rollout_ref.actor.use_dynamic_bsz=True") ==
        "-");
  CHECK(steps("") == "-");
  CHECK(steps("critic.megatron.tensor_model_parallel_size=2 critic.ppo_micro_batch_size_per_gpu=4 "
              "actor_rollout_ref.ref.megatron.tensor_model_parallel_size=2") ==
        "-; -; 4000, 4, 256");
  const std::string slime =
      "python train.py --actor-num-nodes 1 --actor-num-gpus-per-node 8 --num-layers 4 "
      "--hidden-size 64 --num-attention-heads 4 --max-tokens-per-gpu 9216 "
      "--context-parallel-size 2 --use-dynamic-batch-size --rollout-max-response-len 2000 ";
  CHECK(step_of(read_format("run.sh", slime + "--global-batch-size 64\n").front()) ==
        "2000, 9, 64");
  CHECK(step_of(read_format("run.sh", slime + "\n").front()) == "-");
}

TEST_CASE("a step of ROLL takes the accumulated micro-batches of every data-parallel rank") {
  const auto step = [](const std::string& more,
                       const std::string& of_role = "",
                       const std::string& training =
                           "per_device_train_batch_size: 2, "
                           "gradient_accumulation_steps: 16") {
    const std::string text = more + "response_length: 3000\nactor_train:\n  training_args: {" +
                             training + "}\n" + of_role +
                             "  device_mapping: list(range(0,32))\n"
                             "  strategy_args: {strategy_name: megatron_train, strategy_config: "
                             "{tensor_model_parallel_size: 2, pipeline_model_parallel_size: 4, "
                             "context_parallel_size: 2, expert_model_parallel_size: 2}}\n";
    return step_of(read_format("a.yaml", text).front());
  };
  CHECK(step("prompt_length: 1000\n") == "4000, 2, 32 a rank");  // 2 × 16
  CHECK(step("") == "4024, 2, 32 a rank");                       // the default of prompt_length
  CHECK(step("sequence_length: 6000\n") == "6000, 2, 32 a rank");
  CHECK(step("sequence_length: 6000\nbeta: 0.1\n") == "6000, 4, 64 a rank");  // DPO: pairs
  CHECK(step("", "", "learning_rate: 1.0e-6") == "4024, 8, 8 a rank");  // transformers' defaults
  CHECK(step("", "", "per_device_train_batch_size: 0") == "-");
  CHECK(step("prompt_length: 1000\n",
             "  use_dynamic_batching_in_train: true\n"
             "  max_tokens_per_microbatch_in_train: 17000\n") == "4000, 4, 64 a rank");
  CHECK(step("prompt_length: 1000\n",
             "  use_sequence_packing: true\n"
             "  sequence_packing_args: {algorithm: load_balance, "
             "max_packed_sequence_length_train: 17000}\n") == "4000, 4, 32 a rank");
  CHECK(step("prompt_length: 1000\n", "  use_sequence_packing: true\n") == "4000, 2, 32 a rank");
  CHECK(step("prompt_length: 1000\n", "  use_dynamic_batching_in_train: true\n") == "-");
}

TEST_CASE("a variable that a script takes in place of a command") {
  const Recipe recipe = read_format("run.sh",
                                    "DEVICE=${DEVICE:-$(python3 -c 'import torch_npu' \\\n"
                                    "  2>/dev/null && echo npu || echo gpu)}\n"
                                    "N=\"${N-$(count)}\"\nM=$(count)\nO=$(other)\n" +
                                        kSlime + "\n")
                            .front();
  CHECK(recipe.variable_instead_of("$(python3 -c 'import torch_npu' \\ …") == "DEVICE");
  CHECK(recipe.variable_instead_of("$(count)") == "N");
  CHECK(recipe.variable_instead_of("$(other)").empty());
  CHECK(recipe.variable_instead_of("$(nosuch)").empty());
}

TEST_CASE("miles is distinguished from slime by its own flags and its folder") {
  const auto name = [](const std::string& text) {
    return trainer_name(read_format("run.sh", text + "\n").front());
  };
  CHECK(name(kSlime) == "slime");
  CHECK(name(kSlime + "--use-miles-router") == "miles");
  CHECK(name("python3 /root/miles/tools/args.py\n" + kSlime) == "miles");
}

TEST_CASE("the micro-batch of verl is a setting unless tokens fill it") {
  const std::string verl =
      "python -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer.yaml "
      "actor_rollout_ref.actor.megatron.context_parallel_size=2 "
      "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2";
  const Recipe fixed = read_format("run.sh", verl + "\n").front();
  REQUIRE(fixed.find("train.micro_batch_size") != nullptr);
  CHECK(fixed.find("train.micro_batch_size")->value.to_text() == "2");
  CHECK(trainer_path(fixed, "train.micro_batch_size") ==
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu");
  const Recipe packed =
      read_format("run.sh", verl + " actor_rollout_ref.actor.use_dynamic_bsz=True\n").front();
  CHECK(packed.find("train.micro_batch_size") == nullptr);
  CHECK(trainer_path(packed, "train.micro_batch_size").empty());
}

TEST_CASE("other YAML is not taken for a recipe") {
  const std::vector<std::string> others = {
      // parts of other programs' Hydra configurations, and their dumped objects
      "dataset: {_target_: other.tts.Vocoder, sample_rate: \"${rate}\", n: 2, min: 1}\n"
      "dataloader_params: {drop_last: false}\n",
      "_target_: other.llm.GPTModel\nconfig: {num_layers: 2}\noptim: null\ntokenizer: null\n",
      // Kubernetes
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 2}\n",
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n    Worker: "
      "{replicas: 4}\n",
      // docker-compose
      "services:\n  trainer:\n    image: a\n    environment: [NNODES=2]\n",
      // GitHub and GitLab
      "name: CI\non: [push]\njobs:\n  build:\n    runs-on: linux\n    steps: [{run: make}]\n",
      "stages: [test]\ntest:\n  script: [make]\n",
      // Ansible, mkdocs, pre-commit, conda, OpenAPI, Prometheus
      "- hosts: all\n  tasks:\n    - name: a\n      shell: b\n",
      "site_name: a\nnav: [a.md]\ntheme: {name: material}\n",
      "repos:\n  - repo: b\n    hooks: [{id: c}]\n",
      "name: env\nchannels: [a]\ndependencies: [python=3.12]\n",
      "openapi: 3.0.0\ninfo: {title: a}\npaths: {}\n",
      "scrape_configs:\n  - job_name: a\n",
      // Helm values, a Hugging Face card, a training of something else
      "replicaCount: 1\nimage: {repository: a, tag: b}\n",
      "license: mit\nlanguage: [en]\ntags: [a]\n",
      "actor_rollout_ref:\n  actor: {strategy: fsdp, fsdp_config: {param_offload: true}}\n",
      "actor_train:\n  strategy_args: {strategy_name: deepspeed_train, strategy_config: {}}\n",
      "policy:\n  megatron_cfg: {enabled: false}\n  dtensor_cfg: {enabled: true}\n",
      "model: some/model\ndataset: a\noutput_dir: b\nlearning_rate: 1.0\n",
      "tensor_model_parallel_size: 2\n",
  };
  for (const std::string& text : others) {
    CAPTURE(text);
    for (const Recipe& recipe : read_format("other.yaml", text)) {
      CHECK(!recipe.readable);
    }
  }
}

}  // namespace
}  // namespace epwise::recipe
