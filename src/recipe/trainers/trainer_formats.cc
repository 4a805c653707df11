#include "recipe/trainers/trainer_formats.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/units/checked.h"
#include "recipe/trainers/trainer_facts.h"

namespace epwise::recipe {

const TrainerFormat* trainer_format(const yaml::Node& root) {
  if (!root.is_mapping() || root.find("_target_") != nullptr) {
    return nullptr;
  }
  for (const TrainerFormat* format : {&kVerl, &kRoll, &kNemoRl, &kNemo, &kSwift}) {
    if (format->fits(root)) {
      return format;
    }
  }
  return nullptr;
}

const yaml::Node* mapping_at(const yaml::Node& root, std::string_view key) {
  const yaml::Node* found = root.find(key);
  return found != nullptr && found->is_mapping() ? found : nullptr;
}

namespace {

/// Parallel sizes next to the Lightning trainer; scripts that only load a model have no batch.
bool is_nemo_config(const yaml::Node& root) {
  const yaml::Node* model = mapping_at(root, "model");
  const yaml::Node* trainer = mapping_at(root, "trainer");
  constexpr std::array<std::string_view, 2> kSizes = {"tensor_model_parallel_size",
                                                      "pipeline_model_parallel_size"};
  const auto has = [](const yaml::Node& node, std::string_view key) {
    return node.find(key) != nullptr;
  };
  return model != nullptr && trainer != nullptr && has(*trainer, "devices") &&
         has(*model, "micro_batch_size") &&
         std::ranges::all_of(kSizes, [&](std::string_view key) { return has(*model, key); });
}

std::vector<TrainerRole> nemo_roles(const ConfigNode& /*root*/) {
  return {{"", "model", ""}};
}

void complete_nemo(Recipe& recipe, const ConfigNode& root, const TrainerRole& /*role*/) {
  const auto devices = number_at(root, "trainer.devices");
  const auto nodes = number_at(root, "trainer.num_nodes");
  const bool said = node_at(root, "trainer.num_nodes") != nullptr;
  if (devices && (nodes || !said)) {
    set_world(recipe, {nodes.value_or(1), *devices, node_at(root, "trainer.devices")->mark});
  }
}

/// The section also holds the size of the model.
std::vector<std::string> nemo_models(const TrainerRole& /*role*/) {
  return {};
}

}  // namespace

const TrainerFormat kNemo = {"nemo", is_nemo_config, nemo_roles, complete_nemo, nemo_models};

namespace {

constexpr std::string_view kSection = "megatron_cfg";

bool is_off(const yaml::Node& megatron) {
  const yaml::Node* enabled = megatron.find("enabled");
  return enabled != nullptr && (enabled->scalar == "false" || enabled->scalar == "False");
}

bool is_nemo_rl_config(const yaml::Node& root) {
  return std::ranges::any_of(root.entries, [](const yaml::Entry& entry) {
    const yaml::Node* megatron = mapping_at(entry.value, kSection);
    return megatron != nullptr && !is_off(*megatron);
  });
}

std::vector<TrainerRole> nemo_rl_roles(const ConfigNode& root) {
  std::vector<TrainerRole> all;
  for (const ConfigNode& child : root.children) {
    const ConfigNode* megatron = child.find(kSection);
    const ConfigNode* enabled = megatron == nullptr ? nullptr : megatron->find("enabled");
    const bool off = enabled != nullptr && enabled->value.is_known() && !enabled->value.truthy();
    if (megatron != nullptr && megatron->is_mapping() && !off) {
      all.push_back({child.name, child.name + "." + std::string(kSection), ""});
    }
  }
  // policy trains in every algorithm; others are optional.
  std::ranges::stable_sort(all, {}, [](const TrainerRole& role) { return role.name != "policy"; });
  return all;
}

/// Recompute only applies if activation_checkpointing is on, and full recompute always covers every
/// layer. An unknown switch leaves it unknown.
void complete_recomputation(Recipe& recipe, const ConfigNode& root, const TrainerRole& role) {
  using expr::Value;
  constexpr std::array<const char*, 3> kFields = {
      "model.recompute_method", "model.recompute_num_layers", "model.recompute_granularity"};
  const ConfigNode* node = node_at(root, role.path + ".activation_checkpointing");
  if (node == nullptr || node->value.is_unknown()) {
    for (const char* field : kFields) {
      set_default(recipe, field, Value::unknown({role.path + ".activation_checkpointing"}));
    }
  } else if (!node->value.truthy()) {
    for (const char* field : kFields) {
      set_default(recipe, field, Value::unset());
    }
  } else {
    const Field* granularity = recipe.find(kFields[2]);
    const std::string* text = granularity == nullptr ? nullptr : granularity->value.text();
    if (text != nullptr && *text == "full") {
      set_default(recipe, kFields[0], Value::of("uniform"));
      set_default(recipe, kFields[1], Value::of(1));
    }
  }
}

/// The environment of the workers' processes: megatron_cfg.env_vars.
void read_variables(Recipe& recipe, const ConfigNode& root, const TrainerRole& role) {
  const ConfigNode* variables = node_at(root, role.path + ".env_vars");
  if (variables == nullptr) {
    return;
  }
  for (const ConfigNode& each : variables->children) {
    const bool known = each.value.is_known() && !each.value.is_unset();
    Variable variable;
    variable.value = known ? expr::Value::of(each.value.to_text()) : each.value;
    variable.key = each.key;
    variable.mark = each.mark;
    recipe.variables.insert_or_assign(each.name, std::move(variable));
  }
}

/// Ranks reserved for generation: whole nodes, or some GPUs of each.
void count_ranks(Recipe& recipe, const ConfigNode& root) {
  const auto nodes = number_at(root, "cluster.num_nodes");
  const auto gpus = number_at(root, "cluster.gpus_per_node");
  if (!nodes || !gpus) {
    return;
  }
  const text::Mark mark = node_at(root, "cluster.num_nodes")->mark;
  const std::string colocated = "policy.generation.colocated";
  const ConfigNode* enabled = node_at(root, colocated + ".enabled");
  if (enabled == nullptr || (enabled->value.is_known() && enabled->value.truthy())) {
    set_world(recipe, {*nodes, *gpus, mark});
    return;
  }
  const auto other_nodes = number_at(root, colocated + ".resources.num_nodes");
  const auto other_gpus = number_at(root, colocated + ".resources.gpus_per_node");
  if (enabled->value.is_unknown() || (!other_nodes && !other_gpus)) {
    return;
  }
  if (node_at(root, "env.nemo_gym") != nullptr) {
    return;  // its servers take nodes of the cluster too
  }
  const bool whole = *nodes > 1 && other_nodes.has_value();
  if (!whole && !other_gpus) {
    return;
  }
  const auto left =
      whole ? units::difference(*nodes, *other_nodes) : units::difference(*gpus, *other_gpus);
  if (left) {
    set_world(recipe, {whole ? *left : *nodes, whole ? *gpus : *left, mark});
  } else {
    report_too_many_ranks(recipe,
                          whole ? fmt::format("{} - {} nodes", *nodes, *other_nodes)
                                : fmt::format("{} - {} GPUs", *gpus, *other_gpus),
                          mark);
  }
}

/// Adapters of a rank next to frozen weights: fewer parameters are trained than the model has.
void note_adapters(Recipe& recipe, const ConfigNode& place, std::int64_t rank) {
  recipe.sections["peft"] = place.key;
  set_default(recipe, "peft.dim", expr::Value::of(rank));
}

/// Without a list of layers at a path, adapters go to the experts too.
void note_adapted_layers(Recipe& recipe, const ConfigNode& root, std::string_view path) {
  if (recipe.sections.contains("peft") && node_at(root, path) == nullptr) {
    set_default(recipe, "peft.target_modules", expr::Value::unset());
  }
}

/// A rank above 0 at a path switches adapters on.
void note_adapter_rank(Recipe& recipe, const ConfigNode& root, std::string_view path) {
  const ConfigNode* rank = node_at(root, path);
  const std::int64_t* number = rank == nullptr ? nullptr : rank->value.integer();
  if (number != nullptr && *number > 0) {
    note_adapters(recipe, *rank, *number);
  }
}

void complete_nemo_rl(Recipe& recipe, const ConfigNode& root, const TrainerRole& role) {
  complete_recomputation(recipe, root, role);
  const ConfigNode* adapters = node_at(root, role.path + ".peft.enabled");
  if (adapters != nullptr && adapters->value.truthy()) {
    constexpr std::int64_t kUsualRank = 32;
    note_adapters(recipe, *adapters, number_at(root, role.path + ".peft.dim").value_or(kUsualRank));
    note_adapted_layers(recipe, root, role.path + ".peft.target_modules");
  }
  const ConfigNode* eight_bit = node_at(root, role.path + ".fp8_cfg.enabled");
  const bool off =
      eight_bit != nullptr && eight_bit->value.is_known() && !eight_bit->value.truthy();
  if (off) {
    set_default(recipe, "model.fp8", expr::Value::unset());
  }
  read_variables(recipe, root, role);
  count_ranks(recipe, root);
}

std::vector<std::string> nemo_rl_models(const TrainerRole& role) {
  return {role.name + ".model_name"};
}

}  // namespace

const TrainerFormat kNemoRl = {
    "nemo_rl", is_nemo_rl_config, nemo_rl_roles, complete_nemo_rl, nemo_rl_models};

namespace {

constexpr std::string_view kStrategy = "megatron_train";

bool is_trained(const yaml::Node& role) {
  const yaml::Node* strategy = mapping_at(role, "strategy_args");
  const yaml::Node* name = strategy == nullptr ? nullptr : strategy->find("strategy_name");
  return name != nullptr && name->is_scalar() && name->scalar == kStrategy;
}

bool is_roll_config(const yaml::Node& root) {
  return std::ranges::any_of(root.entries,
                             [](const yaml::Entry& entry) { return is_trained(entry.value); });
}

std::vector<TrainerRole> roll_roles(const ConfigNode& root) {
  std::vector<TrainerRole> all;
  for (const ConfigNode& child : root.children) {
    const ConfigNode* name = node_at(child, "strategy_args.strategy_name");
    if (name != nullptr && name->value.to_text() == kStrategy) {
      all.push_back({child.name, child.name + ".strategy_args.strategy_config", ""});
    }
  }
  return all;
}

std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view prefix, std::string_view& text) {
  const bool there = text.starts_with(prefix);
  text.remove_prefix(there ? prefix.size() : 0);
  return there;
}

/// "range(0,8)" → 8; with a step too.
std::optional<std::int64_t> range_length(std::string_view text) {
  std::vector<std::int64_t> numbers;
  do {
    const auto number = take_number(text);
    if (!number || numbers.size() == 3) {
      return std::nullopt;
    }
    numbers.push_back(*number);
  } while (take(",", text));
  if (!take(")", text) || !text.empty()) {
    return std::nullopt;
  }
  const std::int64_t first = numbers.size() > 1 ? numbers[0] : 0;
  const std::int64_t last = numbers.size() > 1 ? numbers[1] : numbers[0];
  const std::int64_t step = numbers.size() > 2 ? numbers[2] : 1;
  constexpr std::int64_t kMost = 1 << 24;
  if (step < 1 || first < 0 || last < first || last > kMost) {
    return std::nullopt;
  }
  return (last - first + step - 1) / step;
}

std::optional<std::int64_t> list_length(std::string_view text) {
  std::int64_t count = 0;
  do {
    if (!take_number(text)) {
      return std::nullopt;
    }
    ++count;
  } while (take(",", text));
  return take("]", text) && text.empty() ? std::optional<std::int64_t>(count) : std::nullopt;
}

/// The number of devices in a mapping: "list(range(0, 8))", "[0, 1]", a YAML list.
std::optional<std::int64_t> device_count(const ConfigNode& node) {
  if (node.is_list()) {
    return static_cast<std::int64_t>(node.children.size());
  }
  const std::string* written = node.value.text();
  if (written == nullptr) {
    return std::nullopt;
  }
  std::string dense = *written;
  std::erase_if(dense, [](char c) { return c == ' ' || c == '\t' || c == '\n'; });
  std::string_view text = dense;
  if (take("list(", text)) {
    if (!text.ends_with(')')) {
      return std::nullopt;
    }
    text.remove_suffix(1);
  }
  if (take("range(", text)) {
    return range_length(text);
  }
  return take("[", text) ? list_length(text) : std::nullopt;
}

const expr::Value* field_value(const Recipe& recipe, std::string_view name) {
  const Field* field = recipe.find(name);
  return field == nullptr ? nullptr : &field->value;
}

bool is_above_one(const Recipe& recipe, std::string_view name) {
  const expr::Value* value = field_value(recipe, name);
  return value != nullptr && value->integer() != nullptr && *value->integer() > 1;
}

bool is_unset(const Recipe& recipe, std::string_view name) {
  const expr::Value* value = field_value(recipe, name);
  return value != nullptr && value->is_unset();
}

/// "moe_act,layernorm" → [moe_act, layernorm]
void split_modules(Recipe& recipe) {
  const auto modules = recipe.fields.find("model.recompute_modules");
  const std::string* text = modules == recipe.fields.end() ? nullptr : modules->second.value.text();
  if (text == nullptr) {
    return;
  }
  expr::Value::List list;
  std::string_view rest = *text;
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = rest.find(',');
    list.push_back(expr::Value::of(std::string(rest.substr(0, comma))));
    rest.remove_prefix(std::min(comma, rest.size() - 1) + 1);
  }
  modules->second.value = expr::Value::of(std::move(list));
}

