#include "recipe/launch/harness_options.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text/ascii.h"
#include "base/units/version.h"
#include "recipe/shell/arithmetic.h"

namespace epwise::recipe {

namespace {

/// The programs of Bridge's performance harness, with their own options. bootstrap.py sets the recipe's
/// variables and starts run_script.py with the same words.
constexpr std::array<std::string_view, 3> kHarness = {
    "run_script.py", "setup_experiment.py", "bootstrap.py"};

struct Setting {
  std::string_view name;
  std::string_view short_name;
  std::string_view key;
};

constexpr std::string_view kVirtualStages = "model.virtual_pipeline_model_parallel_size";

/// Options that set one field to their value.
constexpr Setting kSettings[] = {
    {"--tensor_model_parallel_size", "-tp", "model.tensor_model_parallel_size"},
    {"--pipeline_model_parallel_size", "-pp", "model.pipeline_model_parallel_size"},
    {"--context_parallel_size", "-cp", "model.context_parallel_size"},
    {"--virtual_pipeline_model_parallel_size", "-vp", kVirtualStages},
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

/// Fields that the harness computes from an option and its starting recipe.
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

/// Set by `--moe_a2a_overlap true`; false leaves the recipe unchanged.
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

bool is_harness(const LaunchWords& launch) {
  return text::is_one_of(program_name(launch.program), kHarness);
}

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
  // Before 0.6.0 the harness writes this one after applying the user's.
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
    std::string text = option_text(*value);
    if (setting.key == kVirtualStages && text == "-1") {
      continue;  // the parser's own default: as the recipe says
    }
    if (setting.key == kVirtualStages && text == "None") {
      text = "null";  // None if x == "None" (argument_parser.py:409)
    }
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

namespace {

/// Overrides on options whose effect needs no more than the starting recipe.
class Settlement {
 public:
  Settlement(HarnessOptions& options,
             const LaunchWords& launch,
             const StartingRecipe& start,
             const Vocabulary& vocabulary)
      : options_(options),
        launch_(launch),
        start_(start),
        vocabulary_(vocabulary) {}

  void run() {
    graphs();
    dispatcher();
    recompute();
    sharding();
    tokenizer();
    optimizer();
    batch();
    connections();
    expert_domains();
    if (start_.value("comm_overlap") != "null") {
      known("comm_overlap.tp_comm_overlap");  // --moe_a2a_overlap changes it in null sections only
    }
    for (Word& word : options_.overrides) {
      place(word);
    }
    for (Word& word : options_.left_open) {
      place(word);
    }
  }

 private:
  void set(const shell::Field& option, std::string_view key, std::string_view value) {
    known(key);
    if (vocabulary_.knows(key)) {
      add(options_, override_of(option, key, value));
    }
  }

  /// The word with the path at which the starting recipe has the field.
  void place(Word& word) const {
    const std::size_t end = std::min(word.text.find('='), word.text.size());
    word.text = start_.place_of(word.text.substr(0, end)) + word.text.substr(end);
  }

  /// The option does not leave this field open.
  void known(std::string_view key) {
    options_.ask.erase(std::remove(options_.ask.begin(), options_.ask.end(), key),
                       options_.ask.end());
  }

  /// An option whose value the script gives; a null pointer otherwise.
  const shell::Field* given(std::string_view name, std::string_view short_name = {}) const {
    const shell::Field* value = option(launch_, name, short_name);
    return value != nullptr && value->known() ? value : nullptr;
  }

  void graphs() {
    const shell::Field* impl = given("--cuda_graph_impl");
    if (impl == nullptr) {
      drop_trackers();
      return;
    }
    const bool none = option_text(*impl) == "none";
    set(*impl, "rng.te_rng_tracker", none ? "false" : "true");
    set(*impl, "model.use_te_rng_tracker", none ? "false" : "true");
    if (none) {
      const bool modules = vocabulary_.knows("model.cuda_graph_modules");
      set(*impl, "model.cuda_graph_modules", "[]");
      set(*impl, "model.cuda_graph_scope", modules ? "null" : "[]");
    }
  }

  /// A recipe without graphs loses the trackers that graphs need, since 0.5.0.
  void drop_trackers() {
    const auto version = units::Version::parse(vocabulary_.version());
    const bool old = version && *version < *units::Version::parse("0.5.0");
    if (old || option(launch_, "--cuda_graph_impl") != nullptr || overrides("cuda_graph_impl") ||
        overrides("te_rng_tracker") || start_.value("model.cuda_graph_impl", "none") != "none") {
      return;
    }
    set(*start_.named, "rng.te_rng_tracker", "false");
    set(*start_.named, "model.use_te_rng_tracker", "false");
  }

  void dispatcher() {
    const shell::Field* backend = given("--moe_flex_dispatcher_backend");
    if (backend == nullptr) {
      return;
    }
    const std::string name = option_text(*backend);
    if (name == "None") {
      set(*backend, "model.moe_token_dispatcher_type", "alltoall");
      known("model.moe_flex_dispatcher_backend");
      if (start_.flat) {
        set(*backend, "model.moe_flex_dispatcher_backend", "null");
      }
      return;
    }
    const std::string gpu = text::lower(start_.gpu);
    const bool rack = gpu.starts_with("gb") || gpu.starts_with("vr") || gpu == "r100";
    if (start_.value("model.num_moe_experts", "null") == "null" || gpu.empty()) {
      return;
    }
    const bool fits = name == "hybridep" || !rack;
    set(*backend, "model.moe_token_dispatcher_type", fits ? "flex" : "alltoall");
    if (fits) {
      set(*backend, "model.moe_flex_dispatcher_backend", name);
      set(*backend, "model.moe_shared_expert_overlap", "false");
    } else if (start_.flat) {
      set(*backend, "model.moe_flex_dispatcher_backend", "null");
    }
  }

  void recompute() {
    if (const shell::Field* layers = given("--recompute_num_layers", "-rl")) {
      set(*layers, "model.recompute_granularity", "full");
      set(*layers, "model.recompute_method", "block");
      set(*layers, "model.recompute_num_layers", option_text(*layers));
    }
    if (const shell::Field* modules = given("--recompute_modules")) {
      set(*modules, "model.recompute_granularity", "selective");
      set(*modules, "model.recompute_modules", "[" + option_text(*modules) + "]");
    }
    const shell::Field* offloaded = given("--activation_offload_layers", "-ol");
    if (offloaded != nullptr && option_text(*offloaded) != "0") {
      set(*offloaded, "model.cpu_offloading", "true");
      set(*offloaded, "model.cpu_offloading_weights", "false");
      set(*offloaded, "model.cpu_offloading_num_layers", option_text(*offloaded));
    }
  }

  void sharding() {
    if (const shell::Field* fsdp = given("--use_megatron_fsdp")) {
      known("ddp.use_megatron_fsdp");
      if (is_true(option_text(*fsdp))) {
        set(*fsdp, "ddp.use_megatron_fsdp", "true");
        set(*fsdp, "ddp.data_parallel_sharding_strategy", "optim_grads_params");
        set(*fsdp, "ddp.keep_fp8_transpose_cache", "false");
        set(*fsdp, "ddp.average_in_collective", "false");
        set(*fsdp, "model.init_model_with_meta_device", "true");
        set(*fsdp, "model.gradient_accumulation_fusion", "true");
        set(*fsdp, "checkpoint.load", "null");
      }
    }
    if (const shell::Field* buffers = given("--nccl_ub")) {
      known("ddp.nccl_ub");
      if (is_true(option_text(*buffers))) {
        set(*buffers, "ddp.nccl_ub", "true");
        set(*buffers, "ddp.average_in_collective", "false");
        export_for(*buffers, "NCCL_NVLS_ENABLE");
        export_for(*buffers, "NCCL_CTA_POLICY");
      }
    }
  }

  /// Sets a variable of the job to 1, since 0.6.0, unless a word of the command does.
  void export_for(const shell::Field& cause, std::string_view variable) {
    const std::string key = "env_vars." + std::string(variable);
    if (start_.flat && !overrides(key)) {
      add(options_, override_of(cause, "++" + key, "1"));
    }
  }

  void tokenizer() {
    const shell::Field* type = given("--tokenizer_type");
    if (type == nullptr) {
      return;
    }
    const shell::Field* model = given("--tokenizer_model");
    const shell::Field* size = given("--vocab_size");
    const bool none = option_text(*type) == "NullTokenizer";
    set(*type, "tokenizer.tokenizer_type", option_text(*type));
    set(*type,
        "tokenizer.tokenizer_model",
        none || model == nullptr ? std::string("null") : option_text(*model));
    if (none) {
      set(*type,
          "tokenizer.vocab_size",
          size == nullptr ? std::string("32000") : option_text(*size));
    }
  }

  /// What the harness sets for every launch in bf16, or in precisions other than MXFP8 and NVFP4.
  void optimizer() {
    const std::string name = start_.value("optimizer.optimizer", "adam");
    if (start_.precision == "bf16" && name == "adam") {
      set(*start_.named, "optimizer.use_precision_aware_optimizer", "true");
    }
    const bool moved = option(launch_, "--pipeline_model_parallel_size", "-pp") != nullptr ||
                       option(launch_, "--virtual_pipeline_model_parallel_size", "-vp") != nullptr;
    if (!start_.scaled || start_.precision == "fp8_mx" || start_.precision == "nvfp4" ||
        name == "dist_muon") {
      return;
    }
    constexpr std::string_view kOverlapped = "overlap_param_gather_with_optimizer_step";
    if (moved) {
      options_.ask.push_back("optimizer." + std::string(kOverlapped));
    } else if (start_.value("model.virtual_pipeline_model_parallel_size", "null") != "null") {
      set(*start_.named, "optimizer." + std::string(kOverlapped), "true");
      if (start_.value("comm_overlap") != "null") {
        set(*start_.named, "comm_overlap." + std::string(kOverlapped), "true");
      }
    }
  }

  /// An effective parallel size: of its option, else of the starting recipe.
  bool is_parallel(std::string_view name, std::string_view short_name, std::string_view key) const {
    const shell::Field* size = option(launch_, name, short_name);
    const std::string text = size != nullptr ? option_text(*size) : start_.value(key, "1");
    return text != "1" && text != "null";
  }

  /// Since 0.6.0, -tp, -cp and --moe_a2a_overlap decide CUDA_DEVICE_MAX_CONNECTIONS anew.
  void connections() {
    constexpr std::string_view kVariable = "env_vars.CUDA_DEVICE_MAX_CONNECTIONS";
    const shell::Field* tensor = option(launch_, "--tensor_model_parallel_size", "-tp");
    const shell::Field* context = option(launch_, "--context_parallel_size", "-cp");
    const shell::Field* overlap = option(launch_, "--moe_a2a_overlap");
    const shell::Field* cause = tensor != nullptr ? tensor : context != nullptr ? context : overlap;
    if (cause == nullptr || !start_.flat || overrides(kVariable)) {
      return;
    }
    const std::string backend = start_.value("model.moe_flex_dispatcher_backend", "null");
    std::string_view count = backend == "deepep" || backend == "hybridep" ? "32" : "8";
    const bool overlapped =
        overlap != nullptr
            ? is_true(option_text(*overlap))
            : start_.value("comm_overlap.overlap_moe_expert_parallel_comm") == "true";
    if (text::lower(start_.gpu) != "h100") {
      count = "32";
    } else if (!overlapped &&
               (is_parallel(
                    "--tensor_model_parallel_size", "-tp", "model.tensor_model_parallel_size") ||
                is_parallel("--context_parallel_size", "-cp", "model.context_parallel_size"))) {
      count = "1";
    }
    add(options_, override_of(*cause, "++" + std::string(kVariable), count));
  }

  /// Since 0.6.0, -ep decides how many ranks HybridEP counts to an NVLink domain: all of the group,
  /// or those of a node.
  void expert_domains() {
    constexpr std::string_view kVariable = "env_vars.NUM_OF_HYBRID_EP_RANKS_PER_NVLINK_DOMAIN";
    const shell::Field* experts = option(launch_, "--expert_model_parallel_size", "-ep");
    if (experts == nullptr || !start_.flat || overrides(kVariable) ||
        start_.value("model.moe_flex_dispatcher_backend", "null") != "hybridep") {
      return;
    }
    const std::optional<std::int64_t> ranks = shell::whole_number(option_text(*experts));
    if (!ranks) {
      return;
    }
    constexpr std::int64_t kNode = 8;
    constexpr std::array<std::string_view, 3> kNodes = {"h100", "b200", "b300"};
    const bool of_nodes = std::ranges::find(kNodes, text::lower(start_.gpu)) != kNodes.end();
    add(options_,
        override_of(*experts,
                    "++" + std::string(kVariable),
                    std::to_string(of_nodes ? std::min(*ranks, kNode) : *ranks)));
  }

  /// The batch of another number of GPUs than the recipe's grows with the data-parallel ranks.
  void batch() {
    const std::optional<std::int64_t> recipe =
        shell::whole_number(start_.value("train.global_batch_size"));
    if (!start_.scaled || !recipe || start_.gpus == 0 || start_.wanted_gpus == start_.gpus ||
        option(launch_, "--global_batch_size", "-gb") != nullptr || overrides_batch()) {
      return;
    }
    const std::int64_t scaled = *recipe * start_.wanted_gpus;
    if (start_.wanted_gpus == 0 || scaled % start_.gpus != 0 || changes_layout()) {
      options_.ask.emplace_back("train.global_batch_size");
    } else {
      set(*start_.named, "train.global_batch_size", std::to_string(scaled / start_.gpus));
    }
  }

  bool overrides(std::string_view key) const {
    return std::any_of(
        launch_.arguments.begin(), launch_.arguments.end(), [key](const shell::Field& word) {
          const std::string text = word.text();
          return text.find(key) != std::string::npos && text.find('=') != std::string::npos;
        });
  }

  bool overrides_batch() const { return overrides("train.global_batch_size"); }

  bool changes_layout() const {
    return overrides("parallel_size") || option(launch_, "-tp") != nullptr ||
           option(launch_, "-pp") != nullptr || option(launch_, "-cp") != nullptr ||
           option(launch_, "--tensor_model_parallel_size") != nullptr ||
           option(launch_, "--pipeline_model_parallel_size") != nullptr ||
           option(launch_, "--context_parallel_size") != nullptr;
  }

  HarnessOptions& options_;
  const LaunchWords& launch_;
  const StartingRecipe& start_;
  const Vocabulary& vocabulary_;
};

/// Options of scripts/training/run_recipe.py that set one field.
constexpr Setting kTraining[] = {
    {"--max_steps", "-ms", "train.train_iters"},
    {"--global_batch_size", "-gb", "train.global_batch_size"},
    {"--micro_batch_size", "-mb", "train.micro_batch_size"},
    {"--seq_length", "-sl", "dataset.seq_length"},
    {"--seq_length", "-sl", "model.seq_length"},
    {"--tensor_model_parallel_size", "-tp", "model.tensor_model_parallel_size"},
    {"--pipeline_model_parallel_size", "-pp", "model.pipeline_model_parallel_size"},
    {"--context_parallel_size", "-cp", "model.context_parallel_size"},
    {"--virtual_pipeline_model_parallel_size", "-vp", "model.virtual_pipeline_model_parallel_size"},
    {"--expert_model_parallel_size", "-ep", "model.expert_model_parallel_size"},
    {"--expert_tensor_parallel_size", "-etp", "model.expert_tensor_parallel_size"},
    {"--lr", "", "optimizer.lr"},
    {"--min_lr", "", "optimizer.min_lr"},
    {"--warmup_iters", "", "scheduler.lr_warmup_iters"},
    {"--pretrained_checkpoint", "", "checkpoint.pretrained_checkpoint"},
    {"--save_dir", "", "checkpoint.save"},
    {"--load_dir", "", "checkpoint.load"},
    {"--save_interval", "", "checkpoint.save_interval"},
};

}  // namespace

void settle(HarnessOptions& options,
            const LaunchWords& launch,
            const StartingRecipe& start,
            const Vocabulary& vocabulary) {
  Settlement(options, launch, start, vocabulary).run();
}

std::vector<Word> training_options(const LaunchWords& launch, std::string_view version) {
  std::vector<Word> words;
  const auto parsed = units::Version::parse(version);
  const bool old = parsed && *parsed < *units::Version::parse("0.6.0");
  if (old || program_name(launch.program) != "run_recipe.py") {
    return words;
  }
  for (const Setting& setting : kTraining) {
    if (const shell::Field* value = option(launch, setting.name, setting.short_name)) {
      words.push_back(override_of(*value, setting.key, option_text(*value)));
    }
  }
  return words;
}

}  // namespace epwise::recipe
