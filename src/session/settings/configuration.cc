#include "session/settings/configuration.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/os/regular_files.h"
#include "base/text/source_file.h"
#include "base/text/spelling.h"
#include "base/units/version.h"
#include "hw/profile.h"
#include "lint/facts/target.h"
#include "session/files/places.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::session {

namespace {

std::string place_of(const text::Mark& mark) {
  return fmt::format("{}:{}", mark.file->name(), mark.start().line);
}

Setting setting_of(const yaml::Node& node) {
  return {node.scalar, place_of(node.mark)};
}

/// Reads the keys shared by the top level and the entries of `targets`.
class TargetReader {
 public:
  TargetReader(yaml::MapReader& in, std::string_view folder) : in_(in), folder_(folder) {}

  TargetSettings read() {
    TargetSettings settings;
    settings.from_configuration = true;
    settings.hw = scalar("hw");
    settings.gpus = scalar("gpus");
    settings.framework = scalar("framework");
    check_word(settings.framework, "framework", {"bridge", "mlm"});
    settings.stack = pairs("stack", "component: version");
    settings.environment = pairs("env", "NAME: value");
    settings.harness = pairs("harness", "name: value");
    settings.inputs = pairs("inputs", "name: value");
    settings.allowed_targets = list("allowed_targets");
    settings.purpose = scalar("purpose");
    check_word(settings.purpose, "purpose", {facts::kPurposes.begin(), facts::kPurposes.end()});
    settings.base = scalar("base");
    if (settings.base) {
      settings.base->value = join(folder_, settings.base->value);
    }
    settings.model_config = scalar("model_config");
    if (settings.model_config) {
      settings.model_config->value = join(folder_, settings.model_config->value);
    }
    if (settings.hw && hw::is_profile_file(settings.hw->value)) {
      settings.hw->value = join(folder_, settings.hw->value);
    }
    if (const yaml::Node* stack = in_.node("stack"); stack != nullptr && stack->is_scalar()) {
      settings.stack = split_list(settings.stack.front());
    }
    return settings;
  }

  void check_word(const std::optional<Setting>& setting,
                  std::string_view key,
                  const std::vector<std::string_view>& words) {
    if (setting && std::ranges::find(words, setting->value) == words.end()) {
      in_.problem(in_.node(key)->mark,
                  fmt::format("`{}` must be one of {}, not `{}`{}",
                              key,
                              fmt::join(words, ", "),
                              setting->value,
                              text::did_you_mean(setting->value, words)));
    }
  }

  std::optional<Setting> scalar(std::string_view key) {
    const yaml::Node* node = in_.node(key);
    if (node == nullptr || node->is_null()) {
      return std::nullopt;
    }
    if (!node->is_scalar()) {
      in_.problem(node->mark, fmt::format("`{}` must be a single value", key));
      return std::nullopt;
    }
    return setting_of(*node);
  }

  std::vector<Setting> list(std::string_view key) {
    const yaml::Node* node = in_.node(key);
    if (node == nullptr || node->is_null()) {
      return {};
    }
    if (node->is_scalar()) {
      return split_list(setting_of(*node));
    }
    std::vector<Setting> settings;
    for (const yaml::Node& item : node->items) {
      add(key, item, settings);
    }
    if (node->is_mapping()) {
      in_.problem(node->mark, fmt::format("`{}` must be a list", key));
    }
    return settings;
  }

 private:
  /// A mapping {a: b}, or a list or one value of the form "a=b".
  std::vector<Setting> pairs(std::string_view key, std::string_view form) {
    const yaml::Node* node = in_.node(key);
    std::vector<Setting> settings;
    if (node == nullptr || node->is_null()) {
      return settings;
    }
    if (node->is_scalar()) {
      return {setting_of(*node)};
    }
    for (const yaml::Node& item : node->items) {
      add(key, item, settings);
    }
    for (const yaml::Entry& entry : node->entries) {
      if (entry.value.is_null()) {
        settings.push_back({entry.key, place_of(entry.key_mark)});
      } else if (entry.value.is_scalar()) {
        settings.push_back(
            {fmt::format("{}={}", entry.key, entry.value.scalar), place_of(entry.key_mark)});
      } else {
        in_.problem(entry.value.mark, fmt::format("`{}` holds {}", key, form));
      }
    }
    return settings;
  }

