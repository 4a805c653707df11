#include "session/target/resolution.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/os/regular_files.h"
#include "base/text/source_file.h"
#include "base/text/spelling.h"
#include "base/units/checked.h"
#include "hw/profile.h"
#include "yaml/parse.h"

namespace epwise::session {

const hw::Machine& ThisMachine::get() const {
  std::call_once(once_,
                 [this] { machine_ = hw::inspect(host_.files, host_.variables, host_.devices); });
  return machine_;
}

const recipe::Vocabulary& Vocabularies::get(recipe::Framework framework,
                                            std::string_view version,
                                            std::string_view model_class) {
  const Key key(framework, version, model_class);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = made_.find(key); found != made_.end()) {
      return *found->second;
    }
  }
  // Created outside the lock: two threads may both create one, and the first to finish wins.
  std::shared_ptr<const recipe::Vocabulary> fresh;
  if (model_class.empty()) {
    fresh = std::make_shared<recipe::Vocabulary>(recipe::Vocabulary::load(framework, version));
  } else {
    const auto narrowed = get(framework, version).narrowed({{"model", std::string(model_class)}});
    fresh = {narrowed, &narrowed->vocabulary};
  }
  const std::lock_guard lock(mutex_);
  return *made_.try_emplace(key, std::move(fresh)).first->second;
}

