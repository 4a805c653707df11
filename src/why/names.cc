#include <algorithm>
#include <string>

#include "why/trace.h"

namespace epwise::why {

namespace {

/// Groups of names that rules read besides fields and derived values.
bool is_fact(std::string_view name) {
  for (const std::string_view group : {"hw.", "stack.", "env.", "installed.", "raw.", "harness."}) {
    if (name.starts_with(group)) {
      return true;
    }
  }
  return name == "gpus" || name == "fw" || name == "purpose" || name == "model_class";
}

}  // namespace

std::string Tracer::resolve(std::string_view name) const {
  const auto& names = knowledge_.names;
  const std::string own(name);
  if (derived_of(own) != nullptr || (is_fact(name) && names.find(name) >= 0)) {
    return own;
  }
  if (const auto* spec = vocabulary_.find(name)) {
    return std::string(spec->name);
  }
  if (recipe_.find(name) != nullptr) {
    return own;
  }
  if (auto flag = by_flag(name); !flag.empty()) {
    return flag;
  }
  for (const auto& plain : knowledge_.tables.plain_names) {
    if (plain.name == name) {
      return std::string(names.name(plain.slot));
    }
  }
  if (derived_of("d." + own) != nullptr) {
    return "d." + own;
  }
  if (names.find("stack." + own) >= 0) {
    return "stack." + own;
  }
  if (names.find("env." + own) >= 0 || recipe_.variables.contains(own)) {
    return "env." + own;
  }
  return by_last_part(name);
}

std::string Tracer::by_flag(std::string_view name) const {
  if (const auto* flag = vocabulary_.flag(name)) {
    const auto* spec = vocabulary_.find_attribute(flag->attribute);
    return spec == nullptr ? std::string() : std::string(spec->name);
  }
  const auto* spec = vocabulary_.find_attribute(name);
  return spec == nullptr ? std::string() : std::string(spec->name);
}

/// num_moe_experts → model.num_moe_experts. A field that several sections have means the model's,
/// or the one that the recipe writes.
std::string Tracer::by_last_part(std::string_view name) const {
  std::vector<std::string> all;
  for (const auto& spec : vocabulary_.fields()) {
    const auto dot = spec.name.rfind('.');
    if (dot != std::string_view::npos && spec.name.substr(dot + 1) == name) {
      all.emplace_back(spec.name);
    }
  }
  const auto written = std::ranges::find_if(
      all, [&](const std::string& each) { return recipe_.find(each) != nullptr; });
  const auto model = std::ranges::find(all, "model." + std::string(name));
  if (written != all.end()) {
    return *written;
  }
  if (model != all.end()) {
    return *model;
  }
  return all.size() == 1 ? all.front() : std::string();
}

std::vector<std::string> Tracer::candidates() const {
  std::vector<std::string> all;
  for (const auto& spec : vocabulary_.fields()) {
    all.emplace_back(spec.name);
    const auto dot = spec.name.rfind('.');
    if (dot != std::string_view::npos) {
      all.emplace_back(spec.name.substr(dot + 1));
    }
  }
  for (const auto& flag : vocabulary_.flags()) {
    all.insert(all.end(), flag.spellings.begin(), flag.spellings.end());
  }
  for (const auto& plain : knowledge_.tables.plain_names) {
    all.emplace_back(plain.name);
  }
  for (const auto& derived : knowledge_.derived) {
    all.emplace_back(derived.name);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace epwise::why
