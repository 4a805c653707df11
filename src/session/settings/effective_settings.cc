#include "session/settings/effective_settings.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace epwise::session {

namespace {

EffectiveSetting scalar(std::string name,
                        const std::optional<Setting>& setting,
                        const char* otherwise) {
  if (!setting) {
    return {std::move(name), otherwise, "default"};
  }
  return {std::move(name), setting->value, setting->source};
}

EffectiveSetting effective_list(std::string name,
                                const std::vector<Setting>& settings,
                                const char* otherwise) {
  if (settings.empty()) {
    return {std::move(name), otherwise, "default"};
  }
  std::vector<std::string> values(settings.size());
  std::ranges::transform(settings, values.begin(), &Setting::value);
  return {std::move(name), fmt::format("{}", fmt::join(values, ", ")), settings.front().source};
}

EffectiveSetting component(std::string_view name, const recipe::Stack::Component& component) {
  std::string version = component.absent ? "none" : "installed";
  if (component.version) {
    version = component.version->text();
  }
  return {fmt::format("stack.{}", name), version, component.source};
}

/// The source of each name in a list of "K=V".
std::map<std::string, std::string> sources_of(std::span<const TargetSettings* const> sources,
                                              std::vector<Setting> TargetSettings::*member) {
  std::map<std::string, std::string> result;
  for (const TargetSettings* source : sources) {  // strongest first: existing values are kept
    std::map<std::string, std::string> own;
    for (const Setting& setting : source->*member) {
      own[setting.value.substr(0, setting.value.find('='))] = setting.source;
    }
    result.insert(own.begin(), own.end());
  }
  return result;
}

/// The strongest source's value of an input.
std::string input_value(std::span<const TargetSettings* const> sources, std::string_view name) {
  for (const TargetSettings* source : sources) {
    for (auto setting = source->inputs.rbegin(); setting != source->inputs.rend(); ++setting) {
      const std::size_t sign = std::min(setting->value.find('='), setting->value.size());
      if (setting->value.substr(0, sign) == name) {
        return setting->value.substr(std::min(sign + 1, setting->value.size()));
      }
    }
  }
  return {};
}

/// Those of each kind, if there are any.
void add_extensions(const RunSettings& run, std::vector<EffectiveSetting>& rows) {
  for (const bool takes : {true, false}) {
    std::vector<Setting> rules;
    for (const RunSettings::Extension& extension : run.extensions) {
      const bool listed = std::ranges::find(run.ignore, extension.rule) != run.ignore.end();
      if (extension.takes == takes && !listed) {
        rules.push_back(extension.rule);
      }
    }
    if (!rules.empty()) {
      rows.push_back(effective_list(takes ? "extend_select" : "extend_ignore", rules, ""));
    }
  }
}

}  // namespace

std::vector<EffectiveSetting> effective_settings(std::span<const TargetSettings* const> sources,
                                                 const ResolvedTarget& resolved,
                                                 const RunSettings& run,
                                                 const Configuration& configuration) {
  const facts::Target& target = resolved.target;
  std::vector<EffectiveSetting> result;
  result.push_back({"hw",
                    target.hw == nullptr ? "unknown" : target.hw->name,
                    target.hw == nullptr ? "default" : target.hw_source});
  result.push_back({"gpus",
                    target.gpus ? std::to_string(*target.gpus) : "unknown",
                    target.gpus ? target.gpus_source : "default"});
  for (const auto& [name, part] : target.stack.components()) {
    result.push_back(component(name, part));
  }
  const std::map<std::string, std::string> origins =
      sources_of(sources, &TargetSettings::environment);
  for (const auto& [name, value] : target.environment) {
    result.push_back({fmt::format("env.{}", name), value.value_or("(unset)"), origins.at(name)});
  }
  std::optional<Setting> framework;
  std::optional<Setting> purpose;
  for (const TargetSettings* source : sources) {
    framework = framework ? framework : source->framework;
    purpose = purpose ? purpose : source->purpose;
  }
  if (purpose) {
    result.push_back({"purpose", purpose->value, purpose->source});
  }
  for (const TargetSettings* source : sources) {
    if (source->base) {
      result.push_back({"base", source->base->value, source->base->source});
      break;
    }
  }
  for (const TargetSettings* source : sources) {
    if (source->model_config) {
      result.push_back({"model_config", source->model_config->value, source->model_config->source});
      break;
    }
  }
  const std::map<std::string, std::string> harness = sources_of(sources, &TargetSettings::harness);
  for (const auto& [name, value] : target.harness) {
    result.push_back({fmt::format("harness.{}", name), value.to_text(), harness.at(name)});
  }
  const std::map<std::string, std::string> inputs = sources_of(sources, &TargetSettings::inputs);
  for (const auto& [name, source] : inputs) {
    result.push_back({fmt::format("inputs.{}", name), input_value(sources, name), source});
  }
  result.push_back(scalar("framework", framework, "detected from the recipe's keys"));
  result.push_back(effective_list("select", run.select, "all rules"));
  result.push_back(effective_list("ignore", run.ignore, "no rule"));
  add_extensions(run, result);
  result.push_back(scalar("fail_on", run.fail_on, "error"));
  result.push_back(scalar("strict", run.strict, "false"));
  for (const SeverityEntry& entry : configuration.severity) {
    result.push_back({"severity." + entry.rule.value, entry.level, entry.rule.source});
  }
  result.push_back(scalar("baseline", configuration.baseline, "none"));
  result.push_back(scalar("rules", run.rules, "only the built-in ones"));
  return result;
}

}  // namespace epwise::session
