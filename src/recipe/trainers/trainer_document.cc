#include "recipe/trainers/trainer_document.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "recipe/models/model_config.h"
#include "recipe/overrides/interpolation.h"
#include "recipe/overrides/overrides.h"
#include "recipe/trainers/trainer_facts.h"
#include "recipe/trainers/trainer_recipe.h"
#include "yaml/parse.h"

namespace epwise::recipe {
namespace {

using expr::Value;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

ConfigNode mapping() {
  ConfigNode node;
  node.kind = ConfigNode::Kind::mapping;
  return node;
}

/// "+actor_rollout_ref.actor.megatron.x=${N}" → "actor_rollout_ref.actor.megatron.x"
std::string_view key_of(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of("+~"), word.size()));
  return word.substr(0, word.find('='));
}

class TrainerDocumentReader {
 public:
  TrainerDocumentReader(const Recipe& start, const TrainerInput& input, const Request& request)
      : start_(start),
        input_(input),
        request_(request) {}

  std::vector<Recipe> run(const std::function<const Vocabulary&(Framework)>& vocabulary_for) {
    ConfigNode tree = mapping();
    if (input_.root != nullptr) {
      std::vector<std::string_view> texts;
      if (!start_.files.empty()) {
        texts.push_back(start_.files.front()->bytes());
      }
      tree = whole(*input_.root, start_.path, texts);
    }
    if (input_.tree.is_mapping()) {
      lay_over(tree, input_.tree);
    }
    Trainer trainer = load_trainer(input_.format->trainer);
    report_foreign_words(tree, trainer, vocabulary_for(trainer.framework));
    override_tree(tree);
    resolve_references(tree, request_.environment);
    if (incomplete_ || input_.open) {
      trainer.untouched.clear();
      trainer.keeps_defaults = false;
      for (Trainer::Setting& setting : trainer.settings) {
        setting.otherwise.reset();
      }
    }
    std::vector<Recipe> recipes;
    for (const TrainerRole& role : input_.format->roles(tree)) {
      Recipe recipe = start_;
      recipe.files.insert(recipe.files.end(), files_.begin(), files_.end());
      std::ranges::copy(diagnostics_, std::back_inserter(recipe.diagnostics));
      const std::optional<ModelConfig> model = model_of(tree, role, recipe);
      read_trainer(recipe,
                   tree,
                   role,
                   trainer,
                   model ? &*model : nullptr,
                   vocabulary_for(trainer.framework));
      note_settings(recipe, tree, incomplete_ || input_.open ? trainer.rest : "");
      input_.format->complete(recipe, tree, role);
      recipes.push_back(std::move(recipe));
      diagnostics_.clear();  // the first one reports them
    }
    return recipes;
  }

 private:
  static constexpr std::size_t kDeepest = 8;

  /// The model that a role loads: --model-config, the config.json of its folder, or a public model
  /// of that name.
  std::optional<ModelConfig> model_of(const ConfigNode& tree,
                                      const TrainerRole& role,
                                      Recipe& recipe) const {
    if (request_.model_config != nullptr) {
      recipe.files.push_back(request_.model_config);
      return read_model_config(*request_.model_config);
    }
    if (!request_.model_name.empty()) {
      return public_model(request_.model_name);
    }
    for (const std::string& path : input_.format->models(role)) {
      const ConfigNode* node = node_at(tree, path);
      if (auto model = node == nullptr ? std::nullopt : model_named_by(*node, recipe)) {
        return model;
      }
    }
    return std::nullopt;
  }

  /// The config.json of its folder, a public model, or one in the cache.
  std::optional<ModelConfig> model_named_by(const ConfigNode& node, Recipe& recipe) const {
    const std::string* id = node.value.text();
    if (id == nullptr) {
      return public_model(known_ending(node));
    }
    if (auto model =
            model_in(request_.open ? request_.open(*id + "/config.json") : nullptr, recipe)) {
      return model;
    }
    if (auto model = public_model(*id)) {
      return model;
    }
    return model_in(request_.cached_model ? request_.cached_model(*id) : nullptr, recipe);
  }

  /// The model of a config.json, which becomes a file of the recipe; null pointer: there is none.
  static std::optional<ModelConfig> model_in(std::shared_ptr<const text::SourceFile> file,
                                             Recipe& recipe) {
    auto model = file == nullptr ? std::nullopt : read_model_config(*file);
    if (model) {
      recipe.files.push_back(std::move(file));
    }
    return model;
  }

  /// The last component of an unknown path, if that is known: "$ROOT/models/Qwen3-8B" → "Qwen3-8B".
  static std::string known_ending(const ConfigNode& node) {
    const std::size_t slash = node.written.rfind('/');
    const std::string ending =
        slash == std::string::npos ? std::string() : node.written.substr(slash + 1);
    return ending.find_first_of("${}`") == std::string::npos ? ending : std::string();
  }

  yaml::Dialect dialect() const {
    return input_.format == &kSwift ? yaml::Dialect::pyyaml : yaml::Dialect::omegaconf;
  }

