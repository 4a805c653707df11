#include "recipe/launch/bridge_launch.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "base/units/version.h"
#include "recipe/arguments/arguments.h"
#include "recipe/bridge/bridge_yaml.h"
#include "recipe/launch/launch_words.h"
#include "recipe/rank_count.h"
#include "recipe/shell/arithmetic.h"
#include "yaml/parse.h"

namespace epwise::recipe {

/// Effects of the options of Megatron-Bridge's performance harness (scripts/performance) on the
/// configuration, in addition to the Hydra words between them.
struct HarnessOptions {
  std::vector<Word> overrides;   // "model.tensor_model_parallel_size=4" for `-tp 4`, marked there
  std::vector<Word> left_open;   // the same if the value needs unset variables
  std::vector<std::string> ask;  // keys of fields that an option changes in the harness's own way
};

/// The environment that setup_experiment.py gives to the job: `-E K=V` and `--env K=V`, repeatable,
/// before `--custom_env_vars K=V,L=W`. Other programs accept these options without effect.
/// `computed` contains names that the harness of that version sets itself.
struct HarnessEnvironment {
  std::map<std::string, shell::Field> variables;
  std::vector<std::string> computed;
};

HarnessEnvironment harness_environment(const LaunchWords& launch, std::string_view version);

/// Only read for the programs of the harness (setup_experiment.py, run_script.py). The harness
/// applies its options after the Hydra words, so they win.
///   `-tp 4 -gb 512 --moe_a2a_overlap true` → overrides model.tensor_model_parallel_size=4,
///   model.sequence_parallel=true, train.global_batch_size=512 and those of the overlap
HarnessOptions harness_options(const LaunchWords& launch);

namespace {

using expr::Value;
using Given = shell::Field;

/// The programs of Bridge's performance harness, with their own options.
constexpr std::array<std::string_view, 2> kHarness = {"run_script.py", "setup_experiment.py"};

/// "++model.num_layers=4" → "model.num_layers"
std::string_view override_path(std::string_view word) {
  const std::size_t begin = std::min(word.find_first_not_of("+~"), word.size());
  word.remove_prefix(begin);
  return word.substr(0, word.find('='));
}

bool is_key(std::string_view key) {
  return key.find('.') != std::string_view::npos && std::all_of(key.begin(), key.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '.';
         });
}

/// An override of a section that configurations have, whether or not its value is known.
bool is_override(const Given& field, const Vocabulary& vocabulary) {
  const std::string text = field.text();
  const bool removes = text.starts_with('~');
  const std::string_view key = override_path(text);
  const bool named = !field.pieces.empty() && !field.pieces.front().unknown() &&
                     (removes || field.pieces.front().text.find('=') != std::string::npos ||
                      text.find('=') < field.pieces.front().text.size());
  return named && is_key(key) && (removes || text.find('=') != std::string::npos) &&
         vocabulary.has_section(key.substr(0, key.find('.')));
}

class BridgeLaunchReader {
 public:
  BridgeLaunchReader(Recipe& recipe,
                     const LaunchWords& launch,
                     const Request& request,
                     const Vocabulary& vocabulary)
      : recipe_(recipe),
        launch_(launch),
        request_(request),
        vocabulary_(vocabulary) {}

  void run() {
    take_environment();
    std::vector<Word> sure;
    std::vector<Word> open;
    sort(sure, open);
    const yaml::Stream file = config_file();
    const yaml::Stream base = request_.base ? yaml::parse(*request_.base) : yaml::Stream();
    yaml::Node empty;
    empty.kind = yaml::Kind::mapping;
    empty.mark = recipe_.root;
    const bool filed = !file.documents.empty() && file.documents.front().root.is_mapping();
    if (filed) {
      recipe_.root = file.documents.front().root.mark;
    }
    const bool based = !base.documents.empty() && base.documents.front().root.is_mapping();
    if (based) {
      recipe_.base = request_.base;
      recipe_.files.push_back(request_.base);
    }
    const auto exported = recipe_.variables;
    read_bridge(recipe_,
                {based ? &base.documents.front().root : nullptr,
                 filed ? file.documents.front().root : empty,
                 sure},
                environment(),
                vocabulary_);
    for (const auto& [name, variable] : exported) {
      recipe_.variables.insert_or_assign(name, variable);
    }
    for (const Word& word : open) {
      leave_open(word);
    }
    if (!based && missing_.empty() && option(launch_, "--recipe") != nullptr) {
      missing_ = {"the base recipe"};  // a Python recipe, which sets what the words omit
    }
    if (!missing_.empty()) {
      recipe_.raw["raw.unwritten"] = Value::unknown(missing_);
    }
    take_count();
    take_hardware();
  }

 private:
  /// Variables that the harness adds to the job's environment, before the script's exports.
  void take_environment() {
    const HarnessEnvironment given = harness_environment(launch_, vocabulary_.version());
    for (const auto& [name, value] : given.variables) {
      recipe_.variables.insert_or_assign(name, variable_of(value, value.mark));
    }
    for (const std::string& name : given.computed) {
      const auto found = recipe_.variables.find(name);
      const text::Mark mark = found == recipe_.variables.end() ? recipe_.root : found->second.mark;
      recipe_.variables.insert_or_assign(
          name,
          Variable{Value::unknown({"values that the harness sets from its options"}), mark, mark});
    }
  }

