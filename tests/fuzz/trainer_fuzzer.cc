/// The frameworks around Megatron. The first byte chooses: a configuration ('y'), or the words of a
/// script that starts verl ('v'), ms-swift ('s') or slime ('r'). What must hold: no exception, no
/// hang, and every place lies in the text that it points into.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "recipe/load.h"
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

}  // namespace

FUZZ_TARGET(trainer) {
  constexpr std::size_t kMost = 1U << 13U;
  if (size == 0 || size > kMost) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
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