/// Values that its configuration class completes before Megatron's class sees them.
void complete_model(Recipe& recipe) {
  const expr::Value* granularity = field_value(recipe, "model.recompute_granularity");
  if (granularity != nullptr && granularity->text() != nullptr && *granularity->text() == "full" &&
      is_unset(recipe, "model.recompute_method") &&
      is_unset(recipe, "model.recompute_num_layers")) {
    set_default(recipe, "model.recompute_method", expr::Value::of("uniform"));
    set_default(recipe, "model.recompute_num_layers", expr::Value::of(1));
  }
  const expr::Value* parallel = field_value(recipe, "model.sequence_parallel");
  const bool off = parallel != nullptr && parallel->is_known() && !parallel->truthy();
  if (off && is_above_one(recipe, "model.tensor_model_parallel_size") &&
      is_above_one(recipe, "model.expert_model_parallel_size")) {
    set_default(recipe, "model.sequence_parallel", expr::Value::of(true));
  }
  const expr::Value* lengths = field_value(recipe, "model.variable_seq_lengths");
  const expr::Value* dispatcher = field_value(recipe, "model.moe_token_dispatcher_type");
  if (lengths != nullptr && lengths->truthy() && dispatcher != nullptr &&
      dispatcher->text() != nullptr && *dispatcher->text() == "allgather") {
    set_default(recipe, "model.moe_token_dispatcher_type", expr::Value::of("alltoall"));
  }
  split_modules(recipe);
}

