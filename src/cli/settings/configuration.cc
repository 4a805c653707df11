#include "cli/settings/configuration.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/files/places.h"
#include "model/target.h"
#include "text/spelling.h"
#include "units/version.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::cli {

namespace {

std::string place_of(const text::Mark& mark) {
  return fmt::format("{}:{}", mark.file->name(), mark.start().line);
}

Setting setting_of(const yaml::Node& node) {
  return {node.scalar, place_of(node.mark)};
}

/// Reads the keys that the top and the entries of `targets` share.
class TargetReader {
 public:
  TargetReader(yaml::MapReader& in, std::string_view folder) : in_(in), folder_(folder) {}

  TargetSettings read() {
    TargetSettings settings;
    settings.hw = scalar("hw");
    settings.gpus = scalar("gpus");
    settings.framework = scalar("framework");
    check_word(settings.framework, "framework", {"bridge", "mlm"});
    settings.stack = pairs("stack", "component: version");
    settings.environment = pairs("env", "NAME: value");
    settings.harness = pairs("harness", "name: value");
    settings.inputs = pairs("inputs", "name: value");
    settings.purpose = scalar("purpose");
    check_word(settings.purpose, "purpose", {model::kPurposes.begin(), model::kPurposes.end()});
    settings.base = scalar("base");
    if (settings.base) {
      settings.base->value = join(folder_, settings.base->value);
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
                  fmt::format("`{}` is one of {}, not `{}`{}",
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
      in_.problem(node->mark, fmt::format("`{}` is one value", key));
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
      in_.problem(node->mark, fmt::format("`{}` is a list", key));
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
      in_.problem(item.mark, fmt::format("`{}` is a list of plain values", key));
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
    in.problem(node->mark, "`severity` is a mapping of rules to error, warning or note");
    return entries;
  }
  for (const yaml::Entry& entry : node->entries) {
    if (std::ranges::find(kLevels, entry.value.scalar) == kLevels.end()) {
      in.problem(entry.value.mark,
                 fmt::format("`severity` of {} is one of {}, not `{}`",
                             entry.key,
                             fmt::join(kLevels, ", "),
                             entry.value.scalar),
                 "`ignore` is the list of rules that don't count");
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
  run.fail_on = reader.scalar("fail_on");
  reader.check_word(run.fail_on, "fail_on", {"error", "warning", "note", "never"});
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
               "this entry of `targets` can never apply",
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
               fmt::format("`{}` is no version bound", bounds->value),
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
    return configuration;  // nothing but comments
  }
  if (!root.is_mapping()) {
    problems.push_back({"config/invalid", root.mark, "a configuration is a mapping of keys"});
    return configuration;
  }
  read_top(root, folder_shown, configuration, problems);
  std::ranges::stable_sort(problems, [](const text::Diagnostic& a, const text::Diagnostic& b) {
    return a.mark.begin < b.mark.begin;
  });
  return configuration;
}

}  // namespace epwise::cli
