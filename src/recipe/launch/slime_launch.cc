#include "recipe/launch/slime_launch.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "recipe/launch/launch_options.h"
#include "recipe/trainers/trainer_facts.h"
#include "recipe/trainers/trainer_recipe.h"
#include "shell/arithmetic.h"

namespace epwise::recipe {
namespace {

using expr::Value;

std::optional<std::int64_t> count_of(const shell::Field* field) {
  return field == nullptr || !field->known() ? std::nullopt
                                             : shell::whole_number(option_text(*field));
}

void put_default(Recipe& recipe, const Vocabulary& vocabulary, std::string_view name, Value value) {
  const FieldSpec* by_name = vocabulary.find(name);
  const FieldSpec* spec = by_name != nullptr ? by_name : vocabulary.find_attribute(name);
  if (spec == nullptr || recipe.find(spec->name) != nullptr) {
    return;
  }
  Field field;
  field.name = spec->name;
  field.value = std::move(value);
  field.origin = Origin::framework_default;
  field.spelling = spec->name;
  recipe.fields.emplace(field.name, std::move(field));
}

}  // namespace

bool is_slime(const LaunchWords& launch) {
  constexpr std::array<std::string_view, 5> kOwn = {"--actor-num-nodes",
                                                    "--actor-num-gpus-per-node",
                                                    "--rollout-batch-size",
                                                    "--hf-checkpoint",
                                                    "--rollout-num-gpus"};
  const auto count = std::ranges::count_if(
      kOwn, [&](std::string_view name) { return option(launch, name) != nullptr; });
  return count > 1;
}

void complete_slime(Recipe& recipe, const LaunchWords& launch, const Vocabulary& vocabulary) {
  note_trainer(recipe, load_trainer("slime"), {});
  const Field* half = recipe.find("model.fp16");
  const bool open = half != nullptr && half->value.is_unknown();
  put_default(recipe,
              vocabulary,
              "model.bf16",
              open ? half->value : Value::of(half == nullptr || !half->value.truthy()));
  put_default(recipe, vocabulary, "optimizer.use_distributed_optimizer", Value::of(true));
  put_default(recipe, vocabulary, "micro_batch_size", Value::of(1));
  put_default(recipe, vocabulary, "seq_length", Value::of(4096));
  put_default(recipe, vocabulary, "lr", Value::of(1e-6));
  put_default(recipe, vocabulary, "checkpoint.use_persistent_ckpt_worker", Value::of(true));
  // The validator sees `allgather`, the model never does.
  put_default(recipe, vocabulary, "model.moe_token_dispatcher_type", Value::of("alltoall"));
  if (const Field* length = recipe.find("model.seq_length")) {
    put_default(recipe, vocabulary, "max_position_embeddings", length->value);
  }
  const shell::Field* nodes = option(launch, "--actor-num-nodes");
  const shell::Field* gpus = option(launch, "--actor-num-gpus-per-node");
  const auto node_count = count_of(nodes);
  const auto gpu_count = count_of(gpus);
  if (node_count && gpu_count) {
    set_world(recipe, *node_count * *gpu_count, gpus->mark);
  }
}

}  // namespace epwise::recipe