/// A number, or what the trainer takes where it is not written; nullopt if it is unknown or unset.
std::optional<std::int64_t> number_or(const ConfigNode& root,
                                      std::string_view path,
                                      std::optional<std::int64_t> otherwise) {
  return node_at(root, path) == nullptr ? otherwise : number_at(root, path);
}

/// Whether a switch is on; nullopt if only the launch decides it.
std::optional<bool> switch_at(const ConfigNode& root, const std::string& path) {
  const ConfigNode* node = node_at(root, path);
  if (node == nullptr) {
    return false;
  }
  return node->value.is_known() ? std::optional(node->value.truthy()) : std::nullopt;
}

/// Samples are padded to sequence_length, which is prompt_length + response_length unless written
/// (roll/configs/base_config.py).
std::optional<std::int64_t> roll_sample(const ConfigNode& root) {
  constexpr std::int64_t kUsualPrompt = 1024;
  if (node_at(root, "sequence_length") != nullptr) {
    return number_at(root, "sequence_length");
  }
  const auto prompt = number_or(root, "prompt_length", kUsualPrompt);
  const auto response = number_at(root, "response_length");
  return prompt && response ? units::sum(*prompt, *response) : std::nullopt;
}

/// The samples of a micro-batch: per_device_train_batch_size, twice as many where DPO pairs them
/// (roll/pipeline/dpo/dpo_config.py, the only configuration with these keys).
std::optional<std::int64_t> roll_micro_batch(const ConfigNode& root, const std::string& role) {
  constexpr std::int64_t kUsualSamples = 8;
  constexpr std::array<std::string_view, 4> kOfPairs = {
      "chosen_key", "rejected_key", "beta", "ipo"};
  const auto samples =
      number_or(root, role + ".training_args.per_device_train_batch_size", kUsualSamples);
  const bool pairs = std::ranges::any_of(
      kOfPairs, [&root](std::string_view key) { return root.find(key) != nullptr; });
  return samples && pairs ? units::product(*samples, 2) : samples;
}

