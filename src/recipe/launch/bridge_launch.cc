#include "recipe/launch/bridge_launch.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "recipe/bridge/bridge_yaml.h"
#include "recipe/launch/assignments.h"
#include "recipe/launch/harness_options.h"
#include "recipe/launch/launch_options.h"
#include "shell/arithmetic.h"
#include "yaml/parse.h"

namespace epwise::recipe {
namespace {

using expr::Value;
using Given = shell::Field;

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The programs of Bridge's performance harness, with options of their own.
constexpr std::array<std::string_view, 2> kHarness = {"run_script.py", "setup_experiment.py"};

/// "++model.num_layers=4" → "model.num_layers"
std::string_view override_key(std::string_view word) {
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
  const std::string_view key = override_key(text);
  const bool named = !field.pieces.empty() && !field.pieces.front().unknown() &&
                     (removes || field.pieces.front().text.find('=') != std::string::npos ||
                      text.find('=') < field.pieces.front().text.size());
  return named && is_key(key) && (removes || text.find('=') != std::string::npos) &&
         vocabulary.has_section(key.substr(0, key.find('.')));
}

class Reader {
 public:
  Reader(Recipe& recipe,
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
      missing_ = {"the base recipe"};  // of Python, which says what the words leave out
    }
    if (!missing_.empty()) {
      recipe_.raw["raw.unwritten"] = Value::unknown(missing_);
    }
    take_count();
    take_hardware();
  }

 private:
  /// What the harness puts into the job's environment, before what the script exports.
  void take_environment() {
    const HarnessEnvironment given = harness_environment(launch_, vocabulary_.version());
    for (const auto& [name, value] : given.variables) {
      recipe_.variables.insert_or_assign(name, variable_of(value, value.mark));
    }
    for (const std::string& name : given.computed) {
      const auto found = recipe_.variables.find(name);
      const text::Mark mark = found == recipe_.variables.end() ? recipe_.root : found->second.mark;
      recipe_.variables.insert_or_assign(
          name, Variable{Value::unknown({"what the harness makes of its options"}), mark, mark});
    }
  }

  /// Overrides whose text and presence are sure, and the others.
  void sort(std::vector<Word>& sure, std::vector<Word>& open) const {
    for (const Given& field : launch_.arguments) {
      if (!is_override(field, vocabulary_)) {
        continue;
      }
      Word word = word_of(field);
      (word.known() ? sure : open).push_back(std::move(word));
    }
    if (!is_one_of(program_name(launch_.program), kHarness)) {
      return;
    }
    HarnessOptions options = harness_options(launch_);
    std::move(options.overrides.begin(), options.overrides.end(), std::back_inserter(sure));
    std::move(options.left_open.begin(), options.left_open.end(), std::back_inserter(open));
    for (const std::string& key : options.ask) {
      open.push_back({key + "=", recipe_.root, {"what the harness makes of its options"}});
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
      return {};
    }
    recipe_.files.push_back(file);
    yaml::Stream stream = yaml::parse(*file);
    std::move(stream.diagnostics.begin(),
              stream.diagnostics.end(),
              std::back_inserter(recipe_.diagnostics));
    return stream;
  }

  /// What the script exports is the environment of its program.
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
    const std::string key(override_key(word.text));
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
    constexpr std::int64_t kMost = 1 << 24;
    const auto number = shell::whole_number(option_text(*count));
    if (number && *number > 0 && *number <= kMost) {
      recipe_.raw["raw.gpus"] = Value::of(*number);
      recipe_.raw["raw.gpus_source"] = Value::of(place_of(*count, "-ng"));
    }
  }

  /// `-g gb200`: the GPUs that the harness starts the job on.
  void take_hardware() {
    const bool harness = is_one_of(program_name(launch_.program), kHarness);
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
  std::vector<std::string> missing_;  // the file of overrides, where it can't be read
};

}  // namespace

bool is_bridge(const LaunchWords& launch, const Vocabulary& vocabulary) {
  const std::string program = program_name(launch.program);
  if (program == "run_recipe.py" || is_one_of(program, kHarness)) {
    return true;
  }
  // Sections such as `logger` are everybody's: its own fields, and few of other programs.
  int fields = 0;
  int others = 0;
  for (const Given& field : launch.arguments) {
    const std::string text = field.text();
    const std::string_view key = override_key(text);
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
  Reader(recipe, launch, request, vocabulary).run();
}

}  // namespace epwise::recipe
