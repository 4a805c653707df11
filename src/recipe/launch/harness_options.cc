#include "recipe/launch/harness_options.h"

#include <string_view>
#include <utility>

#include "recipe/launch/assignments.h"
#include "recipe/launch/launch_options.h"
#include "units/version.h"

namespace epwise::recipe {

namespace {

struct Setting {
  std::string_view name;
  std::string_view short_name;
  std::string_view key;
};

/// Options that set one field to their value.
constexpr Setting kSettings[] = {
    {"--tensor_model_parallel_size", "-tp", "model.tensor_model_parallel_size"},
    {"--pipeline_model_parallel_size", "-pp", "model.pipeline_model_parallel_size"},
    {"--context_parallel_size", "-cp", "model.context_parallel_size"},
    {"--virtual_pipeline_model_parallel_size", "-vp", "model.virtual_pipeline_model_parallel_size"},
    {"--expert_model_parallel_size", "-ep", "model.expert_model_parallel_size"},
    {"--expert_tensor_parallel_size", "-et", "model.expert_tensor_parallel_size"},
    {"--pipeline_model_parallel_layout", "", "model.pipeline_model_parallel_layout"},
    {"--seq_length", "-sl", "model.seq_length"},
    {"--hidden_size", "", "model.hidden_size"},
    {"--num_layers", "", "model.num_layers"},
    {"--num_moe_experts", "", "model.num_moe_experts"},
    {"--cuda_graph_impl", "", "model.cuda_graph_impl"},
    {"--global_batch_size", "-gb", "train.global_batch_size"},
    {"--micro_batch_size", "-mb", "train.micro_batch_size"},
    {"--max_steps", "-ms", "train.train_iters"},
};

/// Fields that the harness works out from an option and the recipe that it starts from.
constexpr Setting kAsked[] = {
    {"--use_megatron_fsdp", "", "ddp.use_megatron_fsdp"},
    {"--nccl_ub", "", "ddp.nccl_ub"},
    {"--cuda_graph_impl", "", "rng.te_rng_tracker"},
    {"--cuda_graph_impl", "", "model.use_te_rng_tracker"},
    {"--cuda_graph_scope", "", "model.cuda_graph_scope"},
    {"--cuda_graph_scope", "", "model.cuda_graph_modules"},
    {"--recompute_num_layers", "-rl", "model.recompute_granularity"},
    {"--recompute_num_layers", "-rl", "model.recompute_method"},
    {"--recompute_num_layers", "-rl", "model.recompute_num_layers"},
    {"--recompute_modules", "", "model.recompute_granularity"},
    {"--recompute_modules", "", "model.recompute_modules"},
    {"--activation_offload_layers", "-ol", "model.cpu_offloading"},
    {"--activation_offload_layers", "-ol", "model.cpu_offloading_num_layers"},
    {"--moe_flex_dispatcher_backend", "", "model.moe_flex_dispatcher_backend"},
    {"--moe_flex_dispatcher_backend", "", "model.moe_token_dispatcher_type"},
    {"--use_tokendrop", "", "model.moe_expert_capacity_factor"},
    {"--use_tokendrop", "", "model.moe_pad_expert_input_to_capacity"},
    {"--use_tokendrop", "", "model.moe_router_force_load_balancing"},
    {"--num_layers", "", "model.moe_layer_freq"},
    {"--first_k_dense_replace", "", "model.moe_layer_freq"},
    {"--moe_a2a_overlap", "", "comm_overlap.tp_comm_overlap"},
};

/// What `--moe_a2a_overlap true` sets; false leaves the recipe as it is.
constexpr std::pair<std::string_view, std::string_view> kOverlap[] = {
    {"comm_overlap.overlap_moe_expert_parallel_comm", "true"},
    {"comm_overlap.delay_wgrad_compute", "true"},
    {"model.moe_shared_expert_overlap", "false"},
};

Word override_of(const shell::Field& value, std::string_view key, std::string_view text) {
  Word word = word_of(value);
  word.text = std::string(key) + '=' + std::string(text);
  return word;
}

void add(HarnessOptions& options, Word word) {
  (word.known() ? options.overrides : options.left_open).push_back(std::move(word));
}

bool is_true(std::string_view text) {
  return text == "true" || text == "True" || text == "1" || text == "yes";
}

/// Every value of an option that may be repeated, in the order of the words.
std::vector<std::pair<const shell::Field*, std::size_t>> values_of(const LaunchWords& launch,
                                                                   std::string_view name,
                                                                   std::string_view short_name) {
  std::vector<std::pair<const shell::Field*, std::size_t>> values;
  const std::vector<shell::Field>& words = launch.arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string text = words[i].text();
    if ((text == name || text == short_name) && i + 1 < words.size()) {
      values.emplace_back(&words[++i], 0);
    } else if (text.starts_with(std::string(name) + '=')) {
      values.emplace_back(&words[i], name.size() + 1);
    } else if (!short_name.empty() && text.starts_with(short_name)) {
      values.emplace_back(&words[i], short_name.size());  // -EK=V
    }
  }
  return values;
}

}  // namespace

HarnessEnvironment harness_environment(const LaunchWords& launch, std::string_view version) {
  HarnessEnvironment environment;
  if (program_name(launch.program) != "setup_experiment.py") {
    return environment;
  }
  for (const auto& [word, begin] : values_of(launch, "--custom_env_vars", "")) {
    add_variable_list(*word, begin, environment.variables);
  }
  for (const auto& [word, begin] : values_of(launch, "--env", "-E")) {
    add_variable(*word, begin, environment.variables);
  }
  // Before 0.6.0 the harness writes this one after it has taken the user's.
  const auto parsed = units::Version::parse(version);
  if (parsed && *parsed < *units::Version::parse("0.6.0")) {
    environment.computed.emplace_back("CUDA_DEVICE_MAX_CONNECTIONS");
  }
  return environment;
}

HarnessOptions harness_options(const LaunchWords& launch) {
  HarnessOptions options;
  for (const Setting& setting : kSettings) {
    const shell::Field* value = option(launch, setting.name, setting.short_name);
    if (value == nullptr) {
      continue;
    }
    const std::string text = option_text(*value);
    add(options, override_of(*value, setting.key, text));
    if (setting.key == "model.tensor_model_parallel_size") {
      add(options, override_of(*value, "model.sequence_parallel", text == "1" ? "false" : "true"));
    }
  }
  const shell::Field* overlap = option(launch, "--moe_a2a_overlap");
  if (overlap != nullptr && (!overlap->known() || is_true(option_text(*overlap)))) {
    for (const auto& [key, text] : kOverlap) {
      add(options, override_of(*overlap, key, text));
    }
  }
  for (const Setting& setting : kAsked) {
    if (option(launch, setting.name, setting.short_name) != nullptr) {
      options.ask.emplace_back(setting.key);
    }
  }
  return options;
}

}  // namespace epwise::recipe