/// The tokens with which a role fills micro-batches; 0 if it does not, nullopt if they are unknown
/// (roll/configs/worker_config.py, roll/utils/dynamic_batching.py).
struct RollFill {
  std::optional<std::int64_t> tokens;
  bool dynamic = false;  // gradient_accumulation_steps counts filled micro-batches
};

RollFill roll_fill(const ConfigNode& root, const std::string& role) {
  const auto dynamic = switch_at(root, role + ".use_dynamic_batching_in_train");
  if (dynamic && *dynamic) {
    return {number_at(root, role + ".max_tokens_per_microbatch_in_train"), true};
  }
  const auto packs = switch_at(root, role + ".use_sequence_packing");
  if (!dynamic || !packs) {
    return {};
  }
  const ConfigNode* algorithm = node_at(root, role + ".sequence_packing_args.algorithm");
  const bool balances = algorithm != nullptr && algorithm->value.to_text() == "load_balance";
  if (!*packs || !balances) {
    return {0, false};
  }
  return {number_at(root, role + ".sequence_packing_args.max_packed_sequence_length_train"), false};
}

/// A step of the optimizer takes gradient_accumulation_steps micro-batches of every data-parallel rank
/// (roll/pipeline/base_worker.py, roll/distributed/strategy/megatron_strategy.py).
void note_roll_step(Recipe& recipe, const ConfigNode& root, const TrainerRole& role) {
  const auto sample = roll_sample(root);
  const auto samples = roll_micro_batch(root, role.name);
  const RollFill fill = roll_fill(root, role.name);
  if (!sample || *sample < 1 || !samples || !fill.tokens) {
    return;
  }
  std::int64_t together = *samples;
  if (*fill.tokens > 0) {
    together = std::max<std::int64_t>(1, *fill.tokens / *sample);
    note_longest_step(recipe, {std::max(*fill.tokens, *sample), 1});
  } else {
    note_longest_step(recipe, {*sample, *samples});
  }
  const auto steps = number_or(root, role.name + ".training_args.gradient_accumulation_steps", 1);
  const auto own =
      steps ? units::product(fill.dynamic ? together : *samples, *steps) : std::nullopt;
  if (own) {
    note_training_step(recipe, {*sample, together, *own, true});
  }
}

