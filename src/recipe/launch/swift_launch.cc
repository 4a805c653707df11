#include "recipe/launch/swift_launch.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "recipe/trainers/trainer_document.h"
#include "recipe/trainers/trainer_format.h"
#include "yaml/parse.h"
#include "yaml/scalar.h"

namespace epwise::recipe {
namespace {

using expr::Value;
using Given = shell::Field;

bool is_flag(const std::string& text) {
  return text.size() > 2 && text.starts_with("--");
}

/// A word as the value that Python's parser makes of it.
ConfigNode node_of(const Given& field, std::string text, const text::Mark& mark) {
  ConfigNode node;
  node.mark = mark;
  node.origin = word_of(field).origin;
  if (!field.known()) {
    node.value = Value::unknown(field.needs());
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

/// The flags as one flat mapping; the last of each counts.
class Flags {
 public:
  ConfigNode run(const std::vector<Given>& words) {
    tree_.kind = ConfigNode::Kind::mapping;
    for (std::size_t at = 0; at < words.size();) {
      at = is_flag(words[at].text()) ? take(words, at) : at + 1;
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
      for (; next < words.size() && !is_flag(words[next].text()); ++next) {
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

  /// No value is `true`, one is itself.
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

std::vector<Recipe> read_swift_launch(
    const Recipe& start,
    const LaunchWords& launch,
    const Request& request,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for) {
  Recipe recipe = start;
  std::shared_ptr<const text::SourceFile> file;
  if (!launch.arguments.empty() && launch.arguments.front().known() && request.open &&
      launch.arguments.front().text().ends_with("ml")) {
    file = request.open(launch.arguments.front().text());
  }
  const yaml::Stream stream = file == nullptr ? yaml::Stream() : yaml::parse(*file);
  TrainerInput input;
  input.format = &kSwift;
  input.tree = Flags().run(launch.arguments);
  if (!stream.documents.empty() && stream.documents.front().root.is_mapping()) {
    input.root = &stream.documents.front().root;
    input.file = file;
    recipe.files.push_back(file);
  }
  return read_trainer_input(recipe, input, request, vocabulary_for);
}

}  // namespace epwise::recipe
