/// Any bytes as a configuration of each framework around Megatron, and as the words of a script
/// that starts one: no exception, no hang, and every place lies in the text that it points into.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "data/embedded.h"
#include "recipe/load.h"
#include "recipe/vocabulary/vocabulary.h"

namespace {

using epwise::recipe::Framework;
using epwise::recipe::Recipe;
using epwise::recipe::Request;
using epwise::recipe::Vocabulary;
using epwise::text::Mark;
using epwise::text::SourceFile;

const Vocabulary& vocabulary_for(Framework framework) {
  static const Vocabulary kBridge =
      Vocabulary::load(Framework::bridge, "head", epwise::data::compiled_vocabulary());
  static const Vocabulary kMegatron =
      Vocabulary::load(Framework::mlm, "head", epwise::data::compiled_vocabulary());
  return framework == Framework::bridge ? kBridge : kMegatron;
}

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

bool is_inside(const Mark& mark) {
  return mark.nowhere() || (mark.begin <= mark.end && mark.end <= mark.file->bytes().size());
}

void check(const Recipe& recipe) {
  require(recipe.readable || !recipe.diagnostics.empty());
  require(is_inside(recipe.root));
  for (const auto& diagnostic : recipe.diagnostics) {
    require(is_inside(diagnostic.mark) && !diagnostic.rule.empty() && !diagnostic.message.empty());
  }
  for (const auto& [name, field] : recipe.fields) {
    require(is_inside(field.key) && is_inside(field.mark) && field.name == name);
    static_cast<void>(field.value.to_text());
  }
  for (const auto& [name, variable] : recipe.variables) {
    require(is_inside(variable.key) && is_inside(variable.mark));
  }
}

/// Files that others are laid over, one of them over itself.
std::shared_ptr<const SourceFile> another(const std::string& name) {
  return std::make_shared<const SourceFile>(
      name,
      "defaults: [base.yaml]\npolicy: {megatron_cfg: {expert_model_parallel_size: 2}}\n"
      "cluster: {num_nodes: 2, gpus_per_node: 8}\n");
}

void run(const std::string& name, const std::string& text) {
  Request request;
  request.file = std::make_shared<const SourceFile>(name, text);
  request.environment = {{"TP", "2"}, {"LIST", "a b"}, {"GONE", std::nullopt}};
  request.open = another;
  const auto recipes = epwise::recipe::load(request, vocabulary_for);
  require(!recipes.empty());
  for (const Recipe& recipe : recipes) {
    check(recipe);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 1U << 14U;
  if (size > kMost) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data), size);
  run("fuzz.yaml", text);
  run("verl.sh", "python3 -m verl.trainer.main_ppo model_engine=megatron " + text);
  run("swift.sh", "megatron sft " + text);
  run("slime.sh",
      "ray job submit --runtime-env-json='" + text +
          "' -- python3 train.py --actor-num-nodes 2 --hf-checkpoint a --num-layers 4 --lr 1 " +
          text);
  return 0;
}