void complete_roll(Recipe& recipe, const ConfigNode& root, const TrainerRole& role) {
  complete_model(recipe);
  const ConfigNode* mapping = node_at(root, role.name + ".device_mapping");
  const auto count = mapping == nullptr ? std::nullopt : device_count(*mapping);
  note_roll_step(recipe, root, role);
  if (count) {
    set_world(recipe, {1, *count, mapping->mark});
  }
}

/// Distillation has a model for each role: student_pretrain (roll/pipeline/distill/distill_config.py).
std::vector<std::string> roll_models(const TrainerRole& role) {
  return {role.name + ".model_args.model_name_or_path", role.name + "_pretrain", "pretrain"};
}

}  // namespace

const TrainerFormat kRoll = {"roll", is_roll_config, roll_roles, complete_roll, roll_models};

namespace {

/// Keys that no flat file of another program has.
bool is_parallel_size(std::string_view key) {
  return key.ends_with("_model_parallel_size") || key == "context_parallel_size";
}

/// Keys that ms-swift's training needs besides the sizes.
bool is_training_key(std::string_view key) {
  constexpr std::array<std::string_view, 12> kKeys = {"model",
                                                      "load",
                                                      "mcore_model",
                                                      "dataset",
                                                      "cached_dataset",
                                                      "tuner_type",
                                                      "train_type",
                                                      "rlhf_type",
                                                      "output_dir",
                                                      "save",
                                                      "global_batch_size",
                                                      "micro_batch_size"};
  return std::ranges::find(kKeys, key) != kKeys.end();
}

bool is_swift_config(const yaml::Node& root) {
  const bool flat = std::ranges::all_of(root.entries, [](const yaml::Entry& entry) {
    return !entry.value.is_mapping() || entry.key == "ENV" || entry.key.ends_with("_kwargs");
  });
  const auto count = [&root](bool (*is)(std::string_view)) {
    return std::ranges::count_if(root.entries,
                                 [is](const yaml::Entry& entry) { return is(entry.key); });
  };
  return flat && count(is_parallel_size) > 0 && count(is_training_key) > 1;
}

std::vector<TrainerRole> swift_roles(const ConfigNode& /*root*/) {
  return {{"", "", ""}};
}

const expr::Value* variable(const Recipe& recipe, std::string_view name) {
  const auto found = recipe.variables.find(name);
  return found == recipe.variables.end() ? nullptr : &found->second.value;
}

std::optional<std::int64_t> digits_count(const expr::Value& value) {
  const std::string* text = value.text();
  const bool digits = text != nullptr && !text->empty() && text->size() < 8 &&
                      std::ranges::all_of(*text, [](char c) { return c >= '0' && c <= '9'; });
  return digits ? std::optional<std::int64_t>(std::stoll(*text)) : std::nullopt;
}

/// tuner_type, or train_type of older releases: lora.
void note_swift_adapters(Recipe& recipe, const ConfigNode& root) {
  constexpr std::int64_t kUsualRank = 8;
  for (const std::string_view key : {"tuner_type", "train_type"}) {
    const ConfigNode* kind = root.find(key);
    const std::string* text = kind == nullptr ? nullptr : kind->value.text();
    if (text != nullptr && text->find("lora") != std::string::npos) {
      note_adapters(recipe, *kind, number_at(root, "lora_rank").value_or(kUsualRank));
    }
  }
}

/// Where the model writes completions, max_length limits the prompt (ms-swift's documentation of the
/// flag), and max_completion_length or one of its older names the rest (swift/arguments/rlhf_args.py).
void note_swift_step(Recipe& recipe, const ConfigNode& root) {
  constexpr std::int64_t kUsualCompletion = 512;
  constexpr std::int64_t kUsualBatch = 16;
  const ConfigNode* kind = root.find("rlhf_type");
  const std::string* name = kind == nullptr ? nullptr : kind->value.text();
  if (name != nullptr && (*name == "dpo" || *name == "kto") &&
      !recipe.sections.contains("peft")) {  // adapters switched off are the reference
    recipe.raw["raw.reference_for"] = expr::Value::of(*name == "dpo" ? "DPO" : "KTO");
  }
  if (name == nullptr || (*name != "grpo" && *name != "gkd")) {
    return;
  }
  std::optional<std::int64_t> completion = kUsualCompletion;
  for (const char* key : {"max_completion_length", "max_new_tokens", "response_length"}) {
    completion = number_or(root, key, completion);
  }
  const auto prompt = number_at(root, "max_length");
  const auto sample = prompt && completion ? units::sum(*prompt, *completion) : std::nullopt;
  const auto samples = number_or(root, "micro_batch_size", 1);
  const auto batch = number_or(root, "global_batch_size", kUsualBatch);
  if (sample && samples && batch) {
    note_longest_step(recipe, {*sample, *samples});
    note_training_step(recipe, {*sample, *samples, *batch});
  }
}

/// `ENV:` of the file; NPROC_PER_NODE and NNODES make torchrun's command line.
void complete_swift(Recipe& recipe, const ConfigNode& root, const TrainerRole& /*role*/) {
  if (const ConfigNode* variables = root.find("ENV")) {
    for (const ConfigNode& each : variables->children) {
      const bool known = each.value.is_known() && !each.value.is_unset();
      recipe.variables.insert_or_assign(
          each.name,
          Variable{
              known ? expr::Value::of(each.value.to_text()) : each.value, each.key, each.mark});
    }
  }
  note_swift_adapters(recipe, root);
  note_swift_step(recipe, root);
  const expr::Value* ranks = variable(recipe, "NPROC_PER_NODE");
  const expr::Value* nodes = variable(recipe, "NNODES");
  const auto per_node = ranks == nullptr ? std::nullopt : digits_count(*ranks);
  const auto count = nodes == nullptr ? std::optional<std::int64_t>(1) : digits_count(*nodes);
  if (per_node && count) {
    set_world(recipe, {*count, *per_node, recipe.variables.find("NPROC_PER_NODE")->second.mark});
  }
}

std::vector<std::string> swift_models(const TrainerRole& /*role*/) {
  return {"model", "load"};
}

}  // namespace

