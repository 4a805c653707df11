#include "recipe/launch/bridge_launch.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "base/text/spelling.h"
#include "base/units/version.h"
#include "recipe/arguments/arguments.h"
#include "recipe/bridge/bridge_yaml.h"
#include "recipe/launch/harness_options.h"
#include "recipe/launch/launch_words.h"
#include "recipe/launch/starting_recipe.h"
#include "recipe/named/named_recipe.h"
#include "recipe/rank_count.h"
#include "recipe/shell/arithmetic.h"
#include "yaml/parse.h"

namespace epwise::recipe {

namespace {

using expr::Value;
using Given = shell::Field;

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
    if (!request_.base) {
      start_ = starting_recipe(launch_, vocabulary_.version());
    }
    const std::shared_ptr<const text::SourceFile> base_file =
        request_.base ? request_.base : start_.file;
    std::vector<Word> sure;
    std::vector<Word> open;
    sort(sure, open);
    const yaml::Stream file = config_file();
    const yaml::Stream base = base_file ? yaml::parse(*base_file) : yaml::Stream();
    yaml::Node empty;
    empty.kind = yaml::Kind::mapping;
    empty.mark = recipe_.root;
    const bool filed = !file.documents.empty() && file.documents.front().root.is_mapping();
    if (filed) {
      recipe_.root = file.documents.front().root.mark;
    }
    const bool based = !base.documents.empty() && base.documents.front().root.is_mapping();
    if (based) {
      recipe_.base = base_file;
      recipe_.files.push_back(base_file);
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
    const Given* named = based ? nullptr : option(launch_, "--recipe");
    if (named != nullptr) {
      report_misspelt(*named);
      if (missing_.empty()) {
        missing_ = {"the base recipe"};  // a Python recipe, which sets what the words omit
      }
    }
    if (!missing_.empty()) {
      recipe_.raw["raw.unwritten"] = Value::unknown(missing_);
    }
    recipe_.note_unread_words(unread_words());
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
    for (Word& word : training_options(launch_, vocabulary_.version())) {
      (word.known() ? sure : open).push_back(std::move(word));
    }
    for (const Given& field : launch_.arguments) {
      if (!is_override(field, vocabulary_)) {
        continue;
      }
      Word word = word_of(field);
      (word.known() ? sure : open).push_back(std::move(word));
    }
    if (!is_harness(launch_)) {
      return;
    }
    HarnessOptions options = harness_options(launch_);
    if (start_.file) {
      settle(options, launch_, start_, vocabulary_);
    }
    std::move(options.overrides.begin(), options.overrides.end(), std::back_inserter(sure));
    std::move(options.left_open.begin(), options.left_open.end(), std::back_inserter(open));
    for (const std::string& key : options.ask) {
      open.push_back({key + "=", recipe_.root, {"values that the harness sets from its options"}});
    }
  }

  /// What would determine the words that may be any override: `$EXTRA`, `${OVERRIDES[@]}`. The value
  /// of an option is none of them.
  std::vector<std::string> unread_words() const {
    std::vector<std::string> needs;
    bool wants_value = false;
    for (const Given& field : launch_.arguments) {
      const std::string text = field.text();
      const bool literal = field.pieces.empty() || !field.pieces.front().unknown();
      if (!literal && !wants_value && field.condition() == 0) {
        shell::add_needs(field.needs(), needs);
      }
      wants_value = literal && text.starts_with('-') && text.find('=') == std::string::npos;
    }
    return needs;
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
    std::for_each(stream.diagnostics.begin(), stream.diagnostics.end(), refuse_duplicate);
    std::move(stream.diagnostics.begin(),
              stream.diagnostics.end(),
              std::back_inserter(recipe_.diagnostics));
    for (const yaml::Document& document : stream.documents) {
      check_shape(document.root);
    }
    return stream;
  }

  /// `--recipe NAME` that is close to a recipe of the release and is not one of any release.
  void report_misspelt(const Given& named) {
    const RecipeBook& book = RecipeBook::embedded();
    const std::string name = parse_recipe_name(option_text(named)).name;
    const auto has_it = [&](std::string_view release) {
      return book.find(release, name) != nullptr;
    };
    if (!named.known() || std::ranges::any_of(book.releases(), has_it)) {
      return;
    }
    const std::string nearest = text::did_you_mean(name, book.names(vocabulary_.version()));
    if (!nearest.empty()) {
      recipe_.diagnostics.push_back(
          {"recipe/missing-file",
           named.mark,
           fmt::format(
               "Megatron-Bridge {} has no recipe `{}`{}", vocabulary_.version(), name, nearest),
           {},
           "`epwise recipes list` shows the recipes of a release"});
    }
  }

  /// A file of overrides is a mapping of sections, and each section a mapping of fields.
  void check_shape(const yaml::Node& root) {
    const auto add = [this](const text::Mark& mark, std::string_view what) {
      recipe_.diagnostics.push_back(
          {"recipe/unrecognized",
           mark,
           fmt::format("the file of overrides is not read as intended: {}", what),
           {},
           "write sections with their fields: `model: {num_layers: 4}`"});
    };
    if (!root.is_mapping()) {
      add(root.mark, "it does not contain a mapping of keys to values");
      return;
    }
    for (const yaml::Entry& entry : root.entries) {
      const bool text = entry.value.is_scalar() && !entry.value.is_null();
      if (vocabulary_.has_section(entry.key) && entry.key != "mixed_precision" &&
          (text || entry.value.is_sequence())) {
        add(entry.value.mark, fmt::format("section `{}` is not a mapping of fields", entry.key));
      }
    }
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
    const bool harness = is_harness(launch_);
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
  StartingRecipe start_;
  std::vector<std::string> missing_;  // the override file, if it cannot be read
};

}  // namespace

bool is_bridge(const LaunchWords& launch, const Vocabulary& vocabulary) {
  const std::string program = program_name(launch.program);
  if (program == "run_recipe.py" || is_harness(launch)) {
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

}  // namespace epwise::recipe