  /// A configuration with its base configurations; `texts` are those of the files that led to it.
  ConfigNode whole(const yaml::Node& root,
                   const std::string& path,
                   std::vector<std::string_view>& texts) {
    ConfigNode tree = config_tree(root, dialect());
    const ConfigNode* defaults = input_.format == &kNemoRl ? tree.find("defaults") : nullptr;
    if (defaults == nullptr) {
      return tree;
    }
    ConfigNode all = mapping();
    for (const std::string& name : names_of(*defaults)) {
      std::shared_ptr<const text::SourceFile> file;
      if (request_.open && texts.size() <= kDeepest) {
        file = request_.open(name.starts_with('/') ? name : folder_of(path) + name);
      }
      if (file == nullptr) {
        incomplete_ = true;
        continue;
      }
      if (std::ranges::find(texts, file->bytes()) != texts.end()) {
        incomplete_ = true;
        diagnostics_.push_back({"recipe/circular-bases",
                                defaults->mark,
                                fmt::format("`{}` is a base of itself", name),
                                {},
                                "remove it from `defaults` of one of the files"});
        continue;
      }
      files_.push_back(file);
      const yaml::Stream stream = yaml::parse(*file);
      if (!stream.documents.empty() && stream.documents.front().root.is_mapping()) {
        texts.push_back(file->bytes());
        put_over(all, whole(stream.documents.front().root, file->name(), texts));
        texts.pop_back();
      }
    }
    put_over(all, std::move(tree));
    return all;
  }

  static std::vector<std::string> names_of(const ConfigNode& defaults) {
    std::vector<std::string> names;
    if (defaults.is_list()) {
      for (const ConfigNode& item : defaults.children) {
        names.push_back(item.value.to_text());
      }
    } else if (defaults.value.text() != nullptr) {
      names.push_back(*defaults.value.text());
    }
    return names;
  }

  /// NeMo-RL: a section with `_override_: true` replaces that of the base.
  static void put_over(ConfigNode& below, ConfigNode over) {
    for (const ConfigNode& section : over.children) {
      const ConfigNode* replaces = section.find("_override_");
      if (replaces != nullptr && replaces->value.truthy()) {
        std::erase_if(below.children,
                      [&](const ConfigNode& each) { return each.name == section.name; });
      }
    }
    lay_over(below, std::move(over));
  }

  /// Words that name a field of Megatron-Bridge in a section that the trainer does not have.
  void report_foreign_words(const ConfigNode& tree,
                            const Trainer& trainer,
                            const Vocabulary& vocabulary) {
    if (input_.root == nullptr) {
      return;  // a script's: its trainer's own defaults may have the section
    }
    for (const Word& word : input_.overrides) {
      const std::string_view key = key_of(word.text);
      const std::string section(key.substr(0, key.find('.')));
      if (section != key && tree.find(section) == nullptr && vocabulary.find(key) != nullptr) {
        diagnostics_.push_back(
            {"recipe/unknown-key",
             word.mark,
             fmt::format("`{}` has no effect: the configuration of {} has no section `{}`",
                         key,
                         trainer.title,
                         section),
             {},
             fmt::format("set it by the name that {} reads", trainer.title)});
      }
    }
  }

  void override_tree(ConfigNode& tree) {
    ConfigSchema schema;
    schema.knows = [](std::string_view) { return true; };
    for (const Word& word : input_.overrides) {
      if (word.known()) {
        apply_overrides(tree, {word}, schema, diagnostics_);
      } else {
        leave_open(tree, word);
      }
    }
  }

  static void leave_open(ConfigNode& tree, const Word& word) {
    const std::string key(key_of(word.text));
    ConfigNode* node = &tree;
    for (const std::string& part : path_parts(key)) {
      node->kind = ConfigNode::Kind::mapping;
      ConfigNode* next = node->find(part);
      if (next == nullptr) {
        ConfigNode fresh;
        fresh.name = part;
        fresh.key = word.mark;
        fresh.mark = word.mark;
        node->children.push_back(std::move(fresh));
        next = &node->children.back();
      }
      node = next;
    }
    node->kind = ConfigNode::Kind::value;
    node->children.clear();
    node->value = Value::unknown(word.needs);
    node->written = word.text.substr(std::min(word.text.find('=') + 1, word.text.size()));
    node->key = word.mark;
    node->mark = word.mark;
    node->origin = word.origin;
  }

  const Recipe& start_;
  const TrainerInput& input_;
  const Request& request_;
  bool incomplete_ = false;  // a base file cannot be read
  std::vector<std::shared_ptr<const text::SourceFile>> files_;
  std::vector<text::Diagnostic> diagnostics_;
};

}  // namespace

std::vector<Recipe> read_trainer_input(
    const Recipe& start,
    const TrainerInput& input,
    const Request& request,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for) {
  return TrainerDocumentReader(start, input, request).run(vocabulary_for);
}

}  // namespace epwise::recipe