namespace {

using os::UsageError;

constexpr int kMostGpus = 1 << 24;

bool is_pair(const Setting& setting) {
  return setting.value.find('=') != std::string::npos;
}

const hw::Profile* profile_of(const Setting& setting, const os::Files& files) {
  if (const hw::Profile* profile = hw::find_profile(setting.value)) {
    return profile;
  }
  if (hw::is_profile_file(setting.value)) {
    return &profile_in_file(setting.value, files);
  }
  std::vector<std::string_view> names;
  for (const hw::Profile& profile : hw::profiles()) {
    names.push_back(profile.name);
    names.insert(names.end(), profile.aliases.begin(), profile.aliases.end());
  }
  throw UsageError(fmt::format("{}: unknown hardware profile `{}`{} (see `epwise hw list`)",
                               setting.source,
                               setting.value,
                               text::did_you_mean(setting.value, names)));
}

/// The first source that has a setting; null if none has.
const TargetSettings* strongest_source(std::span<const TargetSettings* const> sources,
                                       std::optional<Setting> TargetSettings::*member) {
  const auto found = std::ranges::find_if(
      sources, [&](const TargetSettings* source) { return (source->*member).has_value(); });
  return found == sources.end() ? nullptr : *found;
}

const Setting* strongest(std::span<const TargetSettings* const> sources,
                         std::optional<Setting> TargetSettings::*member) {
  const TargetSettings* source = strongest_source(sources, member);
  return source == nullptr ? nullptr : &*(source->*member);
}

bool is_default(std::span<const TargetSettings* const> sources,
                std::optional<Setting> TargetSettings::*member) {
  const TargetSettings* source = strongest_source(sources, member);
  return source != nullptr && source->from_configuration;
}

int count_of(const Setting& setting) {
  const auto count = units::whole_number(setting.value, 1, kMostGpus);
  if (!count) {
    throw UsageError(
        fmt::format("{}: `{}` is not a valid number of GPUs: expected a whole number from 1 to {}",
                    setting.source,
                    setting.value,
                    kMostGpus));
  }
  return *count;
}

constexpr const char* kThisMachine = "this machine";

[[noreturn]] void throw_nothing_found(const Setting& setting, std::string_view what) {
  throw UsageError(
      fmt::format("{}: auto found no {} on this machine (`epwise doctor` shows what was searched); "
                  "give it explicitly",
                  setting.source,
                  what));
}

void resolve_hardware(std::span<const TargetSettings* const> sources,
                      const ThisMachine& machine,
                      facts::Target& target) {
  const Setting* hw = strongest(sources, &TargetSettings::hw);
  const Setting* gpus = strongest(sources, &TargetSettings::gpus);
  const bool here = hw != nullptr && hw->value == "auto";
  target.hw_is_default = is_default(sources, &TargetSettings::hw);
  target.gpus_are_default = is_default(sources, &TargetSettings::gpus);
  if (here) {
    target.hw = machine.get().profile;
    target.hw_source = kThisMachine;
    if (target.hw == nullptr) {
      throw_nothing_found(*hw, "GPU with a hardware profile");
    }
  } else if (hw != nullptr) {
    target.hw = profile_of(*hw, machine.files());
    target.hw_source = hw->source;
  }
  if (gpus != nullptr && gpus->value != "auto") {
    target.gpus = count_of(*gpus);
    target.gpus_source = gpus->source;
  } else if (gpus != nullptr || here) {
    target.gpus = machine.get().job_gpus;
    target.gpus_source = target.gpus ? kThisMachine : "";
    if (gpus != nullptr && !target.gpus) {
      throw_nothing_found(*gpus, "number of GPUs");
    }
  }
}

void set_installed(const Setting& setting, const ThisMachine& machine, recipe::Stack& stack) {
  if (machine.get().components.empty()) {
    throw_nothing_found(setting, "known software");
  }
  for (const hw::Component& component : machine.get().components) {
    stack.set(component.name, component.version, kThisMachine);
  }
}

const lint::Container& container_of(const Setting& setting, const lint::Knowledge& knowledge) {
  std::vector<std::string_view> names{"auto"};
  for (const lint::Container& container : knowledge.containers) {
    if (container.name == setting.value) {
      return container;
    }
    names.push_back(container.name);
  }
  throw UsageError(fmt::format("{}: `{}` is neither component=version nor a released container{}",
                               setting.source,
                               setting.value,
                               text::did_you_mean(setting.value, names)));
}

void set_component(std::string_view pair, const std::string& source, recipe::Stack& stack) {
  const std::size_t equals = pair.find('=');
  stack.set(pair.substr(0, equals), pair.substr(equals + 1), source);
}

/// A source that gives two different versions of a component contradicts itself.
void check_contradictions(const std::vector<Setting>& stack) {
  for (auto later = stack.begin(); later != stack.end(); ++later) {
    const auto name = later->value.substr(0, later->value.find('='));
    for (auto earlier = stack.begin(); earlier != later; ++earlier) {
      if (is_pair(*later) && is_pair(*earlier) && earlier->source == later->source &&
          earlier->value.substr(0, earlier->value.find('=')) == name &&
          earlier->value != later->value) {
        throw UsageError(fmt::format("{}: `{}` and `{}` contradict each other; name one",
                                     later->source,
                                     earlier->value,
                                     later->value));
      }
    }
  }
}

/// The effective settings of the stack, in the order in which they are applied.
std::vector<Setting> effective_stack(std::span<const TargetSettings* const> sources) {
  std::vector<Setting> result;
  for (std::size_t i = sources.size(); i-- > 0;) {
    std::vector<Setting> stack = sources[i]->stack;
    check_contradictions(stack);
    // Single components override those of a container from the same source, in any order.
    const auto pairs = std::stable_partition(
        stack.begin(), stack.end(), [](const Setting& setting) { return !is_pair(setting); });
    if (pairs != stack.begin()) {
      result.clear();
    }
    std::ranges::move(stack, std::back_inserter(result));
  }
  return result;
}

/// "0.18.2" → "0.18"
std::string_view series_of(std::string_view version) {
  const std::size_t dot = version.find('.');
  const std::size_t second = dot == std::string_view::npos ? dot : version.find('.', dot + 1);
  return version.substr(0, second);
}

/// The Megatron-Bridge of a stack that names only its Megatron-Core: the newest one that pins this
/// core or an older one of its series, head for a newer series. Trainers that use the core without
/// Bridge have the checks of that release.
void add_bridge(const std::vector<lint::Pin>& pins, recipe::Stack& stack) {
  const recipe::Stack::Component* core = stack.find("mcore");
  if (core == nullptr || !core->version || stack.find("bridge") != nullptr ||
      stack.find("mlm") != nullptr) {
    return;
  }
  const lint::Pin* found = nullptr;
  for (const lint::Pin& pin : pins) {
    const auto pinned = units::Version::parse(pin.core);
    if (pinned && (*pinned <= *core->version || found == nullptr || pinned->is_head())) {
      const bool newer_series =
          found == nullptr || series_of(found->core) != series_of(core->version->text());
      found = !pinned->is_head() || newer_series ? &pin : found;
    }
  }
  if (found != nullptr) {
    stack.follow("bridge", found->bridge, core->source);
  }
}

/// Megatron-LM and its Megatron-Core are one repository with one version.
void add_megatron_lm(recipe::Stack& stack) {
  const recipe::Stack::Component* core = stack.find("mcore");
  const recipe::Stack::Component* bridge = stack.find("bridge");
  if (core != nullptr && core->version && stack.find("mlm") == nullptr &&
      (bridge == nullptr || bridge->follows)) {
    stack.follow("mlm", core->version->text(), core->source);
  }
}

recipe::Stack resolve_stack(std::span<const TargetSettings* const> sources,
                            const lint::Knowledge& knowledge,
                            const ThisMachine& machine) {
  recipe::Stack stack;
  for (const Setting& setting : effective_stack(sources)) {
    if (is_pair(setting)) {
      set_component(setting.value, setting.source, stack);
      continue;
    }
    if (setting.value == "auto") {
      set_installed(setting, machine, stack);
      continue;
    }
    const lint::Container& container = container_of(setting, knowledge);
    for (const std::string_view component : container.components) {
      set_component(component, fmt::format("container {}", container.name), stack);
    }
  }
  add_bridge(knowledge.tables.pins, stack);
  add_megatron_lm(stack);
  return stack;
}

recipe::Environment resolve_environment(std::span<const TargetSettings* const> sources) {
  recipe::Environment environment;
  for (std::size_t i = sources.size(); i-- > 0;) {
    for (const Setting& setting : sources[i]->environment) {
      const std::size_t equals = setting.value.find('=');
      const std::string name = setting.value.substr(0, equals);
      if (name.empty() || name.find(' ') != std::string::npos) {
        throw UsageError(
            fmt::format("{}: `{}` is neither NAME=value nor NAME", setting.source, setting.value));
      }
      environment[name] = equals == std::string::npos
                              ? std::nullopt
                              : std::optional(setting.value.substr(equals + 1));
    }
  }
  return environment;
}

/// "true" and whole numbers have their Python meaning; everything else is text.
expr::Value harness_value(const std::string& text) {
  if (text == "true" || text == "false") {
    return expr::Value::of(text == "true");
  }
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  return result.ec == std::errc() && result.ptr == end ? expr::Value::of(number)
                                                       : expr::Value::of(text);
}

void resolve_harness(std::span<const TargetSettings* const> sources, facts::Target& target) {
  for (std::size_t i = sources.size(); i-- > 0;) {
    for (const Setting& setting : sources[i]->harness) {
      const std::size_t equals = setting.value.find('=');
      if (equals == 0 || equals == std::string::npos) {
        throw UsageError(
            fmt::format("{}: `{}` is not of the form NAME=value", setting.source, setting.value));
      }
      target.harness[setting.value.substr(0, equals)] =
          harness_value(setting.value.substr(equals + 1));
    }
  }
}

void add_once(const std::string& source, std::vector<std::string>& sources) {
  if (!source.empty() && std::ranges::find(sources, source) == sources.end()) {
    sources.push_back(source);
  }
}

std::string component_text(std::string_view name, const recipe::Stack::Component& component) {
  if (component.absent) {
    return fmt::format("no {}", name);
  }
  return component.version ? fmt::format("{} {}", name, component.version->text())
                           : fmt::format("{} (some version)", name);
}

}  // namespace

