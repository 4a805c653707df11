#include "recipe/load.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "base/text/spelling.h"
#include "recipe/arguments/arguments.h"
#include "recipe/arguments/model_args.h"
#include "recipe/bridge/bridge_yaml.h"
#include "recipe/checkpoint_fields.h"
#include "recipe/header_comment.h"
#include "recipe/launch/launch_script.h"
#include "recipe/launch/manifest.h"
#include "recipe/shell/words.h"
#include "recipe/trainers/trainer_document.h"
#include "recipe/trainers/trainer_formats.h"
#include "yaml/parse.h"

namespace epwise::recipe {
namespace {

using expr::Value;

/// Sections that identify a Megatron-Bridge override file.
constexpr std::array<std::string_view, 20> kSections = {
    "model",           "train",      "ddp",  "optimizer",  "comm_overlap",
    "mixed_precision", "checkpoint", "dist", "dataset",    "scheduler",
    "logger",          "tokenizer",  "rng",  "validation", "profiling",
    "env_vars",        "peft",       "ft",   "straggler",  "inprocess_restart"};

bool is_bridge_section(std::string_view key) {
  return std::find(kSections.begin(), kSections.end(), key) != kSections.end();
}

/// The sections that make a file a recipe of Megatron-Bridge.
constexpr std::array<std::string_view, 3> kMainSections = {"model", "train", "comm_overlap"};

constexpr std::string_view kFlagSection = "MODEL_ARGS";

/// The section that a misspelt one is meant to be: "modle", "Model" → "model"; "" if there is none.
std::string_view meant_section(std::string_view key) {
  constexpr std::size_t kShort = 4;
  const std::string lower = text::lower(key);
  for (const std::string_view name : kSections) {
    const int most = name.size() <= kShort ? 0 : name.size() <= kShort + 2 ? 1 : 2;
    if (text::edit_distance(lower, name) <= most) {
      return name;
    }
  }
  return {};
}

/// Whether a section is misspelt ("modle"): its name is close to one that is known, and it has a
/// field that no other program's files have.
bool is_misspelt_section(const yaml::Entry& entry) {
  constexpr std::array<std::string_view, 8> kOwnFields = {"tensor_model_parallel_size",
                                                          "pipeline_model_parallel_size",
                                                          "expert_model_parallel_size",
                                                          "num_moe_experts",
                                                          "moe_token_dispatcher_type",
                                                          "micro_batch_size",
                                                          "global_batch_size",
                                                          "overlap_moe_expert_parallel_comm"};
  constexpr int kMostEdits = 2;
  const bool close = std::ranges::any_of(kMainSections, [&](std::string_view name) {
    return text::edit_distance(entry.key, name) <= kMostEdits;
  });
  return close && entry.value.is_mapping() &&
         std::any_of(kOwnFields.begin(), kOwnFields.end(), [&](std::string_view field) {
           return entry.value.find(field) != nullptr;
         });
}

std::optional<Framework> sniff_root(const yaml::Node& root) {
  if (root.find("MODEL_ARGS") != nullptr) {
    return Framework::mlm;
  }
  const yaml::Node* target = root.find("_target_");
  if (target != nullptr && target->scalar.find("megatron.bridge") != std::string::npos) {
    return Framework::bridge;
  }
  const bool bridge =
      std::any_of(root.entries.begin(), root.entries.end(), [](const yaml::Entry& entry) {
        const bool section =
            entry.value.is_mapping() || entry.key == "mixed_precision" || entry.value.is_null();
        return section && is_bridge_section(entry.key);
      });
  return bridge ? std::optional<Framework>(Framework::bridge) : std::nullopt;
}

/// "no section is known by the name `modle`, did you mean `model`?"
std::string slip_text(std::string_view key, std::string_view meant) {
  return fmt::format("no section is known by the name `{}`, did you mean `{}`?", key, meant);
}

/// Why a file without any section of a recipe is certainly meant as one; empty if it is not.
std::string misspelt_recipe(const yaml::Node& root) {
  if (sniff_root(root)) {
    return {};
  }
  for (const yaml::Entry& entry : root.entries) {
    if (is_misspelt_section(entry)) {
      return fmt::format(
          "no section is known by the name `{}`{}",
          entry.key,
          text::did_you_mean(entry.key, {kMainSections.begin(), kMainSections.end()}));
    }
  }
  return {};
}

/// The meaning of the words after `--` if there is no file: flags, or overrides.
Framework sniff_words(const std::vector<std::string>& words) {
  const bool flags = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.substr(0, 2) == "--";
  });
  const bool overrides = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.substr(0, 1) != "-" && word.find('=') != std::string::npos &&
           word.find('.') < word.find('=');
  });
  return !flags && overrides ? Framework::bridge : Framework::mlm;
}

