#include "recipe/launch/manifest.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "recipe/load.h"
#include "support/head_vocabulary.h"

namespace epwise::recipe {
namespace {

std::vector<Recipe> read_objects(const std::string& text) {
  Request request;
  request.file = std::make_shared<const text::SourceFile>("job.yaml", text);
  return load(request, support::head_vocabulary);
}

/// "4@3:8", "-" for what is not there.
std::string placed_value(const Recipe& recipe, const std::string& name) {
  const Field* field = recipe.find(name);
  if (field == nullptr) {
    return "-";
  }
  const auto at = field->mark.start();
  return field->value.to_text() + "@" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::string ranks(const Recipe& recipe) {
  const auto found = recipe.raw.find("raw.gpus");
  return found == recipe.raw.end() ? "?" : found->second.to_text();
}

std::string torch_job(const std::string& kind, const std::string& launcher) {
  std::string text = "apiVersion: kubeflow.org/v1\nkind: " + kind + "\nspec:\n  replicaSpecs:\n";
  for (const char* role : {"Master: {replicas: 1", "Worker: {replicas: 3"}) {
    text += std::string("    ") + role +
            ", template: {spec: {containers: [{command: [bash, -c], args: ['" + launcher +
            " pretrain_gpt.py --num-layers 4 --hidden-size 64 --bf16'], "
            "resources: {limits: {nvidia.com/gpu: 8}}}]}}}\n";
  }
  return text;
}

TEST_CASE("a container's script has its places in the manifest") {
  const auto recipes = read_objects(
      "apiVersion: batch/v1\nkind: Job\nspec:\n  template:\n    spec:\n      containers:\n"
      "      - command: [bash, -c]\n        args:\n        - |\n"
      "          set -e\n"
      "          torchrun --nproc-per-node=8 pretrain_gpt.py --bf16 \\\n"
      "            --num-layers 4 --hidden-size $HIDDEN --num-experts $(EXPERTS)\n"
      "        env:\n        - {name: HIDDEN, value: '64'}\n        - {name: EXPERTS, value: '8'}\n"
      "        - {name: NCCL_DEBUG, value: INFO}\n");
  REQUIRE(recipes.size() == 1);
  CHECK(recipes[0].framework == Framework::mlm);
  CHECK(placed_value(recipes[0], "model.num_layers") == "4@12:26");
  CHECK(placed_value(recipes[0], "model.bf16") == "true@11:55");
  CHECK(recipes[0].find("model.hidden_size")->value.to_text() == "64");
  CHECK(recipes[0].find("model.num_moe_experts")->value.to_text() == "8");
  CHECK(recipes[0].variables.at("NCCL_DEBUG").value.to_text() == "INFO");
  CHECK(ranks(recipes[0]) == "8");
}

TEST_CASE("words of a command are not expanded, each is where it is written") {
  const auto recipes = read_objects(
      "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nspec:\n  slotsPerWorker: 4\n"
      "  mpiReplicaSpecs:\n    Launcher:\n      template:\n        spec:\n          containers:\n"
      "          - command: [mpirun, -x, A=1, python, /w/pretrain_gpt.py, --bf16]\n"
      "            args: [--num-layers, \"4\", --hidden-size=64]\n"
      "    Worker:\n      replicas: 2\n      template:\n        spec:\n          containers:\n"
      "          - resources: {limits: {nvidia.com/gpu: 8}}\n");
  REQUIRE(recipes.size() == 1);
  CHECK(placed_value(recipes[0], "model.num_layers") == "4@11:35");
  CHECK(placed_value(recipes[0], "model.hidden_size") == "64@11:53");
  CHECK(recipes[0].variables.at("A").value.to_text() == "1");
  CHECK(ranks(recipes[0]) == "8");  // 2 workers x 4 slots
}

TEST_CASE("the same command of master and worker is one recipe, and replicas count") {
  const auto told = read_objects(torch_job("PyTorchJob", "torchrun --nproc-per-node 8"));
  REQUIRE(told.size() == 1);
  CHECK(ranks(told[0]) == "32");
  // Only PyTorchJob tells torchrun the number of nodes.
  CHECK(ranks(read_objects(torch_job("XJob", "torchrun --nproc-per-node 8")).front()) == "8");
  CHECK(ranks(read_objects(torch_job("PyTorchJob", "torchrun --nnodes 2 --nproc-per-node 8"))
                  .front()) == "16");
}

TEST_CASE("replicas and parallelism of a JobSet multiply") {
  const auto recipes = read_objects(
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nspec:\n  replicatedJobs:\n"
      "  - replicas: 2\n    template: {spec: {parallelism: 3, template: {spec: {containers: [\n"
      "      {command: [python, pretrain_gpt.py, --num-layers, '4', --hidden-size, '64', --bf16],\n"
      "       resources: {limits: {nvidia.com/gpu: 4}}}]}}}}\n");
  REQUIRE(recipes.size() == 1);
  CHECK(ranks(recipes[0]) == "24");
}

TEST_CASE("files of a ConfigMap are recipes of their own unless a container opens them") {
  const std::string held =
      "apiVersion: v1\nkind: ConfigMap\ndata:\n"
      "  recipe.yaml: |\n    model:\n      num_layers: 4\n    train:\n      micro_batch_size: 3\n"
      "  note.txt: |\n    model: {num_layers: 5}\n"
      "  run.sh: |\n    torchrun --nproc-per-node=8 pretrain_gpt.py --num-layers 6 --hidden-size "
      "64 --bf16\n";
  const auto alone = read_objects(held);
  REQUIRE(alone.size() == 2);
  CHECK(placed_value(alone[0], "model.num_layers") == "6@12:62");
  CHECK(alone[0].path == "job.yaml");
  CHECK(placed_value(alone[1], "model.num_layers") == "4@6:19");
  CHECK(placed_value(alone[1], "train.micro_batch_size") == "3@8:25");
  CHECK(alone[1].path == "job.yaml#2");

  const auto opened = read_objects(held +
                                   "---\napiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - "
                                   "command: [bash, /config/run.sh]\n");
  REQUIRE(opened.size() == 2);
  CHECK(placed_value(opened[0], "model.num_layers") == "6@12:62");
  CHECK(placed_value(opened[1], "model.num_layers") == "4@6:19");
}

TEST_CASE("a manifest without a training is not a recipe") {
  for (const char* text : {"apiVersion: v1\nkind: Service\nspec: {ports: [{port: 80}]}\n",
                           "apiVersion: batch/v1\nkind: Job\nspec: {template: {spec: {containers: "
                           "[{command: [sleep, '9']}]}}}\n",
                           "apiVersion: v1\nkind: ConfigMap\ndata: {a.yaml: 'model: {}'}\n",
                           "apiVersion: v1\nkind: Pod\nspec: {containers: 7, replicas: x}\n"}) {
    const auto recipes = read_objects(text);
    REQUIRE(recipes.size() == 1);
    CHECK_FALSE(recipes[0].readable);
    CHECK(recipes[0].diagnostics.back().rule == "recipe/unrecognized");
  }
  CHECK_FALSE(is_manifest(yaml::parse(text::SourceFile("a", "kind: x\n")).documents.front().root));
}

}  // namespace
}  // namespace epwise::recipe