const hw::Profile& profile_in_file(const std::string& path, const os::Files& files) {
  const text::SourceFile file(path, os::read_regular(files, path, yaml::Limits{}.bytes));
  std::vector<text::Diagnostic> problems;
  const hw::Profile* profile = hw::add_profile(file, problems);
  if (profile != nullptr) {
    return *profile;
  }
  std::string text = fmt::format("{} is not a hardware profile:", path);
  for (const text::Diagnostic& problem : problems) {
    text += fmt::format("\n  line {}: {}", problem.mark.start().line, problem.message);
  }
  throw os::UsageError(text + "\n`epwise hw show h100 --format yaml` prints one to start from");
}

ResolvedTarget resolve_target(std::span<const TargetSettings* const> sources,
                              const lint::Knowledge& knowledge,
                              const ThisMachine& machine) {
  ResolvedTarget result;
  resolve_hardware(sources, machine, result.target);
  if (const Setting* framework = strongest(sources, &TargetSettings::framework)) {
    result.framework = recipe::parse_framework(framework->value);
  }
  if (const Setting* base = strongest(sources, &TargetSettings::base)) {
    result.base = base->value;
  }
  for (const TargetSettings* source : sources) {
    for (const Setting& prefix : source->allowed_targets) {
      result.allowed_targets.push_back(prefix.value);
    }
  }
  if (const Setting* config = strongest(sources, &TargetSettings::model_config)) {
    result.model_config = config->value;
  }
  if (const Setting* purpose = strongest(sources, &TargetSettings::purpose)) {
    result.target.purpose = purpose->value;
    result.target.purpose_source = purpose->source;
  }
  resolve_harness(sources, result.target);
  result.target.stack = resolve_stack(sources, knowledge, machine);
  result.target.environment = resolve_environment(sources);
  return result;
}