  /// Overrides whose text and presence are certain, and the others.
  void sort(std::vector<Word>& sure, std::vector<Word>& open) const {
    for (const Given& field : launch_.arguments) {
      if (!is_override(field, vocabulary_)) {
        continue;
      }
      Word word = word_of(field);
      (word.known() ? sure : open).push_back(std::move(word));
    }
    if (!text::is_one_of(program_name(launch_.program), kHarness)) {
      return;
    }
    HarnessOptions options = harness_options(launch_);
    std::move(options.overrides.begin(), options.overrides.end(), std::back_inserter(sure));
    std::move(options.left_open.begin(), options.left_open.end(), std::back_inserter(open));
    for (const std::string& key : options.ask) {
      open.push_back({key + "=", recipe_.root, {"values that the harness sets from its options"}});
    }
  }

  yaml::Stream config_file() {
    const Given* named = option(launch_, "--config-file");
    if (named == nullptr) {
      named = option(launch_, "--config_file");
    }
    if (named == nullptr) {
      return {};
    }
    const auto file =
        named->known() && request_.open ? request_.open(option_text(*named)) : nullptr;
    if (file == nullptr) {
      missing_ = {named->text()};
      report_slip(recipe_, *named, request_);
      report_refused(recipe_, *named, request_);
      return {};
    }
    recipe_.files.push_back(file);
    yaml::Stream stream = yaml::parse(*file);
    std::move(stream.diagnostics.begin(),
              stream.diagnostics.end(),
              std::back_inserter(recipe_.diagnostics));
    return stream;
  }

  /// The script's exports are the environment of its program.
  Environment environment() const {
    Environment result = request_.environment;
    for (const auto& [name, variable] : recipe_.variables) {
      if (variable.value.is_unset()) {
        result[name] = std::nullopt;
      } else if (variable.value.text() != nullptr) {
        result[name] = *variable.value.text();
      }
    }
    return result;
  }

  void leave_open(const Word& word) {
    const std::string key(override_path(word.text));
    const FieldSpec* spec = recipe_.vocabulary_or(vocabulary_).find(key);
    const std::string name = spec == nullptr ? key : std::string(spec->name);
    Field field;
    field.name = name;
    field.value = Value::unknown(word.needs);
    field.key = word.mark;
    field.mark = word.mark;
    field.origin = Origin::override_word;
    field.spelling = key;
    const std::string section = key.substr(0, key.find('.'));
    recipe_.sections.emplace(section, word.mark);
    recipe_.fields.insert_or_assign(name, std::move(field));
  }

  void take_count() {
    const Given* count = option(launch_, "--num_gpus", "-ng");
    if (count == nullptr || recipe_.raw.count("raw.gpus") != 0 || !count->known()) {
      return;
    }
    if (const auto number = shell::whole_number(option_text(*count))) {
      set_ranks(recipe_, {1, *number, count->mark}, "-ng");
    }
  }

  /// `-g gb200`: the GPUs on which the harness starts the job.
  void take_hardware() {
    const bool harness = text::is_one_of(program_name(launch_.program), kHarness);
    const Given* gpu = harness ? option(launch_, "--gpu", "-g") : nullptr;
    if (gpu != nullptr && gpu->known()) {
      recipe_.raw["raw.hw"] = Value::of(option_text(*gpu));
      recipe_.raw["raw.hw_source"] = Value::of(place_of(*gpu, "-g"));
    }
  }

  /// "run.sh:12"
  static std::string place_of(const Given& value, std::string_view option_name) {
    return value.mark.nowhere()
               ? std::string(option_name)
               : fmt::format("{}:{}", value.mark.file->name(), value.mark.start().line);
  }

  Recipe& recipe_;
  const LaunchWords& launch_;
  const Request& request_;
  const Vocabulary& vocabulary_;
  std::vector<std::string> missing_;  // the override file, if it cannot be read
};

}  // namespace

bool is_bridge(const LaunchWords& launch, const Vocabulary& vocabulary) {
  const std::string program = program_name(launch.program);
  if (program == "run_recipe.py" || text::is_one_of(program, kHarness)) {
    return true;
  }
  // Sections such as `logger` are common: its own fields, and few of other programs.
  int fields = 0;
  int others = 0;
  for (const Given& field : launch.arguments) {
    const std::string text = field.text();
    const std::string_view key = override_path(text);
    const bool overrides = is_key(key) && text.find('=') != std::string::npos;
    const bool own = is_override(field, vocabulary);
    fields += own && vocabulary.knows(key) ? 1 : 0;
    others += overrides && !own ? 1 : 0;
  }
  return fields > 0 && fields >= others;
}

void read_bridge_launch(Recipe& recipe,
                        const LaunchWords& launch,
                        const Request& request,
                        const Vocabulary& vocabulary) {
  BridgeLaunchReader(recipe, launch, request, vocabulary).run();
}

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
