#include "recipe/launch/starting_recipe.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "recipe/launch/harness_options.h"
#include "recipe/named/named_recipe.h"
#include "recipe/shell/arithmetic.h"

namespace epwise::recipe {

namespace {

/// The value of an option; `otherwise` if it is not given, nullopt if its value is unknown.
std::optional<std::string> told(const LaunchWords& launch,
                                std::string_view name,
                                std::string_view short_name,
                                std::string otherwise) {
  const shell::Field* value = option(launch, name, short_name);
  if (value == nullptr) {
    return otherwise;
  }
  return value->known() ? std::optional<std::string>(option_text(*value)) : std::nullopt;
}

/// The recipe with the made-up data that the harness gives it unless --data says otherwise.
std::string with_mock_data(std::string text, std::string_view seq_length) {
  constexpr std::string_view kSection = "\ndataset:\n";
  const std::size_t begin = text.find(kSection);
  if (begin == std::string::npos) {
    return text;
  }
  std::size_t end = begin + kSection.size();
  while (end < text.size() && text[end] == ' ') {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  const std::string_view section = std::string_view(text).substr(begin, end - begin);
  std::string mock = fmt::format(
      "{}  _target_: megatron.bridge.training.config.MockGPTDatasetConfig\n"
      "  dataloader_type: single\n  data_sharding: true\n  eod_mask_loss: false\n"
      "  num_dataset_builder_threads: 1\n  random_seed: 1234\n  reset_attention_mask: false\n"
      "  reset_position_ids: false\n  seq_length: {}\n  split: 99990,8,2\n",
      kSection,
      seq_length);
  for (const std::string_view kept : {"num_workers", "persistent_workers", "pin_memory"}) {
    const std::size_t at = section.find(fmt::format("\n  {}:", kept));
    if (at != std::string_view::npos) {
      mock += section.substr(at + 1, section.find('\n', at + 1) - at);
    }
  }
  text.replace(begin, end - begin, mock);
  return text;
}

/// The recipe with a comm_overlap section, which --moe_a2a_overlap makes where there is none.
std::string with_overlap(std::string text, bool tensor_parallel) {
  constexpr std::string_view kNone = "\ncomm_overlap: null\n";
  const std::size_t at = text.find(kNone);
  return at == std::string::npos
             ? text
             : text.replace(
                   at,
                   kNone.size(),
                   fmt::format(
                       "\ncomm_overlap:\n"
                       "  _target_: megatron.bridge.training.comm_overlap.CommOverlapConfig\n"
                       "  tp_comm_overlap: {}\n",
                       tensor_parallel));
}

void take_named(StartingRecipe& start, std::string_view release, std::string_view name) {
  const RecipeBook& book = RecipeBook::embedded();
  start.file = book.file(release, name);
  if (start.file == nullptr) {
    start.asked = name;
    return;
  }
  start.stream = yaml::parse(*start.file);
  start.gpus = book.find(release, name)->gpus;
}

/// Sections that the harness replaces whatever the recipe has there.
void adapt(StartingRecipe& start, const LaunchWords& launch) {
  std::string text(start.file->bytes());
  const auto data = told(launch, "--data", "", "mock");
  const auto domain = told(launch, "--domain", "", "llm");
  if (data == "mock" && domain == "llm") {
    text = with_mock_data(std::move(text), start.value("model.seq_length", "4096"));
  }
  const auto overlap = told(launch, "--moe_a2a_overlap", "", "false");
  if (overlap && text::lower(*overlap) == "true") {
    text =
        with_overlap(std::move(text), start.value("model.tensor_model_parallel_size", "1") != "1");
  }
  start.file = std::make_shared<const text::SourceFile>(start.file->name(), std::move(text));
  start.stream = yaml::parse(*start.file);
}

/// `-mr deepseek_v3`; before Bridge 0.3 `--model_name deepseek --model_size v3`.
std::optional<std::string> model_of(const LaunchWords& launch) {
  auto recipe = told(launch, "--model_recipe_name", "-mr", "");
  if (!recipe || !recipe->empty()) {
    return recipe;
  }
  const auto name = told(launch, "--model_name", "", "");
  const auto size = told(launch, "--model_size", "", "");
  return !name || !size || name->empty() || size->empty() ? recipe
                                                          : std::optional(*name + "_" + *size);
}

void select_for_harness(StartingRecipe& start,
                        const LaunchWords& launch,
                        std::string_view release) {
  const auto model = model_of(launch);
  const auto task = told(launch, "--task", "", "pretrain");
  const auto gpu = told(launch, "--gpu", "-g", "");
  const auto precision = told(launch, "--compute_dtype", "-c", "bf16");
  const auto variant = told(launch, "--config_variant", "-cv", "");
  const auto count = told(launch, "--num_gpus", "-ng", "");
  if (!model || !task || !gpu || !precision || !variant || model->empty() || gpu->empty()) {
    return;
  }
  start.gpu = *gpu;
  start.precision = *precision;
  HarnessSelection selection{*model, *task, *gpu, *precision, *variant, std::nullopt};
  if (count) {
    selection.gpus = shell::whole_number(*count);
    start.wanted_gpus = selection.gpus.value_or(0);
  }
  const NamedRecipe* found = harness_recipe(RecipeBook::embedded(), release, selection);
  if (found == nullptr) {
    start.asked = fmt::format("{}_{}_{}_{}", *model, *task, *gpu, *precision);
    return;
  }
  take_named(start, release, found->name);
  adapt(start, launch);
  start.flat = found->name.ends_with("_config");
  start.scaled = !start.flat || start.gpus != start.wanted_gpus;
}

}  // namespace

const yaml::Node* StartingRecipe::node_at(std::string_view path) const {
  const yaml::Node* node = stream.documents.empty() ? nullptr : &stream.documents.front().root;
  while (node != nullptr && !path.empty()) {
    const std::size_t dot = path.find('.');
    node = node->is_mapping() ? node->find(path.substr(0, dot)) : nullptr;
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return node;
}

std::string StartingRecipe::place_of(std::string_view path) const {
  constexpr std::string_view kModel = "model.";
  if (path.starts_with(kModel) && node_at(path) == nullptr) {
    std::string deeper = fmt::format("model.transformer.{}", path.substr(kModel.size()));
    if (node_at(deeper) != nullptr) {
      return deeper;
    }
  }
  return std::string(path);
}

std::string StartingRecipe::value(std::string_view path, std::string otherwise) const {
  const yaml::Node* node = node_at(place_of(path));
  if (node == nullptr) {
    return otherwise;
  }
  return node->is_null() ? "null" : node->scalar;
}

StartingRecipe starting_recipe(const LaunchWords& launch, std::string_view release) {
  StartingRecipe start;
  const shell::Field* recipe = option(launch, "--recipe");
  const shell::Field* model = option(launch, "--model_recipe_name", "-mr");
  if (model == nullptr && is_harness(launch)) {
    model = option(launch, "--model_size");  // of releases before 0.3
  }
  if (recipe != nullptr) {
    start.named = recipe;
    if (recipe->known()) {
      take_named(start, release, option_text(*recipe));
    }
    return start;
  }
  if (model != nullptr && is_harness(launch) && option(launch, "--use_recipes") == nullptr) {
    start.named = model;
    select_for_harness(start, launch, release);
    return start;
  }
  const shell::Field* stem = model != nullptr ? model : option(launch, "--model");
  const auto task =
      model != nullptr ? told(launch, "--task", "", "pretrain") : told(launch, "--mode", "", "");
  if (stem != nullptr && stem->known() && task && !task->empty()) {
    start.named = stem;
    const bool adapter = *task == "lora" || *task == "dora";
    take_named(
        start, release, fmt::format("{}_{}_config", option_text(*stem), adapter ? "peft" : *task));
  }
  return start;
}

}  // namespace epwise::recipe
