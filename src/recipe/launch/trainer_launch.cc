#include "recipe/launch/trainer_launch.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "recipe/launch/launch_options.h"
#include "recipe/trainers/trainer_document.h"
#include "recipe/trainers/trainer_format.h"
#include "yaml/parse.h"

namespace epwise::recipe {
namespace {

using Given = shell::Field;

/// "++model.num_layers=4" → "model.num_layers"; empty for what is no override.
std::string override_key(const Given& field) {
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

/// Groups such as model_engine=megatron choose files that are part of the program.
bool is_setting(const std::string& key) {
  return key.find('.') != std::string::npos;
}

std::string with_ending(const std::string& name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") ? name : name + ".yaml";
}

class Reader {
 public:
  Reader(const Recipe& start,
         const LaunchWords& launch,
         const Request& request,
         const std::function<const Vocabulary&(Framework)>& vocabulary_for)
      : start_(start),
        launch_(launch),
        request_(request),
        vocabulary_for_(vocabulary_for) {
    for (const Given& field : launch.arguments) {
      keys_.push_back(override_key(field));
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
    return read_trainer_input(recipe, input, request_, vocabulary_for_);
  }

 private:
  bool has_key(std::string_view prefix) const {
    return std::ranges::any_of(
        keys_, [prefix](const std::string& key) { return key.starts_with(prefix); });
  }

  bool is_verl() const {
    return launch_.program.starts_with("verl.") || has_key("actor_rollout_ref.");
  }

  /// Whether any word says that verl's models run on Megatron.
  bool is_on_megatron(const TrainerFormat* format, const yaml::Node* root) const {
    if (format != &kVerl || root != nullptr) {
      return true;
    }
    return std::ranges::any_of(launch_.arguments, [](const Given& field) {
      const std::string text = field.text();
      const std::string key = override_key(field);
      const bool names = text.find("megatron") != std::string::npos;
      return names && (key.find(".megatron.") != std::string::npos || key.ends_with("strategy") ||
                       key == "model_engine" || text.starts_with("--config-name") ||
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
      }
    }
    return words;
  }

  const Recipe& start_;
  const LaunchWords& launch_;
  const Request& request_;
  const std::function<const Vocabulary&(Framework)>& vocabulary_for_;
  std::vector<std::string> keys_;  // of the arguments; empty for what is no override
  std::shared_ptr<const text::SourceFile> file_;
  const Given* missing_ = nullptr;  // what names a file that can't be read
};

}  // namespace

std::optional<std::vector<Recipe>> read_trainer_launch(
    const Recipe& start,
    const LaunchWords& launch,
    const Request& request,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for) {
  return Reader(start, launch, request, vocabulary_for).run();
}

}  // namespace epwise::recipe
