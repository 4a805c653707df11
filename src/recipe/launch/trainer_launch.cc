#include "recipe/launch/trainer_launch.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text/spelling.h"
#include "base/units/checked.h"
#include "recipe/launch/launch_words.h"
#include "recipe/shell/arithmetic.h"
#include "recipe/trainers/trainer_document.h"
#include "recipe/trainers/trainer_facts.h"
#include "recipe/trainers/trainer_formats.h"
#include "recipe/trainers/trainer_recipe.h"
#include "yaml/parse.h"
#include "yaml/scalar.h"

namespace epwise::recipe {

namespace {

using Given = shell::Field;

/// "++model.num_layers=4" → "model.num_layers"; empty for what is not an override.
std::string given_key(const Given& field) {
  std::string text = field.text();
  const std::size_t begin = std::min(text.find_first_not_of("+~"), text.size());
  const std::size_t end = std::min(text.find('='), text.size());
  const bool removes = text.starts_with('~');
  if (text.starts_with('-') || (end == text.size() && !removes) || end < begin) {
    return {};
  }
  text = text.substr(begin, end - begin);
  const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  });
  return plain ? text : std::string();
}

/// Groups such as model_engine=megatron select files that are part of the program.
bool is_setting(const std::string& key) {
  return key.find('.') != std::string::npos;
}

std::string with_ending(const std::string& name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") ? name : name + ".yaml";
}

/// A value such as `<path to the model>` is a blank that the user fills in.
void leave_blank_open(Word& word) {
  const std::size_t equals = std::min(word.text.find('='), word.text.size());
  const std::string value = word.text.substr(std::min(equals + 1, word.text.size()));
  if (word.known() && value.size() > 2 && value.starts_with('<') && value.ends_with('>')) {
    word.needs = {value};
  }
}

class TrainerLaunchReader {
 public:
  TrainerLaunchReader(const Recipe& start,
                      const LaunchWords& launch,
                      const Request& request,
                      const std::function<const Vocabulary&(Framework)>& vocabulary_for)
      : start_(start),
        launch_(launch),
        request_(request),
        vocabulary_for_(vocabulary_for) {
    for (const Given& field : launch.arguments) {
      keys_.push_back(given_key(field));
    }
  }

  std::optional<std::vector<Recipe>> run() {
    const yaml::Stream stream = config_file();
    const bool filed = !stream.documents.empty() && stream.documents.front().root.is_mapping();
    const yaml::Node* root = filed ? &stream.documents.front().root : nullptr;
    const TrainerFormat* format = root == nullptr ? nullptr : trainer_format(*root);
    const bool verl = is_verl();
    if (format == nullptr) {
      format = by_words();
    }
    if (format == nullptr || (verl && !is_on_megatron(format, root))) {
      return verl ? std::optional(std::vector<Recipe>{}) : std::nullopt;
    }
    Recipe recipe = start_;
    if (missing_ != nullptr) {
      report_slip(recipe, *missing_, request_);
    }
    if (root != nullptr) {
      recipe.files.push_back(file_);
      std::ranges::copy(stream.diagnostics, std::back_inserter(recipe.diagnostics));
    }
    TrainerInput input{format, root, file_, overrides()};
    input.open = root == nullptr && format != &kVerl;
    std::vector<Recipe> recipes = read_trainer_input(recipe, input, request_, vocabulary_for_);
    if (root == nullptr && is_on_own_configuration() && !recipes.empty()) {
      report_closed_keys(recipes.front());
    }
    return recipes;
  }

 private:
  bool has_key(std::string_view prefix) const {
    return std::ranges::any_of(
        keys_, [prefix](const std::string& key) { return key.starts_with(prefix); });
  }

  bool is_verl() const {
    return launch_.program.starts_with("verl.") || has_key("actor_rollout_ref.");
  }

  /// Whether any word selects Megatron for verl's models.
  bool is_on_megatron(const TrainerFormat* format, const yaml::Node* root) const {
    if (format != &kVerl || root != nullptr) {
      return true;
    }
    return std::ranges::any_of(launch_.arguments, [](const Given& field) {
      const std::string text = field.text();
      const std::string key = given_key(field);
      const bool names = text.find("megatron") != std::string::npos;
      return names &&
             (key.find(".megatron.") != std::string::npos || key.ends_with("strategy") ||
              key == "model_engine" || key == "engine" || text.starts_with("--config-name") ||
              (key.empty() && !text.starts_with('-') && !text.starts_with('/')));
    });
  }