const TrainerFormat kSwift = {"swift", is_swift_config, swift_roles, complete_swift, swift_models};

namespace {

constexpr std::string_view kActor = "actor_rollout_ref.actor.megatron";

bool names_megatron(const yaml::Node& node) {
  return node.is_scalar() && node.scalar.find("megatron") != std::string::npos;
}

/// Whether a role runs on Megatron, or may: strategies can also be selected in a file of defaults.
bool is_megatron_role(const yaml::Node& role) {
  const yaml::Node* strategy = role.find("strategy");
  return mapping_at(role, "megatron") != nullptr ||
         (strategy != nullptr && names_megatron(*strategy));
}

bool inherits_megatron(const yaml::Node& root) {
  const yaml::Node* defaults = root.find("defaults");
  return defaults != nullptr && std::ranges::any_of(defaults->items, [](const yaml::Node& item) {
           return names_megatron(item) ||
                  std::ranges::any_of(item.entries, [](const yaml::Entry& entry) {
                    return names_megatron(entry.value);
                  });
         });
}

bool is_verl_config(const yaml::Node& root) {
  const yaml::Node* all = mapping_at(root, "actor_rollout_ref");
  const yaml::Node* critic = mapping_at(root, "critic");
  if (all == nullptr) {
    return critic != nullptr && mapping_at(*critic, "megatron") != nullptr;
  }
  const yaml::Node* actor = mapping_at(*all, "actor");
  const yaml::Node* strategy = actor == nullptr ? nullptr : actor->find("strategy");
  if (strategy != nullptr && strategy->is_scalar() && !strategy->scalar.starts_with("${")) {
    return names_megatron(*strategy);
  }
  return (actor != nullptr && is_megatron_role(*actor)) || inherits_megatron(root);
}

constexpr std::string_view kTuned = "engine";  // verl.trainer.sft_trainer

std::vector<TrainerRole> verl_roles(const ConfigNode& root) {
  if (root.find(kTuned) != nullptr && root.find("actor_rollout_ref") == nullptr) {
    return {{"", std::string(kTuned), ""}};
  }
  std::vector<TrainerRole> all = {{"actor", std::string(kActor), ""}};
  const std::array<TrainerRole, 2> others = {
      TrainerRole{"ref", "actor_rollout_ref.ref.megatron", std::string(kActor)},
      TrainerRole{"critic", "critic.megatron", ""}};
  const Trainer trainer = load_trainer(kVerl.trainer);
  std::ranges::copy_if(others, std::back_inserter(all), [&](const TrainerRole& role) {
    return count_settings(root, role, trainer) > 0;
  });
  return all;
}

/// A role trains on prompts and responses of the longest kind, or on as many of them as fill
/// ppo_max_token_len_per_gpu (verl/trainer/config/ppo_megatron_trainer.yaml, data/legacy_data.yaml).
/// A step of its optimizer takes a mini-batch of prompts, each with rollout.n responses.
void note_verl_step(Recipe& recipe, const ConfigNode& root, const std::string& role) {
  constexpr std::int64_t kUsualLength = 512;
  constexpr std::int64_t kUsualTokens = 16384;
  constexpr std::int64_t kUsualPrompts = 256;
  const auto prompt = number_or(root, "data.max_prompt_length", kUsualLength);
  const auto response = number_or(root, "data.max_response_length", kUsualLength);
  const auto sample = prompt && response ? units::sum(*prompt, *response) : std::nullopt;
  const std::string actors = "actor_rollout_ref.actor.ppo_mini_batch_size";
  const auto prompts =
      number_or(root, role + ".ppo_mini_batch_size", number_or(root, actors, kUsualPrompts));
  const auto each = number_or(root, "actor_rollout_ref.rollout.n", 1);
  const auto batch = prompts && each ? units::product(*prompts, *each) : std::nullopt;
  const ConfigNode* packs = node_at(root, role + ".use_dynamic_bsz");
  auto samples = number_at(root, role + ".ppo_micro_batch_size_per_gpu");
  if (packs != nullptr && packs->value.is_known() && packs->value.truthy()) {
    forget_setting(recipe, "train.micro_batch_size");
    const auto tokens = number_or(root, role + ".ppo_max_token_len_per_gpu", kUsualTokens);
    const auto ranks = number_or(root, role + ".megatron.context_parallel_size", 1);
    const auto most = tokens && ranks ? units::product(*tokens, *ranks) : std::nullopt;
    if (!most) {
      return;
    }
    note_longest_step(recipe, {std::max(*most, sample.value_or(0)), 1});
    samples = sample && *sample > 0 ? std::optional(std::max<std::int64_t>(1, *most / *sample))
                                    : std::nullopt;
  } else if (sample && samples) {
    note_longest_step(recipe, {*sample, *samples});
  }
  if (sample && samples && batch) {
    note_training_step(recipe, {*sample, *samples, *batch});
  }
}

/// Fine-tuning packs samples into max_token_len_per_gpu unless use_dynamic_bsz is off
/// (verl/trainer/config/sft_trainer_engine.yaml).
void note_verl_tuning(Recipe& recipe, const ConfigNode& root) {
  constexpr std::int64_t kUsualLength = 1024;
  constexpr std::int64_t kUsualTokens = 8192;
  constexpr std::int64_t kUsualSamples = 4;
  constexpr std::int64_t kUsualBatch = 256;
  const auto sample = number_or(root, "data.max_length", kUsualLength);
  const auto batch = number_or(root, "data.train_batch_size", kUsualBatch);
  auto samples = number_or(root, "data.micro_batch_size_per_gpu", kUsualSamples);
  const ConfigNode* packs = node_at(root, "data.use_dynamic_bsz");
  if (packs == nullptr || (packs->value.is_known() && packs->value.truthy())) {
    const auto tokens = number_or(root, "data.max_token_len_per_gpu", kUsualTokens);
    const auto ranks = number_or(root, "engine.context_parallel_size", 1);
    const auto most = tokens && ranks ? units::product(*tokens, *ranks) : std::nullopt;
    if (!most || !sample || *sample < 1) {
      return;
    }
    note_longest_step(recipe, {std::max(*most, *sample), 1});
    samples = std::max<std::int64_t>(1, *most / *sample);
  } else if (!packs->value.is_known()) {
    return;
  } else if (sample && samples) {
    note_longest_step(recipe, {*sample, *samples});
  }
  if (sample && samples && batch) {
    note_training_step(recipe, {*sample, *samples, *batch});
  }
}

/// torchrun says how many ranks there are; with Ray, trainer.nnodes and trainer.n_gpus_per_node do.
void complete_verl_tuning(Recipe& recipe, const ConfigNode& root) {
  note_verl_tuning(recipe, root);
  note_adapter_rank(recipe, root, "model.lora.rank");
  note_adapter_rank(recipe, root, "model.lora_rank");
  note_adapted_layers(recipe, root, "model.lora.target_modules");
  const auto nodes = number_at(root, "trainer.nnodes");
  const auto gpus = number_at(root, "trainer.n_gpus_per_node");
  if (!recipe.raw.contains("raw.gpus") && gpus) {
    set_world(recipe, {nodes.value_or(1), *gpus, node_at(root, "trainer.n_gpus_per_node")->mark});
  }
}

void complete_verl(Recipe& recipe, const ConfigNode& root, const TrainerRole& role) {
  constexpr std::int64_t kGpusPerNode = 8;
  if (role.path == kTuned) {
    complete_verl_tuning(recipe, root);
    return;
  }
  if (role.name != "ref") {
    note_verl_step(recipe, root, role.name == "critic" ? "critic" : "actor_rollout_ref.actor");
  }
  note_adapter_rank(recipe, root, "actor_rollout_ref.model.lora.rank");
  note_adapter_rank(recipe, root, "actor_rollout_ref.model.lora_rank");
  note_adapted_layers(recipe, root, "actor_rollout_ref.model.lora.target_modules");
  const ConfigNode* nodes = node_at(root, "trainer.nnodes");
  const ConfigNode* gpus = node_at(root, "trainer.n_gpus_per_node");
  const auto count = [](const ConfigNode* node, std::int64_t otherwise) {
    const std::int64_t* number = node == nullptr ? &otherwise : node->value.integer();
    return number == nullptr ? std::int64_t{0} : *number;
  };
  const ConfigNode* written = gpus != nullptr ? gpus : nodes;
  set_world(recipe,
            {count(nodes, 1),
             count(gpus, kGpusPerNode),
             written == nullptr ? text::Mark() : written->mark});
}

std::vector<std::string> verl_models(const TrainerRole& role) {
  if (role.path == kTuned) {
    return {"model.path"};
  }
  return {role.path.starts_with("critic.") ? "critic.model.path" : "actor_rollout_ref.model.path"};
}

}  // namespace

const TrainerFormat kVerl = {"verl", is_verl_config, verl_roles, complete_verl, verl_models};

}  // namespace epwise::recipe
