#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/embedded/embedded.h"
#include "fix/change.h"
#include "recipe/load.h"

namespace epwise::fix {
namespace {

/// The script with the edits made, or what is in the way.
std::string edited(const std::string& script, const std::vector<WordEdit>& edits) {
  const auto vocabulary_for = [](recipe::Framework framework) -> const recipe::Vocabulary& {
    static const auto kBridge = recipe::Vocabulary::load(
        recipe::Framework::bridge, "head", embedded::compiled_vocabulary());
    static const auto kMegatron =
        recipe::Vocabulary::load(recipe::Framework::mlm, "head", embedded::compiled_vocabulary());
    return framework == recipe::Framework::bridge ? kBridge : kMegatron;
  };
  recipe::Request request;
  request.file = std::make_shared<const text::SourceFile>("run.sh", script);
  const auto recipes = recipe::load(request, vocabulary_for);
  std::string obstacle;
  const std::string text = edited_script(recipes.front(), edits, obstacle);
  if (!obstacle.empty()) {
    CHECK(text == script);
    return obstacle;
  }
  return text;
}

const std::string kScript =
    "export NCCL_DEBUG=INFO\n"
    "EP=8\n"
    "MOE=(\n"
    "  --num-experts 64  # all\n"
    "  --expert-model-parallel-size $EP\n"
    ")\n"
    "torchrun pretrain_gpt.py \"${MOE[@]}\" \\\n"
    "  --moe-grouped-gemm \\\n"
    "  --recompute-modules mlp moe_act \\\n"
    "  --bf16\n";

std::string script_with(const std::string& old, const std::string& fresh) {
  std::string text = kScript;
  return text.replace(text.find(old), old.size(), fresh);
}

TEST_CASE("every other byte of a script stays") {
  CHECK(edited(kScript, {{"--num-experts", {{"32"}}}}) == script_with("64", "32"));
  CHECK(edited(kScript, {{"--recompute-modules", {{"mlp"}}}}) == script_with("mlp moe_act", "mlp"));
  CHECK(edited(kScript, {{"--moe-grouped-gemm", std::nullopt}}) ==
        script_with("  --moe-grouped-gemm \\\n", ""));
  CHECK(edited(kScript, {{"--bf16", std::nullopt}}) == script_with("  --bf16\n", "\n"));
  CHECK(edited(kScript, {{"--seq-length", {{"4096"}}}}) ==
        script_with("--bf16\n", "--bf16 --seq-length 4096\n"));
  CHECK(edited(kScript, {{"--swiglu", std::vector<std::string>{}}}) ==
        script_with("--bf16\n", "--bf16 --swiglu\n"));
  CHECK(edited(kScript, {{"$NCCL_DEBUG", {{"WARN"}}}}) == script_with("INFO", "WARN"));
  CHECK(edited(kScript, {{"$CUDA_DEVICE_MAX_CONNECTIONS", {{"1"}}}}) ==
        script_with("INFO\n", "INFO\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\n"));
  CHECK(edited(kScript, {{"--num-experts", {{"32"}}}, {"--moe-grouped-gemm", std::nullopt}}) == [] {
    std::string text = script_with("  --moe-grouped-gemm \\\n", "");
    return text.replace(text.find("64"), 2, "32");
  }());
}

TEST_CASE("a misspelt flag gets its name, with or without `=`") {
  const std::string script =
      "ARGS=(\n  --num-expert 64\n  --moe-router-topkk=2\n)\n"
      "torchrun pretrain_gpt.py --num-layers 2 --bf16 --hidden-size 8 \"${ARGS[@]}\"\n";
  CHECK(edited(script,
               {{"--num-expert", std::nullopt, "--num-experts"},
                {"--moe-router-topkk", std::nullopt, "--moe-router-topk"}}) ==
        "ARGS=(\n  --num-experts 64\n  --moe-router-topk=2\n)\n"
        "torchrun pretrain_gpt.py --num-layers 2 --bf16 --hidden-size 8 \"${ARGS[@]}\"\n");
  CHECK(edited("F=--num-expert\ntorchrun pretrain_gpt.py --num-layers 2 --bf16 --swiglu\n",
               {{"--num-expert", std::nullopt, "--num-experts"}}) ==
        "--num-expert is composed of variables");
}

TEST_CASE("a variable that is used once changes where it gets its value") {
  const auto changed = [](const std::string& assignment, const std::string& use) {
    return edited(
        assignment + "\ntorchrun pretrain_gpt.py --num-layers 2 --bf16 --swiglu " + use + "\n",
        {{"--expert-model-parallel-size", {{"4"}}}});
  };
  const auto whole = [](const std::string& assignment, const std::string& use) {
    return assignment + "\ntorchrun pretrain_gpt.py --num-layers 2 --bf16 --swiglu " + use + "\n";
  };
  const std::string flag = "--expert-model-parallel-size ";
  CHECK(edited(kScript, {{"--expert-model-parallel-size", {{"4"}}}}) ==
        script_with("EP=8", "EP=4"));
  CHECK(edited(kScript, {{"--expert-model-parallel-size", std::nullopt}}) ==
        script_with("  --expert-model-parallel-size $EP\n", ""));
  for (const std::string use : {"$EP", "${EP}", "\"$EP\"", "\"${EP}\""}) {
    CAPTURE(use);
    CHECK(changed("export EP=\"8\"  # all", flag + use) ==
          whole("export EP=\"4\"  # all", flag + use));
    CHECK(changed("EP=${EP:-8}", flag + use) == whole("EP=${EP:-4}", flag + use));
    CHECK(changed("EP=\"${EP-8}\"; X=1", flag + use) == whole("EP=\"${EP-4}\"; X=1", flag + use));
  }
  const std::string obstacle = "--expert-model-parallel-size is composed of variables";
  CHECK(changed("EP=8\necho EP is $EP", flag + "$EP") == obstacle);
  CHECK(changed("EP=8\nEP=16", flag + "$EP") == obstacle);
  CHECK(changed("EP=8\nX=$((EP * 2))", flag + "$EP") == obstacle);
  CHECK(changed("EP=$((4 * 2))", flag + "$EP") == obstacle);
  CHECK(changed("EP=$(nproc)8", flag + "$EP") != whole("EP=4", flag + "$EP"));
  CHECK(changed("E=1\nEP=${E}6", flag + "$EP") == obstacle);
  CHECK(changed("for EP in 8; do :; done", flag + "$EP") == obstacle);
  CHECK(changed("P=8", flag + "1$P") == obstacle);
}

TEST_CASE("what is composed of variables stays as it is") {
  CHECK(edited("export A=$B\ntorchrun pretrain_gpt.py --num-layers 2 --bf16 --swiglu\n",
               {{"$A", {{"1"}}}}) == "the value of A is composed of variables");
  CHECK(edited(kScript, {{"--seq-length", {{"$(rm)"}}}}) == "--seq-length must be added by hand");
}

TEST_CASE("overrides of Megatron-Bridge") {
  const std::string script =
      "python run_recipe.py --recipe x model.num_layers=4 \\\n  ++model.seq_length=8\n";
  CHECK(edited(script, {{"model.num_layers", {{"8"}}}}) ==
        "python run_recipe.py --recipe x model.num_layers=8 \\\n  ++model.seq_length=8\n");
  CHECK(edited(script, {{"model.hidden_size", {{"64"}}}}) ==
        "python run_recipe.py --recipe x model.num_layers=4 \\\n  ++model.seq_length=8 "
        "model.hidden_size=64\n");
}

}  // namespace
}  // namespace epwise::fix