  const TrainerFormat* by_words() const {
    if (is_verl()) {
      return &kVerl;
    }
    if (has_key("policy.megatron_cfg.")) {
      return &kNemoRl;
    }
    const bool sized = has_key("model.tensor_model_parallel_size") ||
                       has_key("model.pipeline_model_parallel_size") ||
                       has_key("model.expert_model_parallel_size");
    return sized && (has_key("trainer.devices") || has_key("trainer.num_nodes")) ? &kNemo : nullptr;
  }

  /// verl's reinforcement learning with its own configuration for Megatron.
  bool is_on_own_configuration() const {
    const Given* name = option(launch_, "--config-name", "--config_name");
    return launch_.program == "verl.trainer.main_ppo" &&
           (name == nullptr ||
            (name->known() && with_ending(option_text(*name)) == "ppo_megatron_trainer.yaml"));
  }

  /// Hydra refuses a plain `key=value` of a key that the configuration does not have.
  void report_closed_keys(Recipe& recipe) const {
    const VerlKeys& known = VerlKeys::embedded();
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const Given& word = launch_.arguments[i];
      const std::string text = word.text();
      const bool plain = text.starts_with(keys_[i]) && is_setting(keys_[i]) &&
                         keys_[i].find_first_of("@/") == std::string::npos;
      const bool told = std::ranges::any_of(recipe.diagnostics, [&](const text::Diagnostic& each) {
        return each.rule == "recipe/refused-setting" && each.mark.file == word.mark.file &&
               each.mark.begin < word.mark.end && word.mark.begin < each.mark.end;
      });
      if (!plain || told || known.may_know(keys_[i])) {
        continue;
      }
      recipe.diagnostics.push_back(
          {"recipe/refused-setting",
           word.mark,
           fmt::format("Hydra refuses the new key `{}`, which verl's configuration does not have{}",
                       keys_[i],
                       text::did_you_mean(keys_[i], known.siblings(keys_[i]))),
           {},
           fmt::format("correct the name, or add the key with `+{}=`", keys_[i])});
    }
  }

  /// --config FILE, or --config-path FOLDER --config-name NAME.
  yaml::Stream config_file() {
    if (!request_.open) {
      return {};
    }
    const auto text = [this](std::string_view name, std::string_view other) {
      const Given* found = option(launch_, name, other);
      return found == nullptr || !found->known() ? std::string() : option_text(*found);
    };
    std::string name = text("--config", "-c");
    if (name.ends_with(".yaml") || name.ends_with(".yml")) {
      auto file = request_.open(name);
      missing_ = file == nullptr ? option(launch_, "--config", "-c") : nullptr;
      return parsed(std::move(file));
    }
    name = text("--config-name", "--config_name");
    const std::string folder = text("--config-path", "--config_path");
    if (name.empty()) {
      return {};
    }
    name = with_ending(name);
    if (!folder.empty()) {
      if (auto file = request_.open(folder + "/" + name)) {
        return parsed(std::move(file));
      }
    }
    return parsed(request_.open(name));
  }

  yaml::Stream parsed(std::shared_ptr<const text::SourceFile> file) {
    file_ = std::move(file);
    return file_ == nullptr ? yaml::Stream() : yaml::parse(*file_);
  }

  std::vector<Word> overrides() const {
    std::vector<Word> words;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (is_setting(keys_[i])) {
        words.push_back(word_of(launch_.arguments[i]));
        leave_blank_open(words.back());
      }
    }
    return words;
  }

  const Recipe& start_;
  const LaunchWords& launch_;
  const Request& request_;
  const std::function<const Vocabulary&(Framework)>& vocabulary_for_;
  std::vector<std::string> keys_;  // of the arguments; empty for what is not an override
  std::shared_ptr<const text::SourceFile> file_;
  const Given* missing_ = nullptr;  // what names a file that can't be read
};

}  // namespace

std::optional<std::vector<Recipe>> read_trainer_launch(
    const Recipe& start,
    const LaunchWords& launch,
    const Request& request,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for) {
  return TrainerLaunchReader(start, launch, request, vocabulary_for).run();
}