std::string NewerRelease::sentence() const {
  return fmt::format(
      "{} {} ({}) is newer than {}, the newest release that this version of epwise knows; {}",
      component,
      version,
      source,
      newest,
      checked ? "it is checked as if nothing had changed since" : "the range ends there");
}

std::optional<NewerRelease> newer_release(std::string_view component,
                                          std::string_view version,
                                          std::string_view source,
                                          const lint::Tables& tables) {
  const auto list = std::ranges::find(tables.releases, component, &lint::ReleaseList::component);
  if (list == tables.releases.end()) {
    return std::nullopt;
  }
  const auto newest = std::find_if(list->releases.rbegin(),
                                   list->releases.rend(),
                                   [](std::string_view release) { return release != "head"; });
  // Without the local part: "2.20.2+cu13" is a build of a known release.
  const auto given = units::Version::parse(version.substr(0, version.find('+')));
  const bool newer = newest != list->releases.rend() && given && !given->is_head() &&
                     *given > *units::Version::parse(*newest) &&
                     !version.starts_with(fmt::format("{}.", *newest));
  return newer ? std::optional(NewerRelease{std::string(component),
                                            std::string(version),
                                            std::string(source),
                                            std::string(*newest)})
               : std::nullopt;
}

std::vector<NewerRelease> newer_releases(const recipe::Stack& stack, const lint::Tables& tables) {
  std::vector<NewerRelease> newer;
  for (const auto& [name, component] : stack.components()) {
    if (component.version && !component.follows) {
      if (auto release = newer_release(name, component.version->text(), component.source, tables)) {
        newer.push_back(std::move(*release));
      }
    }
  }
  return newer;
}

std::string framework_version(const recipe::Stack& stack, recipe::Framework framework) {
  std::vector<std::string_view> components{"bridge"};
  if (framework == recipe::Framework::mlm) {
    components = {"mlm", "mcore"};
  }
  for (const std::string_view name : components) {
    const recipe::Stack::Component* component = stack.find(name);
    if (component != nullptr && component->version.has_value()) {
      return component->version->text();
    }
  }
  return "";
}

std::string versions_of(const recipe::Stack& stack) {
  return framework_version(stack, recipe::Framework::bridge) + " " +
         framework_version(stack, recipe::Framework::mlm);
}

std::string machine_text(const facts::Target& target) {
  if (target.hw == nullptr) {
    return target.gpus ? fmt::format("{} GPUs", *target.gpus) : "";
  }
  return target.gpus ? fmt::format("{} x {}", target.hw->name, *target.gpus) : target.hw->name;
}

std::string target_values(const facts::Target& target, recipe::Framework framework) {
  std::vector<std::string> parts;
  if (std::string hardware = machine_text(target); !hardware.empty()) {
    parts.push_back(std::move(hardware));
  }
  for (const auto& [name, component] : target.stack.components()) {
    if (name != recipe::to_string(framework) && !component.follows) {
      parts.push_back(component_text(name, component));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string describe(const facts::Target& target, recipe::Framework framework) {
  std::vector<std::string> sources;
  add_once(target.hw_source, sources);
  add_once(target.gpus_source, sources);
  for (const auto& [name, component] : target.stack.components()) {
    add_once(component.source, sources);
  }
  std::string text = target_values(target, framework);
  if (!sources.empty()) {
    text += fmt::format("{}({})", text.empty() ? "" : " ", fmt::join(sources, ", "));
  }
  return text;
}

}  // namespace epwise::session
