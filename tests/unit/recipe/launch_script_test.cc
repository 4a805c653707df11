#include "recipe/launch/launch_script.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "recipe/load.h"
#include "support/head_vocabulary.h"

namespace epwise::recipe {
namespace {

std::vector<Recipe> read_script(const std::string& script, const Environment& environment = {}) {
  Request request;
  request.file = std::make_shared<const text::SourceFile>("run.sh", script);
  request.environment = environment;
  return load(request, support::head_vocabulary);
}

/// "4@3:8", "?" for what is unknown, "-" for what is not there.
std::string shown_field(const Recipe& recipe, const std::string& name) {
  const Field* field = recipe.find(name);
  if (field == nullptr) {
    return "-";
  }
  const auto at = field->mark.start();
  return (field->value.is_unknown() ? "?" : field->value.to_text()) + "@" +
         std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::string gpus(const std::string& command) {
  const auto recipes =
      read_script(command + " pretrain_gpt.py --num-layers 4 --hidden-size 64 --bf16\n");
  const auto found = recipes.front().raw.find("raw.gpus");
  return found == recipes.front().raw.end() ? "?" : found->second.to_text();
}

TEST_CASE("launches beyond the limits are not decided") {
  std::string script;
  for (int i = 0; i < 17; ++i) {
    script += "torchrun pretrain_gpt.py --num-layers 4 --hidden-size 64 --bf16\n";
  }
  const auto recipes = read_script(script);
  REQUIRE(recipes.size() == 17);
  CHECK(recipes[15].unread_words() == nullptr);
  REQUIRE(recipes[16].unread_words() != nullptr);
  CHECK(recipes[16].unread_words()->front() == "launches after the first 16");
}

TEST_CASE("a script in another encoding is named") {
  std::string wide = "\xFF\xFE";
  for (const char c : std::string("torchrun pretrain_gpt.py --num-layers 4\n")) {
    wide += c;
    wide += '\0';
  }
  const auto recipes = read_script(wide);
  REQUIRE(recipes.front().diagnostics.size() == 1);
  CHECK(recipes.front().diagnostics.front().rule == "recipe/script-syntax");
  CHECK(recipes.front().diagnostics.front().message.find("UTF-16") != std::string::npos);
}

TEST_CASE("arguments that the caller of a script may give are not read") {
  const std::string launch = "pretrain_gpt.py --num-layers 4 --hidden-size 64 --bf16";
  const auto open = read_script("torchrun " + launch + " \"$@\"\n");
  REQUIRE(open.front().unread_words() != nullptr);
  CHECK(open.front().unread_words()->front() == "$@");
  CHECK(read_script("set -- --swiglu\ntorchrun " + launch + " \"$@\"\n").front().unread_words() ==
        nullptr);
}

TEST_CASE("flags of a launch have their places in the script") {
  const auto recipes = read_script(
      "export CUDA_DEVICE_MAX_CONNECTIONS=1\n"
      "EP=8\n"
      "MOE=(\n"
      "  --num-experts 64  # all of them\n"
      "  --expert-model-parallel-size $EP\n"
      ")\n"
      "NCCL_DEBUG=INFO torchrun --nnodes=2 --nproc_per_node 8 pretrain_gpt.py \"${MOE[@]}\" \\\n"
      "  --bf16 --seq-length ${SEQ:-4096} $EXTRA --save \"$1\"\n");
  REQUIRE(recipes.size() == 1);
  const Recipe& recipe = recipes.front();
  CHECK(recipe.framework == Framework::mlm);
  CHECK(shown_field(recipe, "model.num_moe_experts") == "64@4:17");
  CHECK(shown_field(recipe, "model.expert_model_parallel_size") == "8@5:32");
  CHECK(shown_field(recipe, "model.bf16") == "true@8:3");
  CHECK(shown_field(recipe, "model.seq_length") == "4096@8:23");
  CHECK(shown_field(recipe, "checkpoint.save").front() == '?');
  CHECK(recipe.variables.at("CUDA_DEVICE_MAX_CONNECTIONS").value.to_text() == "1");
  CHECK(recipe.variables.at("CUDA_DEVICE_MAX_CONNECTIONS").mark.start().column == 36);
  CHECK(recipe.variables.at("NCCL_DEBUG").value.to_text() == "INFO");
  CHECK(recipe.raw.at("raw.gpus").to_text() == "16");
  CHECK(recipe.raw.at("raw.gpus_source").to_text() == "run.sh:7");
}

TEST_CASE("the number of GPUs") {
  CHECK(gpus("torchrun --nproc-per-node 8") == "8");
  CHECK(gpus("python -m torch.distributed.run --nnodes 4 --nproc_per_node=8") == "32");
  CHECK(gpus("N=${N:-4}\ntorchrun --nnodes $N --nproc-per-node $((N * 2))") == "32");
  CHECK(gpus("srun -N 4 --ntasks-per-node=8 python -u") == "32");
  CHECK(gpus("srun -n16 python") == "16");
  CHECK(gpus("#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node 8 # all\nsrun python") ==
        "32");
  CHECK(
      gpus("#!/bin/bash\n#SBATCH -N 4\nsrun torchrun --nnodes $SLURM_NNODES --nproc_per_node 8") ==
      "32");
  CHECK(gpus("mpirun -np 8 -x NCCL_DEBUG=INFO python") == "8");
  CHECK(gpus("srun -N 2 bash -c \"torchrun --nnodes 2 --nproc-per-node 4\"\nsrun -n 8 python") ==
        "8");
  CHECK(gpus("torchrun --nnodes $SLURM_NNODES --nproc-per-node 8") == "?");
  CHECK(gpus("torchrun --nnodes 1:4 --nproc-per-node 8") == "?");
  CHECK(gpus("python") == "?");
}

TEST_CASE("what depends on an open condition is unknown") {
  const std::string script =
      "F='--num-layers 4 --hidden-size 64'\n"
      "if [[ $OVERLAP == 1 ]]; then\n"
      "  F=\"$F --overlap-moe-expert-parallel-comm\"\n"
      "  export CUDA_DEVICE_MAX_CONNECTIONS=32\n"
      "fi\n"
      "torchrun pretrain_gpt.py $F --bf16\n";
  const auto open = read_script(script);
  CHECK(shown_field(open.front(), "model.overlap_moe_expert_parallel_comm") == "?@3:9");
  CHECK(open.front().variables.at("CUDA_DEVICE_MAX_CONNECTIONS").value.is_unknown());
  const auto on = read_script(script, {{"OVERLAP", "1"}});
  CHECK(shown_field(on.front(), "model.overlap_moe_expert_parallel_comm") == "true@3:9");
  CHECK(on.front().variables.at("CUDA_DEVICE_MAX_CONNECTIONS").value.to_text() == "32");
  const auto off = read_script(script, {{"OVERLAP", "0"}});
  CHECK(shown_field(off.front(), "model.overlap_moe_expert_parallel_comm") == "-");
  CHECK(off.front().variables.count("CUDA_DEVICE_MAX_CONNECTIONS") == 0);
}

TEST_CASE("flags from elsewhere leave the rest of the recipe open") {
  const auto recipes =
      read_script("torchrun train.py ${MODEL_ARGS[@]} --bf16 --swiglu --lr 1e-4\n");
  CHECK(recipes.front().find("model.num_layers")->value.is_unknown());
  CHECK(recipes.front().find("model.bf16")->value.to_text() == "true");
}

TEST_CASE("another trainer with flags of the same names is not Megatron-LM") {
  const std::string common = "--bf16=1 --warmup=0.003 --lr=1e-4 --min-lr=1e-5 --seed=42 ";
  const auto foreign =
      read_script("torchrun train.py " + common + "--num_layers=32 --width=4096\n");
  CHECK_FALSE(foreign.front().readable);
  for (const std::string own :
       {"--micro-batch-size 1", "--tensor-model-parallel-size 2", "$MORE"}) {
    CAPTURE(own);
    CHECK(read_script("torchrun train.py " + common + own + "\n").front().readable);
  }
  CHECK(read_script("torchrun pretrain_gpt.py " + common + "\n").front().readable);
}

std::vector<Recipe> read_with(const std::string& script,
                              const std::map<std::string, std::string>& others,
                              const std::string& base = {}) {
  Request request;
  request.file = std::make_shared<const text::SourceFile>("run.sh", script);
  if (!base.empty()) {
    request.base = std::make_shared<const text::SourceFile>("base.yaml", base);
  }
  request.open = [&others](const std::string& name) -> std::shared_ptr<const text::SourceFile> {
    const auto found = others.find(name);
    return found == others.end() ? nullptr
                                 : std::make_shared<const text::SourceFile>(name, found->second);
  };
  return load(request, support::head_vocabulary);
}

TEST_CASE("a launch of Megatron-Bridge: overrides, a file of them, and the environment") {
  const std::string script =
      "#SBATCH --nodes=2 --ntasks-per-node=8\n"
      "export CUDA_DEVICE_MAX_CONNECTIONS=1\n"
      "export NCCL_DEBUG=INFO\n"
      "CMD=\"python run_recipe.py --recipe my_own_pretrain_config --config-file conf/a.yaml\"\n"
      "CMD=\"$CMD model.tensor_model_parallel_size=2 train.global_batch_size=$GBS\"\n"
      "srun bash -c \"$CMD ++model.seq_length=4096\"\n";
  const auto recipes = read_with(script,
                                 {{"conf/a.yaml",
                                   "model:\n  tensor_model_parallel_size: 4\n  num_layers: 8\n"
                                   "env_vars: {NCCL_DEBUG: WARN, NCCL_IB_TC: 4}\n"}});
  REQUIRE(recipes.size() == 1);
  const Recipe& recipe = recipes.front();
  CHECK(recipe.readable);
  CHECK(recipe.framework == Framework::bridge);
  CHECK(shown_field(recipe, "model.tensor_model_parallel_size") == "2@5:44");
  CHECK(shown_field(recipe, "model.num_layers") == "8@3:15");
  CHECK(recipe.find("model.num_layers")->mark.file->name() == "conf/a.yaml");
  CHECK(shown_field(recipe, "model.seq_length") == "4096@6:39");
  CHECK(shown_field(recipe, "train.global_batch_size").front() == '?');
  CHECK(recipe.variables.at("NCCL_DEBUG").value.to_text() == "INFO");
  CHECK(recipe.variables.at("NCCL_IB_TC").value.to_text() == "4");
  CHECK(recipe.raw.at("raw.gpus").to_text() == "16");
}

TEST_CASE("options of Bridge's performance harness are fields, and win over Hydra words") {
  const auto recipes = read_script(
      "python scripts/performance/setup_experiment.py -g gb200 -mr qwen3_30b_a3b -ng 64 -tp 4 "
      "-gb $GBS --moe_a2a_overlap true --recompute_modules mlp,moe_act "
      "model.tensor_model_parallel_size=2 model.moe_router_dtype=fp32\n");
  REQUIRE(recipes.size() == 1);
  const Recipe& recipe = recipes.front();
  CHECK(shown_field(recipe, "model.tensor_model_parallel_size").substr(0, 2) == "4@");
  CHECK(shown_field(recipe, "model.sequence_parallel").substr(0, 5) == "true@");
  CHECK(shown_field(recipe, "comm_overlap.overlap_moe_expert_parallel_comm").substr(0, 5) ==
        "true@");
  CHECK(shown_field(recipe, "model.moe_router_dtype").substr(0, 5) == "fp32@");
  CHECK(shown_field(recipe, "train.global_batch_size").front() == '?');
  CHECK(shown_field(recipe, "model.recompute_modules").front() == '[');
  CHECK(recipe.raw.at("raw.gpus").to_text() == "64");
  // Another program's options are its own business.
  const auto others =
      read_script("python run_recipe.py -tp 4 model.tensor_model_parallel_size=2\n");
  REQUIRE(others.size() == 1);
  CHECK(shown_field(others.front(), "model.tensor_model_parallel_size").substr(0, 2) == "2@");
}

TEST_CASE("launches of Megatron-Bridge's programs start from the recipe that they name") {
  const auto recipes = read_script(
      "python scripts/performance/run_script.py -m qwen -mr qwen3_30b_a3b -g h100 -ng 32 "
      "--cuda_graph_impl none --moe_flex_dispatcher_backend None train.micro_batch_size=2\n"
      "torchrun scripts/training/run_recipe.py --recipe qwen3_30b_a3b_pretrain_config -tp 4 -sl "
      "2048\n"
      "torchrun scripts/training/run_recipe.py --model llama3_8b --mode pretrain\n"
      "torchrun run_recipe.py --recipe my_own_pretrain_config train.micro_batch_size=2\n"
      "python run_script.py -m llama -mr llama3_8b -g h100 -ng 8 -tp 2\n"
      "python setup_experiment.py --model_name qwen3 --model_size 30b_a3b -g h100 -ng 16 -vp None\n"
      "python setup_experiment.py -m qwen -mr qwen3_30b_a3b -g h100 -ng 16 -vp -1\n");
  REQUIRE(recipes.size() == 7);
  const Recipe& harness = recipes[0];
  REQUIRE(harness.base);
  CHECK(harness.base->name() == "qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config@head");
  CHECK(shown_field(harness, "model.num_moe_experts").substr(0, 4) == "128@");
  CHECK(shown_field(harness, "model.moe_token_dispatcher_type").substr(0, 9) == "alltoall@");
  CHECK(shown_field(harness, "model.use_te_rng_tracker").substr(0, 6) == "false@");
  CHECK(shown_field(harness, "train.global_batch_size").substr(0, 5) == "2048@");  // 16 → 32 GPUs
  CHECK(shown_field(harness, "train.micro_batch_size").substr(0, 2) == "2@");
  CHECK(shown_field(harness, "dataset.split").substr(0, 10) == "99990,8,2@");
  REQUIRE(recipes[1].base);
  CHECK(shown_field(recipes[1], "model.tensor_model_parallel_size").substr(0, 2) == "4@");
  CHECK(recipes[2].base->name() == "llama3_8b_pretrain_config@head");
  CHECK_FALSE(recipes[3].base);
  CHECK(recipes[3].raw.at("raw.unwritten").is_unknown());
  // Its model keeps the transformer's fields one level deeper.
  CHECK(shown_field(recipes[4], "model.tensor_model_parallel_size").substr(0, 2) == "2@");
  CHECK(recipes[4].diagnostics.empty());
  // The options before 0.3, and the values of -vp that are no number.
  REQUIRE(recipes[5].base);
  CHECK(recipes[5].base->name() == "qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config@head");
  CHECK(recipes[5].find("model.virtual_pipeline_model_parallel_size")->value.is_unset());
  CHECK(recipes[5].diagnostics.empty());
  CHECK(recipes[6].find("model.virtual_pipeline_model_parallel_size")->origin !=
        Origin::override_word);
}

TEST_CASE("words after -- can be a launch") {
  Request request;
  request.words = {
      "torchrun", "run_recipe.py", "--recipe", "llama3_8b_pretrain_config", "model.rotary_base=1"};
  const auto recipes = load(request, support::head_vocabulary);
  REQUIRE(recipes.size() == 1);
  REQUIRE(recipes.front().base);
  CHECK(shown_field(recipes.front(), "train.micro_batch_size").front() != '-');
}

TEST_CASE("the harness says which GPUs, and gives the job an environment") {
  const auto recipes = read_script(
      "python setup_experiment.py -g gb200 -ng 64 --custom_env_vars A=1,NCCL_DEBUG=INFO "
      "-E A=2,3 --env CUDA_DEVICE_MAX_CONNECTIONS=32 -E B=$X model.num_layers=4\n");
  REQUIRE(recipes.size() == 1);
  const Recipe& recipe = recipes.front();
  CHECK(recipe.raw.at("raw.hw").to_text() == "gb200");
  CHECK(recipe.raw.at("raw.hw_source").to_text() == "run.sh:1");
  CHECK(recipe.variables.at("A").value.to_text() == "2,3");
  CHECK(recipe.variables.at("NCCL_DEBUG").value.to_text() == "INFO");
  CHECK(recipe.variables.at("CUDA_DEVICE_MAX_CONNECTIONS").value.to_text() == "32");
  CHECK(recipe.variables.at("B").value.is_unknown());
  // run_script.py reads the options and leaves the environment alone; of other programs they are
  // something else.
  const auto inside = read_script("torchrun run_script.py -g h100 -E A=2 model.num_layers=4\n");
  CHECK(inside.front().raw.at("raw.hw").to_text() == "h100");
  CHECK(inside.front().variables.count("A") == 0);
  const auto others = read_script("python run_recipe.py -g h100 -E A=2 model.num_layers=4\n");
  CHECK(others.front().raw.count("raw.hw") == 0);
  CHECK(others.front().variables.count("A") == 0);
}

TEST_CASE("a file that can't be read leaves everything open but what is written") {
  const auto recipes =
      read_with("torchrun pretrain.py --config-file $WHERE/a.yaml model.num_layers=4\n", {});
  CHECK(shown_field(recipes.front(), "model.num_layers").front() == '4');
  CHECK(recipes.front().raw.at("raw.unwritten").is_unknown());
}

TEST_CASE("a script may read others") {
  const auto recipes = read_with("source model.sh\ntorchrun pretrain_gpt.py ${MODEL[@]} --bf16\n",
                                 {{"model.sh", "MODEL=(--num-layers 4 --hidden-size 64)\n"}});
  CHECK(shown_field(recipes.front(), "model.num_layers") == "4@1:21");
  CHECK(recipes.front().find("model.num_layers")->mark.file->name() == "model.sh");
}

TEST_CASE("variables that a launcher hands on") {
  const auto queues = [](const std::string& command) {
    const auto recipes =
        read_script(command + " pretrain_gpt.py --num-layers 4 --lr 1e-4 --bf16\n");
    const auto found = recipes.front().variables.find("CUDA_DEVICE_MAX_CONNECTIONS");
    return found == recipes.front().variables.end() ? "-" : found->second.value.to_text();
  };
  CHECK(queues("srun --export=ALL,CUDA_DEVICE_MAX_CONNECTIONS=8 -n 8 python") == "8");
  CHECK(queues("srun --export ALL,CUDA_DEVICE_MAX_CONNECTIONS=8 -n 8 python") == "8");
  CHECK(queues("singularity exec --nv --env CUDA_DEVICE_MAX_CONNECTIONS=8,X=1 a.sif python") ==
        "8");
  CHECK(queues("enroot start --env CUDA_DEVICE_MAX_CONNECTIONS=8 --rw a python") == "8");
  CHECK(queues("docker run --env=CUDA_DEVICE_MAX_CONNECTIONS=8 --rm a torchrun") == "8");
  CHECK(queues("mpiexec -n 8 -genv CUDA_DEVICE_MAX_CONNECTIONS 8 python") == "8");
  CHECK(queues("mpiexec -n 8 --env CUDA_DEVICE_MAX_CONNECTIONS=8 python") == "8");
  CHECK(queues("CUDA_DEVICE_MAX_CONNECTIONS=8\nssh node1 torchrun") == "-");

  const auto recipes = read_script(
      "docker run -e NCCL_IB_HCA=mlx5_0,mlx5_1 a python pretrain_gpt.py --num-layers 4 --lr 1 "
      "--bf16\n");
  CHECK(recipes.front().variables.at("NCCL_IB_HCA").value.to_text() == "mlx5_0,mlx5_1");
}

TEST_CASE("a script that is written, wrapped or sent before it runs") {
  const std::string launch =
      "torchrun --nnodes 2 --nproc_per_node 8 pretrain_gpt.py --num-layers 4 "
      "--lr 1e-4 --bf16";
  const auto layers = [](const std::string& script) {
    const auto recipes = read_script(script);
    const Field* field = recipes.front().find("model.num_layers");
    const auto world = recipes.front().raw.find("raw.gpus");
    return field == nullptr || world == recipes.front().raw.end()
               ? std::string("-")
               : field->value.to_text() + " on " + world->second.to_text();
  };
  CHECK(layers("cat > run.sh <<'EOF'\n" + launch + "\nEOF\nsrun bash run.sh\n") == "4 on 16");
  CHECK(layers("cat <<EOF > $DIR/run.sh\n" + launch + "\nEOF\nsrun bash $DIR/run.sh\n") ==
        "4 on 16");
  CHECK(layers("read -r -d '' CMD <<EOF\n" + launch + "\nEOF\nsrun bash -c \"$CMD\"\n") ==
        "4 on 16");
  CHECK(layers("sbatch -N 2 --wrap=\"" + launch + "\"\n") == "4 on 16");
  CHECK(layers("sbatch --wrap '" + launch + "'\n") == "4 on 16");
  CHECK(layers("ssh -p 22 node1 \"cd /w && " + launch + "\"\n") == "4 on 16");
  CHECK(layers("pdsh -w node[1-2] '" + launch + "'\n") == "4 on 16");
}

TEST_CASE("places that a reader of the script fills in are unknown words") {
  const auto recipes = read_script(
      "CKPT=<your checkpoint>\n"
      "python pretrain_gpt.py --num-layers 4 --load $CKPT --save <path/to/results> --bf16 --lr 1 "
      "--seq-length <length> <in.txt >out.txt\n");
  const Recipe& recipe = recipes.front();
  CHECK(shown_field(recipe, "checkpoint.load").front() == '?');
  CHECK(shown_field(recipe, "checkpoint.save").front() == '?');
  CHECK(shown_field(recipe, "model.seq_length").front() == '?');
  CHECK(shown_field(recipe, "model.bf16").starts_with("true"));
  CHECK(recipe.diagnostics.empty());
}

TEST_CASE("sizes of a checkpoint are not known, whatever the flags say") {
  const auto recipes = read_script(
      "python pretrain_gpt.py --num-layers 4 --swiglu --normalization LayerNorm --seq-length 64 "
      "--micro-batch-size 1 --load base --use-checkpoint-args\n");
  const Recipe& recipe = recipes.front();
  CHECK(shown_field(recipe, "model.num_layers").starts_with("4"));   // a flag that gives it counts
  CHECK(shown_field(recipe, "model.normalization").front() == '?');  // the checkpoint's wins
  CHECK(shown_field(recipe, "model.hidden_size").front() == '?');    // nobody gives it
  CHECK(shown_field(recipe, "train.micro_batch_size").starts_with("1"));
  CHECK(shown_field(recipe, "ddp.overlap_grad_reduce") == "-");  // no checkpoint knows

  const auto without = read_script(
      "python pretrain_gpt.py --num-layers 4 --normalization LayerNorm --lr 1 "
      "--use-checkpoint-args\n");
  CHECK(shown_field(without.front(), "model.normalization").starts_with("LayerNorm"));
}

TEST_CASE("every launch is a recipe, and a script without one is none") {
  const std::string run = "torchrun pretrain_gpt.py --num-layers 4 --hidden-size 64 --bf16\n";
  const auto two = read_script(run + run);
  REQUIRE(two.size() == 2);
  CHECK(two[1].path == "run.sh#2");
  const auto none = read_script("#!/bin/bash\npip install torch\npython tools/check.py --x 1\n");
  CHECK_FALSE(none.front().readable);
  CHECK(none.front().diagnostics.front().rule == "recipe/unrecognized");
}

TEST_CASE("what a launch script looks like") {
  const auto is_script = [](const std::string& name, const std::string& bytes) {
    return is_launch_script(text::SourceFile(name, bytes));
  };
  CHECK(is_script("a.sh", ""));
  CHECK(is_script("a", "#!/usr/bin/env bash\n"));
  CHECK(is_script("<stdin>", "# words\nexport A=1\n"));
  CHECK_FALSE(is_script("a.yaml", "#!/bin/bash\n"));
  CHECK_FALSE(is_script("a", "model:\n  num_layers: 4\n"));
  CHECK_FALSE(is_script("a", "#!/usr/bin/env python\n"));
}

}  // namespace
}  // namespace epwise::recipe