/// Whether the words are a command of their own: `torchrun --nproc-per-node 8 run_recipe.py …`,
/// `uv run python scripts/performance/run_script.py …`.
bool starts_program(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 8> kStarters = {
      "python", "python3", "torchrun", "uv", "srun", "sbatch", "mpirun", "env"};
  if (words.empty() || words.front().starts_with('-')) {
    return false;
  }
  const std::string_view first = words.front();
  const std::string_view name = shell::base_name(first);
  const bool sets = first.find('=') != std::string_view::npos;
  const bool starts =
      name.ends_with(".py") ||
      std::find(kStarters.begin(), kStarters.end(), name) != kStarters.end() ||
      (sets && first.find('.') > first.find('='));  // CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun …
  return starts && std::any_of(words.begin(), words.end(), [](const std::string& word) {
           return word.ends_with(".py") || word == "-m";
         });
}

/// A word as a shell reads it, in quotes where it needs them.
std::string quoted(const std::string& word) {
  constexpr std::string_view kSpecial = " \t\n\"'`$&|;<>()*?[]#~!{}\\";
  if (!word.empty() && word.find_first_of(kSpecial) == std::string::npos) {
    return word;
  }
  std::string text = "'";
  for (const char c : word) {
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return text + "'";
}

/// The words as a separate text, so that findings can point into it.
struct CommandLine {
  std::shared_ptr<const text::SourceFile> file;
  std::vector<Word> words;
};

CommandLine command_line(const std::vector<std::string>& words, Origin origin) {
  CommandLine out;
  if (starts_program(words)) {
    std::vector<std::string> texts;
    std::transform(words.begin(), words.end(), std::back_inserter(texts), quoted);
    out.file = std::make_shared<text::SourceFile>(std::string(kCommandLine),
                                                  fmt::format("{}\n", fmt::join(texts, " ")));
    return out;
  }
  out.file = std::make_shared<text::SourceFile>(std::string(kCommandLine),
                                                fmt::format("{}", fmt::join(words, " ")),
                                                text::SourceFile::ByteOrderMark::kept);
  std::size_t at = 0;
  for (const std::string& word : words) {
    const auto begin = static_cast<std::uint32_t>(at);
    const auto end = static_cast<std::uint32_t>(at + word.size());
    out.words.push_back({word, {out.file.get(), begin, end}, {}, origin});
    at += word.size() + 1;
  }
  return out;
}

class Loader {
 public:
  Loader(const Request& request, const std::function<const Vocabulary&(Framework)>& vocabulary_for)
      : request_(request),
        vocabulary_for_(vocabulary_for),
        line_(command_line(request.words, request.file ? Origin::override_word : Origin::written)) {
  }

  std::vector<Recipe> run() {
    if (!request_.file && starts_program(request_.words)) {
      return launch_of_words();
    }
    if (!request_.file) {
      return {words_only()};
    }
    if (is_launch_script(*request_.file)) {
      return read_launch_script(request_, start(1), line_.words, vocabulary_for_);
    }
    if (request_.documents == Request::Documents::merge) {
      yaml::Stream merged = request_.stream ? *request_.stream : yaml::parse(*request_.file);
      if (merged.documents.size() > 1) {
        merge_documents(merged.documents);
      }
      return run(merged);
    }
    return run(request_.stream ? *request_.stream : yaml::parse(*request_.file));
  }

 private:
  std::vector<Recipe> run(const yaml::Stream& stream) {
    if (const auto mark = template_place(stream)) {
      return {of_template(*mark)};
    }
    const auto manifest = [](const yaml::Document& each) { return is_manifest(each.root); };
    if (std::ranges::any_of(stream.documents, manifest)) {
      return run_manifests(stream);
    }
    std::vector<Recipe> recipes;
    std::vector<std::size_t> firsts;  // the first recipe of each document
    for (const yaml::Document& document : stream.documents) {
      firsts.push_back(recipes.size());
      for (Recipe& recipe : read_all(document, static_cast<int>(recipes.size()) + 1)) {
        recipes.push_back(std::move(recipe));
      }
    }
    if (recipes.empty()) {
      recipes.push_back(start(1));
      recipes.front().readable = false;
      firsts = {0};
    }
    distribute(stream.diagnostics, stream.documents, firsts, recipes);
    return recipes;
  }

  /// Where a text is not YAML because of what a template engine replaces: Helm's `{{- if … }}`.
  static std::optional<text::Mark> template_place(const yaml::Stream& stream) {
    constexpr std::array<std::string_view, 2> kFatal = {"yaml/syntax", "yaml/key-not-scalar"};
    for (const text::Diagnostic& each : stream.diagnostics) {
      const bool fatal = std::ranges::find(kFatal, each.rule) != kFatal.end();
      if (fatal && !each.mark.nowhere() &&
          !template_expression(each.mark.file->line(each.mark.start().line)).empty()) {
        return each.mark;
      }
    }
    return std::nullopt;
  }

  Recipe of_template(const text::Mark& mark) const {
    Recipe recipe = start(1);
    recipe.readable = false;
    recipe.root = mark;
    recipe.diagnostics.push_back(
        {"recipe/template",
         mark,
         "a template, which becomes YAML when it is rendered",
         {},
         fmt::format("render it with `helm template` and lint the result: helm template CHART | "
                     "epwise lint -")});
    return recipe;
  }

  /// Objects of Kubernetes: what their containers start, and what ConfigMaps hold besides.
  std::vector<Recipe> run_manifests(const yaml::Stream& stream) const {
    ManifestFiles files(*request_.file, stream);
    Request request = request_;
    request.slip = nullptr;  // names are those of the container
    request.open = [&](const std::string& path) {
      auto held = files.open(path);
      return held == nullptr && request_.open ? request_.open(path) : held;
    };
    std::vector<Recipe> recipes;
    for (const yaml::Document& document : stream.documents) {
      std::vector<Recipe> found =
          is_manifest(document.root)
              ? read_manifest(document.root, request, start(1), line_.words, vocabulary_for_)
              : read_all(document, 1);
      std::ranges::move(found, std::back_inserter(recipes));
    }
    for (const bool scripts : {true, false}) {  // scripts open other files
      for (const yaml::Document& document : stream.documents) {
        for (const auto& file : files.unopened(document, scripts)) {
          add_held(file, scripts, request, recipes);
        }
      }
    }
    if (recipes.empty()) {
      recipes.push_back(start(1));
      unrecognized(recipes.front(),
                   stream.documents.front(),
                   "no container of this manifest starts a training that epwise recognises");
    }
    for (std::size_t i = 0; i < recipes.size(); ++i) {
      recipes[i].path = start(static_cast<int>(i) + 1).path;
    }
    std::vector<text::Diagnostic>& first = recipes.front().diagnostics;
    first.insert(first.begin(), stream.diagnostics.begin(), stream.diagnostics.end());
    return recipes;
  }

  /// A file of a ConfigMap, if it is a recipe or starts one.
  void add_held(const std::shared_ptr<const text::SourceFile>& file,
                bool script,
                const Request& request,
                std::vector<Recipe>& recipes) const {
    Request inner = request;
    inner.file = file;
    inner.stream = nullptr;
    Recipe first = start(1);
    first.files = {file};
    std::vector<Recipe> found = script
                                    ? read_launch_script(inner, first, line_.words, vocabulary_for_)
                                    : Loader(inner, vocabulary_for_).run();
    for (Recipe& recipe : found) {
      const bool other = !recipe.readable && !recipe.diagnostics.empty() &&
                         recipe.diagnostics.back().rule == "recipe/unrecognized";
      if (!other) {
        recipes.push_back(std::move(recipe));
      }
    }
  }

  /// A trainer's configuration may contain several recipes, all others contain one.
  std::vector<Recipe> read_all(const yaml::Document& document, int number) const {
    const TrainerFormat* format = trainer_format(document.root);
    if (format == nullptr) {
      return {read(document, number)};
    }
    Recipe first = start(number);
    first.root = document.root.mark;
    std::vector<Recipe> recipes = read_trainer_input(
        first, {format, &document.root, request_.file, line_.words}, request_, vocabulary_for_);
    for (std::size_t i = 0; i < recipes.size(); ++i) {
      recipes[i].path = start(number + static_cast<int>(i)).path;
      add_duplicates(recipes[i], document.root);
      if (!states_nodes(document.root) && request_.open && request_.open("Chart.yaml") != nullptr) {
        recipes[i].raw.erase("raw.gpus");  // values of the chart set the number of nodes
        recipes[i].raw.erase("raw.gpus_source");
      }
    }
    if (recipes.empty()) {
      unrecognized(first, document, "it does not train a model with Megatron");
      recipes.push_back(std::move(first));
    }
    return recipes;
  }

  /// Whether a trainer's configuration says how many nodes there are.
  static bool states_nodes(const yaml::Node& root) {
    const yaml::Node* trainer = mapping_at(root, "trainer");
    const yaml::Node* cluster = mapping_at(root, "cluster");
    return (cluster != nullptr && cluster->find("num_nodes") != nullptr) ||
           (trainer != nullptr &&
            (trainer->find("num_nodes") != nullptr || trainer->find("nnodes") != nullptr));
  }

  Recipe start(int number) const {
    Recipe recipe;
    recipe.allowed_targets = request_.allowed_targets;
    recipe.framework = request_.framework.value_or(Framework::bridge);
    if (request_.file) {
      recipe.path = request_.file->name() + (number > 1 ? fmt::format("#{}", number) : "");
      recipe.files.push_back(request_.file);
      recipe.header = header_comment(*request_.file);
    } else {
      recipe.path = line_.file->name();
    }
    if (!request_.words.empty() || !request_.file) {  // without words too: `root` points into it
      recipe.files.push_back(line_.file);
    }
    return recipe;
  }

  /// The words as a script of one line.
  std::vector<Recipe> launch_of_words() const {
    Request request = request_;
    request.file = line_.file;
    request.framework = std::nullopt;
    request.words.clear();
    return read_launch_script(request, start(1), {}, vocabulary_for_);
  }

  Recipe words_only() {
    Recipe recipe = start(1);
    recipe.framework = request_.framework.value_or(sniff_words(request_.words));
    recipe.root = {line_.file.get(), 0, static_cast<std::uint32_t>(line_.file->bytes().size())};
    if (recipe.framework == Framework::mlm) {
      read_words(recipe, line_.words, vocabulary_for_(Framework::mlm), true);
    } else {
      yaml::Node empty;
      empty.kind = yaml::Kind::mapping;
      empty.mark = recipe.root;
      const yaml::Stream base = request_.base ? yaml::parse(*request_.base) : yaml::Stream();
      const bool based = !base.documents.empty() && base.documents.front().root.is_mapping();
      if (based) {
        recipe.base = request_.base;
        recipe.files.push_back(request_.base);
      }
      read_bridge(recipe,
                  {based ? &base.documents.front().root : nullptr, empty, line_.words},
                  request_.environment,
                  vocabulary_for_(Framework::bridge));
    }
    return recipe;
  }

  Recipe read(const yaml::Document& document, int number) const {
    Recipe recipe = start(number);
    recipe.root = document.root.mark;
    const auto sniffed = sniff_root(document.root);
    recipe.framework = request_.framework.value_or(sniffed.value_or(Framework::bridge));
    if (!document.root.is_mapping()) {
      unrecognized(recipe, document, "it does not contain a mapping of keys to values");
    } else if (const std::string slip = misspelt(document.root); !slip.empty()) {
      unrecognized(recipe, document, slip);
      recipe.diagnostics.back().rule = "recipe/misspelt-section";
      recipe.diagnostics.back().help = "correct the name of the section";
    } else if (!sniffed || (!request_.framework && is_foreign(document.root))) {
      unrecognized(
          recipe, document, "it has neither MODEL_ARGS nor sections such as model, train or ddp");
    } else if (request_.framework && *request_.framework != *sniffed) {
      unrecognized(recipe, document, fmt::format("it looks like a recipe of {}", title(*sniffed)));
    } else if (*sniffed == Framework::mlm) {
      read_mlm(recipe, document);
    } else {
      read_configuration(recipe, document);
    }
    add_duplicates(recipe, document.root);
    return recipe;
  }

  std::string misspelt(const yaml::Node& root) const {
    const std::string slip = misspelt_recipe(root);
    return slip.empty() && !sniff_root(root) ? misspelt_beside_recipes(root) : slip;
  }

  /// The same for a file of which only its neighbours tell what it is: beside recipes, sections with
  /// fields of one, by names that are nearly those of one.
  std::string misspelt_beside_recipes(const yaml::Node& root) const {
    std::string first;
    int slips = 0;
    int others = 0;
    for (const yaml::Entry& entry : root.entries) {
      const std::string_view meant = meant_by(entry);
      (meant.empty() ? others : slips) += 1;
      if (!meant.empty() && first.empty()) {
        first = slip_text(entry.key, meant);
      }
    }
    return slips > others && is_beside_recipes() ? first : std::string();
  }

  /// The section that a mapping under another name is meant to be, by the name and by most of its
  /// fields; "" for none.
  std::string_view meant_by(const yaml::Entry& entry) const {
    if (!entry.value.is_mapping()) {
      return {};
    }
    constexpr int kMostEdits = 2;
    const bool flags = text::edit_distance(entry.key, kFlagSection) <= kMostEdits ||
                       text::lower(entry.key) == text::lower(kFlagSection);
    const std::string_view meant = flags ? kFlagSection : meant_section(entry.key);
    if (meant.empty()) {
      return {};
    }
    const Vocabulary& vocabulary = vocabulary_for_(flags ? Framework::mlm : Framework::bridge);
    const std::size_t fields =
        flags ? count_flags(entry.value, vocabulary) : count_fields(entry.value, meant, vocabulary);
    return 2 * fields > entry.value.entries.size() ? meant : std::string_view();
  }

  static std::size_t count_fields(const yaml::Node& node,
                                  std::string_view section,
                                  const Vocabulary& vocabulary) {
    return static_cast<std::size_t>(
        std::ranges::count_if(node.entries, [&](const yaml::Entry& entry) {
          const std::string path = fmt::format("{}.{}", section, entry.key);
          return vocabulary.find(path) != nullptr || !vocabulary.history(path).empty();
        }));
  }

  static std::size_t count_flags(const yaml::Node& node, const Vocabulary& vocabulary) {
    const auto known = [&](const yaml::Entry& entry) {
      return std::ranges::any_of(vocabulary.flags(), [&](const Flag& flag) {
        return std::ranges::find(flag.spellings, entry.key) != flag.spellings.end();
      });
    };
    return static_cast<std::size_t>(std::ranges::count_if(node.entries, known));
  }

  bool is_beside_recipes() const {
    return request_.beside && request_.beside([&](const auto& file) {
      Request other;
      other.file = file;
      return std::ranges::any_of(Loader(other, vocabulary_for_).run(),
                                 [](const Recipe& recipe) { return recipe.readable; });
    });
  }

  /// A Megatron class: the `_target_` of a section, or of the whole document.
  static bool is_of_megatron(const yaml::Node& target) {
    return target.scalar.find("megatron") != std::string::npos;
  }

  /// Sections such as `model` and `optimizer` are common: an override file mostly has
  /// Megatron-Bridge's sections, with some of their fields.
  bool is_foreign(const yaml::Node& root) const {
    const yaml::Node* target = root.find("_target_");
    if (sniff_root(root) != Framework::bridge || (target != nullptr && is_of_megatron(*target))) {
      return false;
    }
    const Vocabulary& vocabulary = vocabulary_for_(Framework::bridge);
    int sections = 0;
    int others = 0;
    int keys = 0;
    int fields = 0;
    for (const yaml::Entry& entry : root.entries) {
      const bool section = vocabulary.has_section(entry.key);
      (section ? sections : others) += 1;
      for (const yaml::Entry& child : entry.value.entries) {
        const std::string path = entry.key + "." + child.key;
        keys += section ? 1 : 0;
        const bool known = child.key == "_target_"
                               ? is_of_megatron(child.value)
                               : vocabulary.knows(path) || !vocabulary.history(path).empty();
        fields += section && known ? 1 : 0;
      }
    }
    constexpr int kFew = 2;  // misspelt ones of a small file
    return others > sections || (fields == 0 && keys > kFew);
  }

  /// Overrides are applied to the base recipe, if there is one; a complete recipe has no base.
  void read_configuration(Recipe& recipe, const yaml::Document& document) const {
    const bool whole = document.root.find("_target_") != nullptr;
    const yaml::Stream base =
        request_.base && !whole ? yaml::parse(*request_.base) : yaml::Stream();
    const yaml::Node* root = base.documents.empty() ? nullptr : &base.documents.front().root;
    if (request_.base && !whole) {
      recipe.base = request_.base;
      recipe.files.push_back(request_.base);
      recipe.diagnostics = base.diagnostics;
      if (root == nullptr || !root->is_mapping() || sniff_root(*root) != Framework::bridge) {
        recipe.readable = false;
        recipe.diagnostics.push_back(
            {"recipe/unrecognized",
             {request_.base.get(), 0, 0},
             "this is not a Megatron-Bridge recipe to which overrides can be applied",
             {},
             "--base needs the YAML file of a complete ConfigContainer"});
        return;
      }
    }
    read_bridge(recipe,
                {root, document.root, line_.words},
                request_.environment,
                vocabulary_for_(Framework::bridge));
  }

  static void unrecognized(Recipe& recipe,
                           const yaml::Document& document,
                           std::string_view reason) {
    text::Mark mark = document.root.mark;
    if (document.root.is_mapping() && !document.root.entries.empty()) {
      mark = document.root.entries.front().key_mark;
    }
    recipe.readable = false;
    recipe.diagnostics.push_back({"recipe/unrecognized",
                                  mark,
                                  fmt::format("not a recipe that epwise can read: {}", reason),
                                  {},
                                  document.root.is_mapping()
                                      ? "pass --framework bridge or mlm"
                                      : "a recipe is a YAML file of `key: value` lines"});
  }

  void read_mlm(Recipe& recipe, const yaml::Document& document) const {
    ModelArgs args = read_model_args(document.root, request_.environment);
    if (!args.problem.empty()) {
      unrecognized(recipe, document, args.problem);
      return;
    }
    recipe.variables = std::move(args.variables);
    recipe.diagnostics = std::move(args.diagnostics);
    recipe.raw["raw.launcher"] = Value::of(to_string(args.launcher));
    recipe.raw["raw.program"] = args.program.empty() ? Value::unset() : Value::of(args.program);
    args.words.insert(args.words.end(), line_.words.begin(), line_.words.end());
    read_words(recipe, args.words, vocabulary_for_(Framework::mlm), args.program.empty());
  }

  static void read_words(Recipe& recipe,
                         const std::vector<Word>& words,
                         const Vocabulary& vocabulary,
                         bool complete) {
    Parser parser = parser_of(vocabulary);
    parser.complete = complete;
    add_arguments(recipe, parse_arguments(words, parser), vocabulary);
    if (!complete) {  // an incomplete command line: the frameworks' programs read the rest there
      take_from_checkpoint(recipe, vocabulary);
    }
  }

  static void add_duplicates(Recipe& recipe, const yaml::Node& root) {
    std::vector<std::string> keys;
    collect_duplicates(root, "", keys);
    recipe.raw["raw.duplicate_keys"] = text_list(keys);
  }

  static void collect_duplicates(const yaml::Node& node,
                                 const std::string& path,
                                 std::vector<std::string>& keys) {
    std::map<std::string_view, int> seen;
    for (const yaml::Entry& entry : node.entries) {
      const std::string name = path.empty() ? entry.key : path + "." + entry.key;
      if (!entry.merged && ++seen[entry.key] == 2) {
        keys.push_back(name);
      }
      collect_duplicates(entry.value, name, keys);
    }
  }

  /// Megatron-Bridge overrides, which are read by OmegaConf.
  static bool is_override_file(const yaml::Node& root) {
    return trainer_format(root) == nullptr && root.find("_target_") == nullptr &&
           sniff_root(root) == Framework::bridge;
  }

  /// Findings about the text go to the document that contains them.
  void distribute(std::vector<text::Diagnostic> diagnostics,
                  const std::vector<yaml::Document>& documents,
                  const std::vector<std::size_t>& firsts,
                  std::vector<Recipe>& recipes) const {
    std::vector<std::vector<text::Diagnostic>> shares(recipes.size());
    for (text::Diagnostic& each : diagnostics) {
      std::size_t at = 0;
      while (at + 1 < documents.size() && at + 1 < firsts.size() &&
             each.mark.begin >= request_.file->line_offset(documents[at + 1].first_line)) {
        ++at;
      }
      if (at < documents.size() && is_override_file(documents[at].root)) {
        refuse_duplicate(each);
      }
      shares[firsts[at]].push_back(std::move(each));
    }
    for (std::size_t i = 0; i < recipes.size(); ++i) {
      std::vector<text::Diagnostic>& all = recipes[i].diagnostics;
      all.insert(all.begin(),
                 std::make_move_iterator(shares[i].begin()),
                 std::make_move_iterator(shares[i].end()));
    }
  }

  const Request& request_;
  const std::function<const Vocabulary&(Framework)>& vocabulary_for_;
  CommandLine line_;
};

}  // namespace

std::optional<Framework> sniff(const text::SourceFile& file) {
  const yaml::Stream stream = yaml::parse(file);
  for (const yaml::Document& document : stream.documents) {
    if (const TrainerFormat* format = trainer_format(document.root)) {
      return load_trainer(format->trainer).framework;
    }
    if (const auto found = sniff_root(document.root)) {
      return found;
    }
  }
  return std::nullopt;
}

std::vector<Recipe> load(const Request& request,
                         const std::function<const Vocabulary&(Framework)>& vocabulary_for) {
  return Loader(request, vocabulary_for).run();
}

}  // namespace epwise::recipe
