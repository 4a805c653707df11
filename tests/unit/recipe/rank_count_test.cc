#include "recipe/rank_count.h"

#include <limits>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "recipe/load.h"
#include "support/head_vocabulary.h"

namespace epwise::recipe {
namespace {

/// "16", "-" where nothing is known, or what is said of the numbers.
std::string ranks_of(const std::string& name, const std::string& text) {
  Request request;
  request.file = std::make_shared<const text::SourceFile>(name, text);
  const auto recipes = load(request, support::head_vocabulary);
  const Recipe& recipe = recipes.front();
  for (const text::Diagnostic& each : recipe.diagnostics) {
    if (each.rule == "recipe/too-many-ranks") {
      CHECK(recipe.raw.count("raw.gpus") == 0);
      return each.message;
    }
  }
  const auto found = recipe.raw.find("raw.gpus");
  return found == recipe.raw.end() ? "-" : found->second.to_text();
}

std::string verl(const std::string& nodes, const std::string& gpus) {
  return ranks_of("a.yaml",
                  "actor_rollout_ref:\n  actor:\n    strategy: megatron\n    megatron: "
                  "{tensor_model_parallel_size: 2}\ntrainer: {nnodes: " +
                      nodes + ", n_gpus_per_node: " + gpus + "}\n");
}

std::string nemo(const std::string& nodes, const std::string& gpus) {
  return ranks_of("a.yaml",
                  "trainer: {devices: " + gpus + ", num_nodes: " + nodes +
                      "}\nmodel: {micro_batch_size: 1, global_batch_size: 8, "
                      "tensor_model_parallel_size: 1, pipeline_model_parallel_size: 1, "
                      "mcore_gpt: true}\n");
}

std::string nemo_rl(const std::string& cluster, const std::string& generation = "enabled: true") {
  return ranks_of("a.yaml",
                  "policy:\n  megatron_cfg: {enabled: true, tensor_model_parallel_size: 4}\n"
                  "  generation:\n    colocated: {" +
                      generation + "}\ncluster: {" + cluster + "}\n");
}

std::string script(const std::string& start) {
  return ranks_of("run.sh", start + " pretrain_gpt.py --num-layers 4 --hidden-size 64 --bf16\n");
}

std::string slime(const std::string& nodes, const std::string& gpus) {
  return ranks_of("run.sh",
                  "python train.py --actor-num-nodes " + nodes + " --actor-num-gpus-per-node " +
                      gpus +
                      " --num-layers 4 --hidden-size 64 --num-attention-heads 4 --bf16 "
                      "--rollout-num-gpus 8\n");
}

const std::string kWraps = "2305843009213693953";  // times 8 it is 8 again, in 64 bits
const std::string kMost = "epwise believes in up to 16777216 GPUs";

}  // namespace

TEST_CASE("the ranks of a launcher") {
  CHECK(verl("2", "8") == "16");
  CHECK(nemo("2", "8") == "16");
  CHECK(nemo_rl("num_nodes: 2, gpus_per_node: 8") == "16");
  CHECK(nemo_rl("num_nodes: 4, gpus_per_node: 8", "enabled: false, resources: {num_nodes: 1}") ==
        "24");
  CHECK(slime("2", "8") == "16");
  CHECK(script("torchrun --nnodes 2 --nproc-per-node 8") == "16");
}

TEST_CASE("a product that leaves 64 bits is told with its numbers, and not believed") {
  const std::string nodes = kWraps + " nodes x 8 GPUs is out of range: " + kMost;
  CHECK(verl(kWraps, "8") == nodes);
  CHECK(nemo(kWraps, "8") == nodes);
  CHECK(nemo_rl("num_nodes: " + kWraps + ", gpus_per_node: 8") == nodes);
  CHECK(slime(kWraps, "8") == nodes);
  CHECK(script("torchrun --nnodes " + kWraps + " --nproc-per-node 8") == nodes);
  CHECK(nemo_rl("num_nodes: 4, gpus_per_node: 8",
                "enabled: false, resources: {num_nodes: -9223372036854775807}") ==
        "4 - -9223372036854775807 nodes is out of range: " + kMost);
}

TEST_CASE("so is one that an int does not hold") {
  CHECK(script("torchrun --nnodes 1048577 --nproc-per-node 4096") ==
        "1048577 nodes x 4096 GPUs is out of range: " + kMost);
  CHECK(script("mpirun -np 99999999999 python") == "99999999999 GPUs is out of range: " + kMost);
  CHECK(verl("1", "16777216") == "16777216");
  CHECK(verl("1", "16777217") == "16777217 GPUs is out of range: " + kMost);
}

TEST_CASE("numbers below one count nothing") {
  CHECK(verl("0", "8") == "-");
  CHECK(verl("-2", "-8") == "-");
  CHECK(nemo("1", "-1") == "-");  // all that are there
  CHECK(verl("-9223372036854775808", "-1") == "-");
}

TEST_CASE("a recipe without words keeps the line that it points into") {
  Request request;
  auto recipes = load(request, support::head_vocabulary);
  REQUIRE(recipes.size() == 1);
  const Recipe recipe = std::move(recipes.front());
  REQUIRE_FALSE(recipe.root.nowhere());
  REQUIRE(recipe.files.size() == 1);
  CHECK(recipe.files.front().get() == recipe.root.file);
  CHECK(recipe.root.file->bytes().empty());
}

}  // namespace epwise::recipe
