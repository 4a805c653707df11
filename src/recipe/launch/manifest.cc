#include "recipe/launch/manifest.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/units/checked.h"
#include "recipe/launch/launch_script.h"
#include "recipe/rank_count.h"
#include "recipe/shell/field.h"
#include "recipe/shell/words.h"

namespace epwise::recipe {

namespace {

using Given = shell::Field;
using shell::Piece;

constexpr std::size_t kMostContainers = 64;

std::string scalar_at(const yaml::Node& node, std::string_view key) {
  const yaml::Node* found = node.find(key);
  return found != nullptr && found->is_scalar() ? found->scalar : std::string();
}

std::optional<std::int64_t> integer_of(const yaml::Node* node) {
  constexpr std::size_t kMostDigits = 9;
  if (node == nullptr || !node->is_scalar() || node->scalar.empty() ||
      node->scalar.size() > kMostDigits ||
      node->scalar.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  return std::stoll(node->scalar);
}

// -------------------------------------------------------------------------------------------------
// Texts inside of YAML

bool is_literal_block(const yaml::Node& node) {
  const std::string_view bytes = node.mark.nowhere() ? "" : node.mark.file->bytes();
  return node.is_scalar() && node.mark.begin < bytes.size() && bytes[node.mark.begin] == '|';
}

/// The lines of a `|` block with their places; one piece without a place in the text if they cannot
/// be found there.
std::vector<Piece> block_pieces(const yaml::Node& node) {
  const text::SourceFile& file = *node.mark.file;
  std::vector<Piece> pieces;
  int number = node.mark.start().line + 1;
  for (std::size_t at = 0; at < node.scalar.size(); ++number) {
    const std::size_t end = std::min(node.scalar.find('\n', at), node.scalar.size());
    const std::string_view text = std::string_view(node.scalar).substr(at, end - at);
    const std::string_view line = file.line(number);
    if (!line.ends_with(text)) {
      return {{.text = node.scalar, .mark = node.mark}};
    }
    const std::size_t begin = file.line_offset(number) + line.size() - text.size();
    const bool fed = begin + text.size() < file.bytes().size() &&
                     file.bytes()[begin + text.size()] == '\n' && end < node.scalar.size();
    Piece piece;
    piece.text = std::string(text) + (end < node.scalar.size() ? "\n" : "");
    piece.mark = {node.mark.file,
                  static_cast<std::uint32_t>(begin),
                  static_cast<std::uint32_t>(begin + text.size() + (fed ? 1 : 0))};
    piece.verbatim = fed || end == node.scalar.size();
    pieces.push_back(std::move(piece));
    at = end + 1;
  }
  return pieces;
}

std::vector<Piece> pieces_of(const yaml::Node& node) {
  if (is_literal_block(node)) {
    return block_pieces(node);
  }
  Piece piece;
  piece.text = node.scalar;
  piece.mark = node.mark;
  if (!node.mark.nowhere()) {
    const std::string_view written =
        node.mark.file->bytes().substr(node.mark.begin, node.mark.end - node.mark.begin);
    const std::size_t at = written.find(node.scalar);
    if (at != std::string_view::npos && written.size() - node.scalar.size() <= 2) {
      piece.mark.begin += static_cast<std::uint32_t>(at);
      piece.mark.end = piece.mark.begin + static_cast<std::uint32_t>(node.scalar.size());
      piece.verbatim = true;
    }
  }
  return {std::move(piece)};
}

// -------------------------------------------------------------------------------------------------
// Containers

using ContainerVariables = std::map<std::string, shell::Variable>;

/// Kubernetes replaces `$(NAME)` by the container's variables before anything is started.
void add_expanded(const Piece& whole,
                  const ContainerVariables& variables,
                  std::vector<Piece>& pieces) {
  std::size_t done = 0;
  for (std::size_t at = whole.text.find("$("); at != std::string::npos;
       at = whole.text.find("$(", at + 1)) {
    const std::size_t end = whole.text.find(')', at);
    if (end == std::string::npos) {
      break;
    }
    const auto found = variables.find(whole.text.substr(at + 2, end - at - 2));
    if (found == variables.end()) {
      continue;
    }
    pieces.push_back(shell::part_of(whole, done, at));
    for (Piece piece : found->second.fields.front().pieces) {
      piece.definition = piece.mark;
      piece.mark = shell::part_of(whole, at, end + 1).mark;
      piece.verbatim = false;
      pieces.push_back(std::move(piece));
    }
    done = end + 1;
  }
  pieces.push_back(shell::part_of(whole, done, whole.text.size()));
}

/// What a template engine puts in is not known.
void add_pieces(const Piece& whole,
                const ContainerVariables& variables,
                std::vector<Piece>& pieces) {
  std::size_t done = 0;
  while (true) {
    const std::string_view rest = std::string_view(whole.text).substr(done);
    const std::string_view open = template_expression(rest);
    if (open.empty()) {
      break;
    }
    const std::size_t at = done + static_cast<std::size_t>(open.data() - rest.data());
    if (at > done) {
      add_expanded(shell::part_of(whole, done, at), variables, pieces);
    }
    done = at + open.size();
    Piece piece = shell::part_of(whole, at, done);
    piece.needs = {piece.text};
    piece.verbatim = false;
    pieces.push_back(std::move(piece));
  }
  if (done == 0 || done < whole.text.size()) {
    add_expanded(shell::part_of(whole, done, whole.text.size()), variables, pieces);
  }
}

Given field_of_node(const yaml::Node& node, const ContainerVariables& variables) {
  Given field;
  field.mark = node.mark;
  for (const Piece& piece : pieces_of(node)) {
    add_pieces(piece, variables, field.pieces);
  }
  if (!field.pieces.empty() && !node.mark.nowhere()) {  // without quotes
    field.mark.begin = field.pieces.front().mark.begin;
    field.mark.end = field.pieces.back().mark.end;
  }
  return field;
}

/// `env` of a container. What another object holds is not known here.
ContainerVariables variables_of(const yaml::Node& container) {
  ContainerVariables variables;
  const yaml::Node* all = container.find("env");
  if (all == nullptr) {
    return variables;
  }
  for (const yaml::Node& each : all->items) {
    const std::string name = scalar_at(each, "name");
    if (name.empty()) {
      continue;
    }
    shell::Variable variable;
    variable.kind = shell::Variable::Kind::text;
    variable.exported = true;
    variable.key = each.find("name")->mark;
    const yaml::Node* value = each.find("value");
    variable.fields.push_back(value != nullptr && value->is_scalar()
                                  ? field_of_node(*value, variables)
                                  : shell::unknown_value(each.mark, name));
    variables.insert_or_assign(name, std::move(variable));
  }
  return variables;
}

/// GPUs of a container: `nvidia.com/gpu` of its limits or requests; none: 0, unknown: nullopt.
std::optional<Ranks> gpus_of(const yaml::Node& container) {
  const yaml::Node* resources = container.find("resources");
  for (const std::string_view kind : {"limits", "requests"}) {
    const yaml::Node* rows = resources == nullptr ? nullptr : resources->find(kind);
    if (rows == nullptr) {
      continue;
    }
    for (const yaml::Entry& row : rows->entries) {
      const auto count = integer_of(&row.value);
      if (row.key.ends_with("/gpu") && !count) {
        return std::nullopt;
      }
      if (row.key.ends_with("/gpu") && *count > 0) {
        return Ranks{1, *count, row.value.mark};
      }
    }
  }
  return Ranks{1, 0, {}};
}

struct Container {
  const yaml::Node* node = nullptr;
  std::optional<std::int64_t> pods = 1;  // nullopt: unknown
};

/// Every container below a node; `pods` is the number of its copies.
void collect(const yaml::Node& node,
             std::optional<std::int64_t> pods,
             std::vector<Container>& containers) {
  if (containers.size() >= kMostContainers) {
    return;
  }
  for (const std::string_view each : {"replicas", "parallelism"}) {
    const yaml::Node* copies = node.find(each);
    const auto count = copies == nullptr ? std::optional<std::int64_t>(1) : integer_of(copies);
    pods = pods && count ? units::product(*pods, *count) : std::nullopt;
  }
  for (const yaml::Entry& entry : node.entries) {
    if (entry.key != "containers") {
      collect(entry.value, pods, containers);
      continue;
    }
    for (const yaml::Node& container : entry.value.items) {
      containers.push_back({&container, pods});
    }
  }
  for (const yaml::Node& item : node.items) {
    collect(item, pods, containers);
  }
}

/// The GPUs of a job's pods, if each has as many.
std::optional<Ranks> job_gpus(const std::vector<Container>& containers) {
  std::optional<Ranks> all;
  for (const Container& each : containers) {
    auto gpus = gpus_of(*each.node);
    if (!gpus || (!each.pods && gpus->each > 0)) {
      return std::nullopt;
    }
    if (gpus->each < 1 || *each.pods < 1) {
      continue;
    }
    gpus->nodes = *each.pods;
    if (!all) {
      all = gpus;
    } else if (all->each == gpus->each) {
      all->nodes += gpus->nodes;
    } else {
      return std::nullopt;
    }
  }
  return all;
}

/// MPIJob: how many processes mpirun starts in a pod.
std::optional<std::int64_t> job_slots(const yaml::Node& root) {
  const yaml::Node* spec = root.find("spec");
  return integer_of(spec == nullptr ? nullptr : spec->find("slotsPerWorker"));
}

/// `command` and `args` of a container.
std::vector<Given> words_of(const yaml::Node& container, const ContainerVariables& variables) {
  std::vector<Given> words;
  for (const std::string_view each : {"command", "args"}) {
    const yaml::Node* list = container.find(each);
    if (list == nullptr) {
      continue;
    }
    for (const yaml::Node& word : list->items) {
      if (!word.is_mapping() && !word.is_sequence()) {
        words.push_back(field_of_node(word, variables));
      }
    }
  }
  return words;
}

/// The file with blanks for everything outside of a `|` block.
std::shared_ptr<const text::SourceFile> only_block(const text::SourceFile& file,
                                                   const yaml::Node& node) {
  std::string bytes(file.bytes());
  const int first = node.mark.start().line + 1;
  const std::size_t begin = file.line_offset(first);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const bool inside = at >= begin && at < node.mark.end;
    if (!inside && bytes[at] != '\n' && bytes[at] != '\r') {
      bytes[at] = ' ';
    }
  }
  return std::make_shared<text::SourceFile>(
      file.name(), std::move(bytes), text::SourceFile::ByteOrderMark::kept);
}

bool is_yaml_name(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

bool is_script_name(std::string_view name) {
  return name.ends_with(".sh") || name.ends_with(".bash");
}

}  // namespace

bool is_manifest(const yaml::Node& root) {
  return root.is_mapping() && !scalar_at(root, "apiVersion").empty() &&
         !scalar_at(root, "kind").empty();
}

ManifestFiles::ManifestFiles(const text::SourceFile& file, const yaml::Stream& stream) {
  constexpr std::size_t kMostFiles = 32;
  for (const yaml::Document& document : stream.documents) {
    const yaml::Node* data = document.root.find("data");
    if (data == nullptr || scalar_at(document.root, "kind") != "ConfigMap") {
      continue;
    }
    for (const yaml::Entry& entry : data->entries) {
      const bool known = is_yaml_name(entry.key) || is_script_name(entry.key);
      if (known && is_literal_block(entry.value) && held_.size() < kMostFiles) {
        held_.push_back({entry.key, document.number, only_block(file, entry.value)});
      }
    }
  }
}

std::shared_ptr<const text::SourceFile> ManifestFiles::open(const std::string& path) {
  const auto found = std::ranges::find(held_, shell::base_name(path), &Held::name);
  if (found == held_.end()) {
    return nullptr;
  }
  found->opened = true;
  return found->file;
}

std::vector<std::shared_ptr<const text::SourceFile>> ManifestFiles::unopened(
    const yaml::Document& document, bool scripts) const {
  std::vector<std::shared_ptr<const text::SourceFile>> files;
  for (const Held& each : held_) {
    if (each.document == document.number && !each.opened && is_script_name(each.name) == scripts) {
      files.push_back(each.file);
    }
  }
  return files;
}

std::vector<Recipe> read_manifest(
    const yaml::Node& root,
    const Request& request,
    const Recipe& start,
    const std::vector<Word>& words,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for) {
  std::vector<Container> containers;
  collect(root, 1, containers);
  const std::string kind = scalar_at(root, "kind");
  Command command;
  command.gpus = job_gpus(containers);
  command.ranks = command.gpus;
  const auto slots = job_slots(root);
  if (command.gpus && slots) {
    command.ranks->each = *slots;
    command.gpus->each = std::min(*slots, command.gpus->each);
  }
  command.sets_nodes = kind == "PyTorchJob" || kind == "TrainJob";
  std::vector<Recipe> recipes;
  std::vector<std::string> seen;
  for (const Container& each : containers) {
    command.variables = variables_of(*each.node);
    command.words = words_of(*each.node, command.variables);
    std::string text;
    for (const Given& word : command.words) {
      text += word.text() + '\n';
    }
    if (command.words.empty() || std::ranges::find(seen, text) != seen.end()) {
      continue;  // a worker starts what its master starts
    }
    seen.push_back(text);
    for (Recipe& recipe : read_command(request, start, command, words, vocabulary_for)) {
      recipes.push_back(std::move(recipe));
    }
  }
  return recipes;
}

}  // namespace epwise::recipe