namespace {

using expr::Value;

std::optional<std::int64_t> option_count(const shell::Field* field) {
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

namespace {

using expr::Value;

bool is_flag_word(const std::string& text) {
  return text.size() > 2 && text.starts_with("--");
}

/// "model.num_layers=46": a fact about the model, which no option of ms-swift states.
bool is_model_fact(const std::string& text) {
  return text.starts_with("model.") && text.find('=') < text.size();
}

bool ends_values(const std::string& text) {
  return is_flag_word(text) || is_model_fact(text);
}

/// A word as parsed by Python's parser.
ConfigNode node_of(const Given& field, std::string text, const text::Mark& mark) {
  ConfigNode node;
  node.mark = mark;
  node.origin = word_of(field).origin;
  if (!field.known()) {
    node.value = Value::unknown(field.needs());
    node.written = std::move(text);
    return node;
  }
  const yaml::Typed typed = yaml::type_plain(text, yaml::Dialect::pyyaml);
  switch (typed.type) {
    case yaml::ScalarType::boolean:
      node.value = Value::of(typed.boolean);
      break;
    case yaml::ScalarType::integer:
      node.value = typed.big ? Value::of(typed.real) : Value::of(typed.integer);
      break;
    case yaml::ScalarType::real:
      node.value = Value::of(typed.real);
      break;
    default:
      node.value = Value::of(std::move(text));
  }
  return node;
}

/// The flags as one flat mapping; the last of each wins.
class FlagTree {
 public:
  ConfigNode run(const std::vector<Given>& words) {
    tree_.kind = ConfigNode::Kind::mapping;
    for (std::size_t at = 0; at < words.size();) {
      at = is_flag_word(words[at].text()) ? take(words, at) : at + 1;
    }
    return std::move(tree_);
  }

 private:
  std::size_t take(const std::vector<Given>& words, std::size_t at) {
    const Given& flag = words[at];
    const std::string text = flag.text();
    const std::size_t equals = std::min(text.find('='), text.size());
    ConfigNode node;
    std::size_t next = at + 1;
    if (equals < text.size()) {
      text::Mark mark = flag.mark;
      mark.begin = std::min(mark.end, mark.begin + static_cast<std::uint32_t>(equals + 1));
      node = node_of(flag, text.substr(equals + 1), mark);
    } else {
      node.kind = ConfigNode::Kind::list;
      for (; next < words.size() && !ends_values(words[next].text()); ++next) {
        node.children.push_back(node_of(words[next], words[next].text(), words[next].mark));
      }
      node = single(std::move(node), flag);
    }
    node.name = text.substr(2, equals - 2);
    std::ranges::replace(node.name, '-', '_');
    node.spelling = text.substr(0, equals);
    node.key = flag.mark;
    node.key.end = std::min(flag.mark.end, flag.mark.begin + static_cast<std::uint32_t>(equals));
    put(std::move(node));
    return next;
  }

  /// No value means `true`, one value is used unchanged.
  static ConfigNode single(ConfigNode list, const Given& flag) {
    if (list.children.empty()) {
      ConfigNode node;
      node.mark = flag.mark;
      node.value = flag.condition() == 0 ? Value::of(true) : Value::unknown(flag.needs());
      return node;
    }
    if (list.children.size() == 1) {
      return std::move(list.children.front());
    }
    list.mark = list.children.front().mark;
    const text::Mark& last = list.children.back().mark;
    list.mark.end = last.file == list.mark.file ? std::max(last.end, list.mark.end) : list.mark.end;
    return list;
  }

  void put(ConfigNode node) {
    if (ConfigNode* present = tree_.find(node.name)) {
      *present = std::move(node);
    } else {
      tree_.children.push_back(std::move(node));
    }
  }

  ConfigNode tree_;
};

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

namespace {

/// Whether it is miles, slime's fork: by one of its own flags, or by its folder in the script.
bool is_miles(const Recipe& recipe, const LaunchWords& launch) {
  const std::vector<std::string>& own = slime_flags().of_miles;
  const bool has_flag = std::ranges::any_of(launch.arguments, [&](const Given& word) {
    const std::string text = word.text();
    return std::ranges::find(own, text.substr(0, text.find('='))) != own.end();
  });
  return has_flag || std::ranges::any_of(recipe.files, [](const auto& file) {
           return file->bytes().find("/miles/") != std::string_view::npos;
         });
}

/// slime parses with ignore_unknown_args: a flag that differs in a letter or two has no effect.
void report_misspelt_flags(Recipe& recipe,
                           const LaunchWords& launch,
                           const Vocabulary& vocabulary,
                           std::string_view title) {
  constexpr std::size_t kShortest = 10;
  std::vector<std::string_view> known;
  for (const Flag& flag : vocabulary.flags()) {
    known.insert(known.end(), flag.spellings.begin(), flag.spellings.end());
  }
  const SlimeFlags& own = slime_flags();
  known.insert(known.end(), own.flags.begin(), own.flags.end());
  for (const Given& word : launch.arguments) {
    const std::string text = word.text();
    const std::string name = text.substr(0, text.find('='));
    const bool passed_on = std::ranges::any_of(
        own.prefixes, [&](const std::string& prefix) { return name.starts_with(prefix); });
    if (!name.starts_with("--") || name.size() < kShortest || passed_on ||
        std::ranges::find(known, name) != known.end()) {
      continue;
    }
    const std::vector<std::string> nearest = text::nearest(name, known, 1);
    if (!nearest.empty() && text::edit_distance(name, nearest.front()) <= 2) {
      recipe.diagnostics.push_back(
          {"recipe/unknown-key",
           word.mark,
           fmt::format(
               "{} ignores the unknown `{}`, did you mean `{}`?", title, name, nearest.front())});
    }
  }
}

}  // namespace

namespace {

/// The longest sample of a rollout: --rollout-max-context-len, or prompt and response; nullopt if no
/// length is stated (slime/utils/arguments.py).
std::optional<std::int64_t> slime_sample(const LaunchWords& launch) {
  if (const auto* whole = option(launch, "--rollout-max-context-len")) {
    return option_count(whole);
  }
  const auto response = option_count(option(launch, "--rollout-max-response-len"));
  const auto* prompt = option(launch, "--rollout-max-prompt-len");
  const auto before = prompt == nullptr ? std::optional<std::int64_t>(0) : option_count(prompt);
  return response && before ? units::sum(*response, *before) : std::nullopt;
}

/// Samples fill --max-tokens-per-gpu of each context-parallel rank if --use-dynamic-batch-size is
/// given; otherwise a micro-batch has --micro-batch-size of them (slime/utils/arguments.py).
void note_slime_step(Recipe& recipe, const LaunchWords& launch) {
  const auto tokens = option_count(option(launch, "--max-tokens-per-gpu"));
  const shell::Field* ranks = option(launch, "--context-parallel-size");
  const auto count = ranks == nullptr ? std::optional<std::int64_t>(1) : option_count(ranks);
  const bool packs = std::ranges::any_of(launch.arguments, [](const shell::Field& word) {
    return word.text() == "--use-dynamic-batch-size";
  });
  const auto most = tokens && count ? units::product(*tokens, *count) : std::nullopt;
  auto sample = slime_sample(launch);
  if (packs) {
    note_unread(recipe, "train.micro_batch_size");
  }
  if (packs && most && *most > 0) {
    note_longest_step(recipe, {*most, 1});
  }
  const auto number = [&](std::string_view name) -> std::optional<std::int64_t> {
    const Field* field = recipe.find(name);
    const std::int64_t* found = field == nullptr ? nullptr : field->value.integer();
    return found == nullptr ? std::nullopt : std::optional(*found);
  };
  if (!sample && packs) {
    sample = number("model.seq_length");  // the length of samples is not given: a usual one
  }
  if (!sample || *sample < 1) {
    return;
  }
  auto together = number("train.micro_batch_size");
  if (packs) {
    together = most ? std::optional(std::max<std::int64_t>(1, *most / *sample)) : std::nullopt;
  } else if (together) {
    note_longest_step(recipe, {*sample, *together});
  }
  const auto batch = number("train.global_batch_size");
  if (together && batch) {
    note_training_step(recipe, {*sample, *together, *batch});
  }
}

/// The samples of a rollout, divided into --num-steps-per-rollout (slime/utils/arguments.py); unknown
/// where the steps are given and a factor is not.
std::optional<Value> slime_batch(const LaunchWords& launch) {
  const shell::Field* steps = option(launch, "--num-steps-per-rollout");
  if (steps == nullptr) {
    return std::nullopt;
  }
  const shell::Field* samples = option(launch, "--n-samples-per-prompt");
  const auto each = samples == nullptr ? std::optional<std::int64_t>(1) : option_count(samples);
  const auto prompts = option_count(option(launch, "--rollout-batch-size"));
  const auto count = option_count(steps);
  const auto all = each && prompts ? units::product(*each, *prompts) : std::nullopt;
  if (!all || !count || *count < 1) {
    return Value::unknown({"--num-steps-per-rollout and the samples of a rollout"});
  }
  return Value::of(*all / *count);
}

}  // namespace

void complete_slime(Recipe& recipe, const LaunchWords& launch, const Vocabulary& vocabulary) {
  Trainer trainer = load_trainer("slime");
  trainer.title = is_miles(recipe, launch) ? "miles" : trainer.title;
  note_trainer(recipe, trainer, {});
  note_settings(recipe, FlagTree().run(launch.arguments), "");
  for (const auto& [name, text] : trainer.environment) {
    recipe.variables.try_emplace(name, Variable{Value::of(text), {}, {}});
  }
  recipe.raw["raw.packs"] = Value::of(true);  // slime/backends/megatron_utils/data.py: "thd"
  report_misspelt_flags(recipe, launch, vocabulary, trainer.title);
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
  if (auto batch = slime_batch(launch)) {
    put_default(recipe, vocabulary, "global_batch_size", *std::move(batch));
  }
  note_slime_step(recipe, launch);
  const shell::Field* nodes = option(launch, "--actor-num-nodes");
  const shell::Field* gpus = option(launch, "--actor-num-gpus-per-node");
  const auto node_count = option_count(nodes);
  const auto gpu_count = option_count(gpus);
  if (node_count && gpu_count) {
    set_world(recipe, {*node_count, *gpu_count, gpus->mark});
  }
}

bool is_swift(const LaunchWords& launch) {
  constexpr std::array<std::string_view, 3> kTrainings = {"pt", "sft", "rlhf"};
  const auto trains = [&](std::string_view name) {
    return std::ranges::find(kTrainings, name) != kTrainings.end();
  };
  const std::string& program = launch.program;
  constexpr std::string_view kCommand = "megatron ";
  if (program.starts_with(kCommand)) {
    return trains(program.substr(kCommand.size()));
  }
  const std::string name = program_name(program);
  return program.find("_megatron/") != std::string::npos && name.ends_with(".py") &&
         trains(name.substr(0, name.size() - 3));
}

namespace {

void add_model_facts(const std::vector<Given>& words, Recipe& recipe) {
  for (const Given& word : words) {
    const std::string text = word.text();
    if (!word.known() || !is_model_fact(text)) {
      continue;
    }
    const std::size_t equals = text.find('=');
    Field field;
    field.name = text.substr(0, equals);
    field.value = node_of(word, text.substr(equals + 1), word.mark).value;
    field.key = word.mark;
    field.mark = word.mark;
    field.origin = Origin::override_word;
    field.spelling = field.name;
    recipe.fields.insert_or_assign(field.name, std::move(field));
  }
}

}  // namespace

namespace {

/// The first word, or that of --config. Of a path that is not known as a whole, the file's name.
std::shared_ptr<const text::SourceFile> swift_file(const LaunchWords& launch,
                                                   const Request& request) {
  const Given* named = option(launch, "--config");
  if (named == nullptr && !launch.arguments.empty()) {
    named = &launch.arguments.front();
  }
  const std::string path = named == nullptr ? std::string() : option_text(*named);
  if (!path.ends_with("ml")) {
    return nullptr;
  }
  return request.open(named->known() ? path : program_name(path));
}

}  // namespace

namespace {

/// ms-swift stops at a first word that is neither an option nor a file of options.
void report_leading_word(Recipe& recipe, const LaunchWords& launch) {
  if (launch.arguments.empty()) {
    return;
  }
  const Given& first = launch.arguments.front();
  const std::string text = first.text();
  const bool file = text.ends_with(".yaml") || text.ends_with(".yml") || text.ends_with(".json");
  if (first.known() && !text.empty() && !text.starts_with('-') && !file && !is_model_fact(text)) {
    recipe.diagnostics.push_back(
        {"recipe/refused-value",
         first.mark,
         fmt::format("ms-swift stops at `{}`, which is neither an option nor a file of options",
                     text)});
  }
}

}  // namespace

std::vector<Recipe> read_swift_launch(
    const Recipe& start,
    const LaunchWords& launch,
    const Request& request,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for) {
  Recipe recipe = start;
  report_leading_word(recipe, launch);
  std::shared_ptr<const text::SourceFile> file;
  if (request.open) {
    file = swift_file(launch, request);
  }
  const yaml::Stream stream = file == nullptr ? yaml::Stream() : yaml::parse(*file);
  TrainerInput input;
  input.format = &kSwift;
  input.tree = FlagTree().run(launch.arguments);
  if (!stream.documents.empty() && stream.documents.front().root.is_mapping()) {
    input.root = &stream.documents.front().root;
    input.file = file;
    recipe.files.push_back(file);
  }
  std::vector<Recipe> recipes = read_trainer_input(recipe, input, request, vocabulary_for);
  for (Recipe& each : recipes) {
    add_model_facts(launch.arguments, each);
  }
  return recipes;
}

}  // namespace epwise::recipe