  void add(std::string_view key, const yaml::Node& item, std::vector<Setting>& settings) {
    if (item.is_scalar()) {
      settings.push_back(setting_of(item));
    } else {
      in_.problem(item.mark, fmt::format("`{}` must be a list of scalars", key));
    }
  }

  yaml::MapReader& in_;
  std::string_view folder_;
};

constexpr std::array<std::string_view, 3> kLevels{"error", "warning", "note"};

/// {memory/: note, EPO014: error}
std::vector<SeverityEntry> read_severity(yaml::MapReader& in) {
  std::vector<SeverityEntry> entries;
  const yaml::Node* node = in.node("severity");
  if (node == nullptr || node->is_null()) {
    return entries;
  }
  if (!node->is_mapping()) {
    in.problem(node->mark, "`severity` must map rules to error, warning or note");
    return entries;
  }
  for (const yaml::Entry& entry : node->entries) {
    if (std::ranges::find(kLevels, entry.value.scalar) == kLevels.end()) {
      in.problem(entry.value.mark,
                 fmt::format("`severity` of {} must be one of {}, not `{}`",
                             entry.key,
                             fmt::join(kLevels, ", "),
                             entry.value.scalar),
                 "`ignore` is a list of rules to skip");
      continue;
    }
    entries.push_back({{entry.key, place_of(entry.key_mark)}, entry.value.scalar});
  }
  return entries;
}

RunSettings read_run(TargetReader& reader, std::string_view folder) {
  RunSettings run;
  run.select = reader.list("select");
  run.ignore = reader.list("ignore");
  for (Setting& rule : reader.list("extend_select")) {
    run.extensions.push_back({std::move(rule), true});
  }
  for (Setting& rule : reader.list("extend_ignore")) {
    run.extensions.push_back({std::move(rule), false});
  }
  run.fail_on = reader.scalar("fail_on");
  reader.check_word(run.fail_on,
                    "fail_on",
                    {"error", "warning", "note", "never", "hang", "wrong", "memory", "slow"});
  run.strict = reader.scalar("strict");
  reader.check_word(run.strict, "strict", {"true", "false"});
  run.rules = reader.scalar("rules");
  if (run.rules) {
    run.rules->value = join(folder, run.rules->value);
  }
  return run;
}

TargetEntry read_entry(const yaml::Node& node,
                       std::string_view folder,
                       std::vector<text::Diagnostic>& problems) {
  yaml::MapReader in(node, "an entry of `targets`", problems);
  TargetReader reader(in, folder);
  TargetEntry entry;
  entry.source = place_of(node.mark);
  entry.name = in.text("name").value_or("");
  for (const std::string& line : in.texts("paths")) {
    if (const auto pattern = PathPattern::parse(line)) {
      entry.paths.push_back(*pattern);
    }
  }
  if (entry.paths.empty() && entry.name.empty()) {
    in.problem(node.mark,
               "this entry of `targets` never applies",
               "give it `paths`, or a `name` for --target");
  }
  entry.settings = reader.read();
  in.finish();
  return entry;
}

void read_top(const yaml::Node& root,
              std::string_view folder,
              Configuration& configuration,
              std::vector<text::Diagnostic>& problems) {
  yaml::MapReader in(root, "the configuration", problems);
  TargetReader reader(in, folder);
  configuration.target = reader.read();
  configuration.run = read_run(reader, folder);
  configuration.severity = read_severity(in);
  configuration.baseline = reader.scalar("baseline");
  if (configuration.baseline) {
    configuration.baseline->value = join(folder, configuration.baseline->value);
  }
  configuration.required_version = reader.scalar("required_version");
  if (const auto& bounds = configuration.required_version;
      bounds && !satisfies("0", bounds->value)) {
    in.problem(in.node("required_version")->mark,
               fmt::format("`{}` is not a version bound", bounds->value),
               "write it like \">=0.1,<0.3\"");
  }
  if (const yaml::Node* targets = in.sequence("targets")) {
    for (const yaml::Node& item : targets->items) {
      configuration.targets.push_back(read_entry(item, folder, problems));
    }
  }
  in.finish();
}

std::optional<bool> satisfies_one(const units::Version& version, std::string_view bound) {
  struct Comparison {
    std::string_view sign;
    bool (*holds)(const units::Version&, const units::Version&);
  };

  using units::Version;
  static constexpr Comparison kComparisons[] = {
      {">=", [](const Version& a, const Version& b) { return a >= b; }},
      {"<=", [](const Version& a, const Version& b) { return a <= b; }},
      {"==", [](const Version& a, const Version& b) { return a == b; }},
      {"!=", [](const Version& a, const Version& b) { return a != b; }},
      {">", [](const Version& a, const Version& b) { return a > b; }},
      {"<", [](const Version& a, const Version& b) { return a < b; }},
      {"", [](const Version& a, const Version& b) { return a == b; }},
  };
  for (const Comparison& comparison : kComparisons) {
    if (bound.starts_with(comparison.sign)) {
      bound.remove_prefix(comparison.sign.size());
      bound.remove_prefix(std::min(bound.find_first_not_of(' '), bound.size()));
      const std::optional<Version> wanted = Version::parse(bound);
      return wanted ? std::optional(comparison.holds(version, *wanted)) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

bool TargetEntry::covers(std::string_view path) const {
  const auto last = std::find_if(paths.rbegin(), paths.rend(), [path](const PathPattern& pattern) {
    return pattern.covers(path);
  });
  return last != paths.rend() && !last->negated();
}

std::optional<bool> satisfies(std::string_view version, std::string_view bounds) {
  const std::optional<units::Version> own = units::Version::parse(version);
  const std::vector<Setting> list = split_list({std::string(bounds), ""});
  if (!own || list.empty()) {
    return std::nullopt;
  }
  bool all = true;
  for (const Setting& bound : list) {
    const std::optional<bool> holds = satisfies_one(*own, bound.value);
    if (!holds) {
      return std::nullopt;
    }
    all = all && *holds;
  }
  return all;
}

Configuration read_configuration(const text::SourceFile& file,
                                 std::string_view folder_shown,
                                 std::vector<text::Diagnostic>& problems) {
  Configuration configuration;
  configuration.path = file.name();
  yaml::Stream stream = yaml::parse(file);
  std::ranges::move(stream.diagnostics, std::back_inserter(problems));
  if (!stream.readable || stream.documents.empty()) {
    return configuration;
  }
  const yaml::Node& root = stream.documents.front().root;
  if (root.is_null()) {
    return configuration;  // only comments
  }
  if (!root.is_mapping()) {
    problems.push_back({"config/invalid", root.mark, "a configuration must be a mapping of keys"});
    return configuration;
  }
  read_top(root, folder_shown, configuration, problems);
  std::ranges::stable_sort(problems, [](const text::Diagnostic& a, const text::Diagnostic& b) {
    return a.mark.begin < b.mark.begin;
  });
  return configuration;
}

namespace {

using os::UsageError;

constexpr const char* kFileName = ".epwise.yaml";
constexpr const char* kWrongEnding = ".epwise.yml";
constexpr std::size_t kLargestConfiguration = std::size_t{1} << 20;

/// Style remarks that do not invalidate a configuration.
bool is_harmless(const text::Diagnostic& problem) {
  return problem.rule == "yaml/empty" || problem.rule == "yaml/byte-order-mark" ||
         problem.rule == "yaml/unused-anchor";
}

std::string sentence(const text::Diagnostic& problem) {
  std::string line;
  if (!problem.mark.nowhere()) {
    line = fmt::format("{}:{}: ", problem.mark.file->name(), problem.mark.start().line);
  }
  line += problem.message;
  if (!problem.help.empty()) {
    line += fmt::format("; {}", problem.help);
  }
  return line;
}

void refuse_problems(const std::vector<text::Diagnostic>& problems) {
  std::string lines;
  for (const text::Diagnostic& problem : problems) {
    if (!is_harmless(problem)) {
      lines += (lines.empty() ? "" : "\n") + sentence(problem);
    }
  }
  if (!lines.empty()) {
    throw UsageError(lines);
  }
}

void check_version(const Configuration& configuration, std::string_view version) {
  const auto& required = configuration.required_version;
  if (required && satisfies(version, required->value) == false) {
    throw UsageError(fmt::format("{}: epwise {} is required here, but this is {}",
                                 required->source,
                                 required->value,
                                 version));
  }
}

}  // namespace

ConfigurationSearch::ConfigurationSearch(const os::Files& files,
                                         std::string chosen,
                                         std::string_view tool_version)
    : files_(files),
      chosen_(std::move(chosen)),
      tool_version_(tool_version) {}

const Configuration& ConfigurationSearch::read(const std::string& folder, const std::string& name) {
  auto& slot = read_[join(folder, name)];
  if (slot == nullptr) {
    std::string bytes;
    try {
      bytes = os::read_regular(
          files_, name.starts_with('/') ? name : join(folder, name), kLargestConfiguration);
    } catch (const os::MissingError& error) {
      throw UsageError(fmt::format("configuration: {}", error.what()));
    }
    const std::string path = folder.starts_with('/') ? shown(files_, join(folder, name)) : name;
    auto file = std::make_unique<text::SourceFile>(path, std::move(bytes));
    std::vector<text::Diagnostic> problems;
    auto configuration =
        std::make_unique<Configuration>(read_configuration(*file, parent_of(path), problems));
    configuration->folder = folder_of(files_, join(folder, name));
    refuse_problems(problems);
    check_version(*configuration, tool_version_);
    slot = std::move(configuration);
  }
  return *slot;
}

namespace {

/// Whether a directory is the root of a submodule: its `.git` is a file that leads into the state of
/// the repository around it.
bool is_submodule(const os::Files& files, const std::string& root) {
  constexpr std::size_t kMost = 4096;
  const std::string link = join(root, ".git");
  try {
    return files.is_file(link) &&
           os::read_regular(files, link, kMost).find("/modules/") != std::string::npos;
  } catch (const os::MissingError&) {
    return false;
  }
}

/// Where a configuration may be: up to the root of the repository, of a submodule up to that of the
/// repository around it.
std::vector<std::string> searched_folders(const os::Files& files, const std::string& folder) {
  std::vector<std::string> folders = enclosing_folders(files, folder);
  while (folders.back() != "/" && is_submodule(files, folders.back())) {
    const std::vector<std::string> around = enclosing_folders(files, parent_of(folders.back()));
    folders.insert(folders.end(), around.begin(), around.end());
  }
  return folders;
}

}  // namespace

const Configuration& ConfigurationSearch::find(const std::string& path) {
  if (chosen_ == "none") {
    return none_;
  }
  if (!chosen_.empty()) {
    return read(".", chosen_);
  }
  const std::string place = parent_of(path);
  if (const auto known = found_.find(place); known != found_.end()) {
    return *known->second;
  }
  const Configuration* result = &none_;
  for (const std::string& folder : searched_folders(files_, folder_of(files_, path))) {
    if (files_.is_file(join(folder, kFileName))) {
      result = &read(folder, kFileName);
      break;
    }
    if (const std::string wrong = join(folder, kWrongEnding); files_.is_file(wrong)) {
      throw UsageError(
          fmt::format("{} is not read: rename it to {}", shown(files_, wrong), kFileName));
    }
  }
  found_[place] = result;
  return *result;
}

const TargetEntry* find_entry(const os::Files& files,
                              const Configuration& configuration,
                              const std::string& path,
                              const std::string& name) {
  if (!name.empty()) {
    std::vector<std::string_view> names;
    for (const TargetEntry& entry : configuration.targets) {
      if (entry.name == name) {
        return &entry;
      }
      if (!entry.name.empty()) {
        names.push_back(entry.name);
      }
    }
    throw UsageError(
        fmt::format("no target `{}` in {}{}",
                    name,
                    configuration.path.empty() ? "a configuration: none found" : configuration.path,
                    text::did_you_mean(name, names)));
  }
  if (configuration.targets.empty()) {
    return nullptr;
  }
  const std::string absolute = join(folder_of(files, path), path.substr(path.rfind('/') + 1));
  const std::optional<std::string> relative = below(configuration.folder, absolute);
  for (const TargetEntry& entry : configuration.targets) {
    if (relative.has_value() && entry.covers(*relative)) {
      return &entry;
    }
  }
  return nullptr;
}

std::vector<const TargetEntry*> unused_targets(const os::Files& files,
                                               const Configuration& configuration) {
  std::vector<const TargetEntry*> unused;
  for (const TargetEntry& entry : configuration.targets) {
    if (!entry.paths.empty()) {
      unused.push_back(&entry);
    }
  }
  if (unused.empty()) {
    return unused;
  }
  for (const Input& input : select_files(files, {configuration.folder}, "").inputs) {
    const std::optional<std::string> name = below(configuration.folder, input.path);
    std::erase_if(unused, [&](const TargetEntry* entry) { return name && entry->covers(*name); });
    if (unused.empty()) {
      break;
    }
  }
  return unused;
}

}  // namespace epwise::session
