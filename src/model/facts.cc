#include "model/facts.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "model/target_values.h"
#include "recipe/trainers/trainer_facts.h"

namespace epwise::model {

namespace {

using expr::Value;

/// "model.num_layers" → {"model", "num_layers"}; a name without dot has no key.
std::pair<std::string_view, std::string_view> split(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) {
    return {name, {}};
  }
  return {name.substr(0, dot), name.substr(dot + 1)};
}

/// What a framework around Megatron adds by itself.
bool is_default(const recipe::Field& field) {
  return field.origin == recipe::Origin::framework_default;
}

/// Attributes that hold the negation of a field show the negation.
Value as_attribute(const Value& value, bool inverted) {
  if (inverted && value.boolean() != nullptr) {
    return Value::of(!*value.boolean());
  }
  return value;
}

/// Which Megatron-Core a framework around it brings is known only if somebody says so.
bool is_unsettled(const Target& target, const recipe::Recipe& recipe, std::string_view component) {
  const auto given = [&](std::string_view name) {
    const auto* found = target.stack.find(name);
    return found != nullptr && found->version.has_value();
  };
  const auto framework = recipe::to_string(recipe.framework);
  const bool core = component == "mcore" || framework == "mlm";
  return recipe::has_trainer(recipe) && (component == framework || component == "mcore") &&
         !given(framework) && !(core && given("mcore"));
}

/// Whether the recipe names a class for this section that nobody knows.
bool has_unknown_class(const recipe::Recipe& recipe, std::string_view section) {
  const auto found = recipe.raw.find("raw.unknown_classes");
  const auto* sections = found == recipe.raw.end() ? nullptr : found->second.list();
  return sections != nullptr && std::ranges::any_of(*sections, [&](const Value& each) {
           return each.text() != nullptr && *each.text() == section;
         });
}

/// What a field is that the recipe doesn't write: unknown where another file may write it (a base
/// recipe, one in Python), else unset.
Value unwritten(const recipe::Recipe& recipe) {
  const auto found = recipe.raw.find("raw.unwritten");
  return found == recipe.raw.end() ? Value::unset() : found->second;
}

}  // namespace

Facts::Facts(const recipe::Recipe& recipe,
             const recipe::Vocabulary& vocabulary,
             const Target& target,
             const expr::Names& names,
             const std::vector<Derived>& derived)
    : recipe_(recipe),
      vocabulary_(vocabulary),
      target_(target),
      names_(names),
      derived_(derived),
      slots_(static_cast<std::size_t>(names.size())) {
  const auto framework = recipe::to_string(recipe.framework);
  for (std::size_t i = 0; i < derived.size(); ++i) {
    auto& slot = slots_[static_cast<std::size_t>(derived[i].slot)];
    if (slot.derived < 0 && (derived[i].frameworks.empty() || derived[i].frameworks == framework)) {
      slot.derived = static_cast<std::int32_t>(i);
    }
  }
}

Facts::Slot& Facts::ready(int slot) const {
  auto& entry = slots_[static_cast<std::size_t>(slot)];
  if (!entry.classified) {
    classify(slot, entry);
  }
  return entry.same_as < 0 ? entry : ready(entry.same_as);
}

const recipe::Field* Facts::field(int slot) const {
  const auto name = names_.name(slot);
  const auto* spec = vocabulary_.find(name);
  return recipe_.find(spec == nullptr ? name : spec->name);
}

void Facts::classify(int slot, Slot& entry) const {
  entry.classified = true;
  const auto name = names_.name(slot);
  const auto [group, key] = split(name);
  entry.source = Source::constant;
  if (name == "fw") {
    entry.value = Value::of(recipe::to_string(recipe_.framework));
  } else if (name == "gpus") {
    entry.value = target_.gpus ? Value::of(*target_.gpus) : Value::unknown({"gpus"});
  } else if (name == "model_class") {
    entry.value = recipe_.model_class.empty() ? Value::unset() : Value::of(recipe_.model_class);
  } else if (name == "purpose") {
    entry.value = target_.purpose ? Value::of(*target_.purpose) : Value::unknown({"purpose"});
  } else if (group == "harness") {
    const auto found = target_.harness.find(key);
    entry.value = found == target_.harness.end() ? Value::unset() : found->second;
  } else if (group == "hw") {
    entry.value = hardware_value(target_, key);
  } else if (group == "env") {
    entry.value = variable_value(target_, recipe_, key);
  } else if (group == "installed") {
    entry.value = installed_value(target_, key);
  } else if (group == "raw") {
    const auto found = recipe_.raw.find(name);
    entry.value = found == recipe_.raw.end() ? Value::unset() : found->second;
  } else if (group == "stack") {
    entry.value = is_unsettled(target_, recipe_, key)
                      ? Value::unknown({"stack.mcore"})
                      : component_value(target_, recipe_.framework, vocabulary_.version(), key);
    if (entry.value.is_unknown() && entry.derived >= 0) {
      entry.source = Source::derived;
    }
  } else if (entry.derived >= 0) {
    entry.source = Source::derived;
  } else {
    const auto* spec = vocabulary_.find(name);
    const int same = spec == nullptr || spec->name == name ? -1 : names_.find(spec->name);
    if (same >= 0) {
      entry.same_as = same;
      return;
    }
    entry.source = Source::field;
    entry.value = initial_value(spec == nullptr ? name : spec->name);
    entry.initial = entry.value;
  }
}

Value Facts::initial_value(std::string_view name) const {
  const auto changed = sections_.find(split(name).first);
  const bool removed = changed != sections_.end() && !changed->second;
  if (const auto* field = removed ? nullptr : recipe_.find(name)) {
    return field->value;
  }
  return default_value(name);
}

Value Facts::default_value(std::string_view name) const {
  if (sections_.find(split(name).first) == sections_.end() && unwritten(recipe_).is_unknown()) {
    return unwritten(recipe_);
  }
  const auto [section, key] = split(name);
  if (recipe_.framework == recipe::Framework::bridge && !key.empty() && !section_present(section)) {
    return Value::unset();
  }
  if (!key.empty() && has_unknown_class(recipe_, section)) {
    return Value::unknown({std::string(section) + "._target_"});
  }
  const auto* spec = vocabulary_.find(name);
  return spec == nullptr ? Value::unset() : spec->default_value;
}

bool Facts::section_present(std::string_view section) const {
  if (const auto changed = sections_.find(section); changed != sections_.end()) {
    return changed->second;
  }
  if (recipe_.sections.find(section) != recipe_.sections.end()) {
    return true;
  }
  if (recipe_.find(section) != nullptr) {
    return false;  // written, but as null or as the name of a preset
  }
  // A section that the recipe leaves to the framework: there unless its own default is null.
  const auto* spec = vocabulary_.find(section);
  return vocabulary_.has_section(section) &&
         !(spec != nullptr && spec->has_default && spec->default_value.is_unset());
}

const Value& Facts::value(int slot) const {
  auto& entry = ready(slot);
  if (entry.source == Source::derived && !entry.computed) {
    entry.computed =
        true;  // set first: a cycle, which the rule compiler rejects, would otherwise not end
    entry.value =
        expr::evaluate(derived_[static_cast<std::size_t>(entry.derived)].expression, *this);
    computed_.push_back(slot);
  }
  return entry.value;
}

std::string_view Facts::meaning(int slot) const {
  const auto& entry = ready(slot);
  return entry.source == Source::derived && entry.derived >= 0
             ? derived_[static_cast<std::size_t>(entry.derived)].doc
             : std::string_view();
}

const Value* Facts::variation(int slot) const {
  if (variations_.empty()) {
    return nullptr;
  }
  const auto found = variations_.find(index(ready(slot)));
  return found == variations_.end() ? nullptr : &found->second;
}

Value Facts::written(int slot) const {
  if (const auto* varied = variation(slot)) {
    return *varied;
  }
  const auto* found = field(slot);
  return found == nullptr || is_default(*found) ? unwritten(recipe_) : found->value;
}

Value Facts::is_explicit(int slot) const {
  const auto [group, key] = split(names_.name(slot));
  const auto* varied = variation(slot);
  if (varied != nullptr && (group == "stack" || group == "env")) {
    return Value::of(!varied->is_unknown());
  }
  if (group == "stack") {
    const auto* component = target_.stack.find(key);
    return Value::of(component != nullptr && (component->absent || component->version));
  }
  if (group == "env") {
    return Value::of(target_.environment.contains(key) || recipe_.variables.contains(key));
  }
  const auto* found = field(slot);
  if (variation(slot) == nullptr && found != nullptr && found->key.nowhere() &&
      found->value.is_unknown()) {
    return found->value;  // nobody can tell what the launch writes
  }
  const bool given = variation(slot) != nullptr || (found != nullptr && !is_default(*found));
  const auto other = unwritten(recipe_);
  return given || !other.is_unknown() ? Value::of(given) : other;
}

Value Facts::has_section(std::string_view section) const {
  return Value::of(section_present(section));
}

Value Facts::origin(int slot) const {
  if (variation(slot) != nullptr) {
    return Value::of(recipe::to_string(recipe::Origin::written));
  }
  const auto* found = field(slot);
  return Value::of(
      recipe::to_string(found == nullptr ? recipe::Origin::framework_default : found->origin));
}

void Facts::assign(int slot, Value value, std::string_view why) {
  auto& entry = ready(slot);
  assert(entry.source == Source::field && "launch stages write to fields only");
  if (entry.value == value) {
    return;
  }
  if (!entry.touched && !entry.config_touched) {
    changed_.push_back(index(entry));
  }
  if (in_config_) {
    if (!entry.config_touched) {
      entry.at_config = entry.value;
      entry.config_touched = true;
    }
    entry.config_why = why;
  } else {
    entry.touched = true;
    entry.why = why;
  }
  entry.value = std::move(value);
  forget_derived();
}

void Facts::forget_derived() {
  for (const int stale : computed_) {
    slots_[static_cast<std::size_t>(stale)].computed = false;
  }
  computed_.clear();
}

void Facts::enter_config() {
  in_config_ = true;
}

void Facts::reclassify(std::string_view section) {
  if (section_slots_.empty()) {
    for (int slot = 0; slot < names_.size(); ++slot) {
      section_slots_[split(names_.name(slot)).first].push_back(slot);
    }
  }
  for (const int slot : section_slots_[section]) {
    auto& entry = slots_[static_cast<std::size_t>(slot)];
    if (entry.source == Source::field && !entry.touched && !variations_.contains(slot)) {
      entry.classified = false;
    }
  }
}

void Facts::set_section(std::string_view section, bool present) {
  sections_[std::string(section)] = present;
  reclassify(section);
  forget_derived();
}

void Facts::vary(int slot, Value value) {
  auto& entry = ready(slot);
  assert(entry.source != Source::derived && "derived values follow");
  variations_[index(entry)] = value;
  entry.value = value;
  entry.initial = std::move(value);
  forget_derived();
}

void Facts::restore() {
  for (const int slot : changed_) {
    auto& entry = slots_[static_cast<std::size_t>(slot)];
    entry.value = entry.initial;
    entry.touched = false;
    entry.config_touched = false;
    entry.why = {};
    entry.config_why = {};
  }
  changed_.clear();
  for (const auto& [slot, value] : variations_) {
    slots_[static_cast<std::size_t>(slot)].classified = false;
  }
  variations_.clear();
  const auto sections = std::exchange(sections_, {});
  for (const auto& [section, present] : sections) {
    reclassify(section);
  }
  in_config_ = false;
  forget_derived();
}

std::vector<Rewrite> Facts::rewrites() const {
  std::vector<Rewrite> all;
  for (int slot = 0; slot < names_.size(); ++slot) {
    const auto& entry = slots_[static_cast<std::size_t>(slot)];
    if (!entry.touched && !entry.config_touched) {
      continue;
    }
    const auto name = names_.name(slot);
    const auto* spec = vocabulary_.find(name);
    const bool inverted = spec != nullptr && spec->inverted;
    const std::string attribute(spec == nullptr || spec->attribute.empty() ? split(name).second
                                                                           : spec->attribute);
    const bool bridge = recipe_.framework == recipe::Framework::bridge;
    const auto& parsed_end = entry.config_touched ? entry.at_config : entry.value;
    if (entry.touched && !entry.why.empty() && !(entry.initial == parsed_end)) {
      all.push_back({slot,
                     bridge ? recipe_.path_of(name) : attribute,
                     as_attribute(entry.initial, inverted),
                     as_attribute(parsed_end, inverted),
                     std::string(entry.why)});
    }
    if (entry.config_touched && !entry.config_why.empty() && !(entry.at_config == entry.value)) {
      all.push_back({slot,
                     "config." + std::string(split(name).second),
                     entry.at_config,
                     entry.value,
                     std::string(entry.config_why)});
    }
  }
  std::ranges::sort(all, {}, &Rewrite::field);
  return all;
}

}  // namespace epwise::model
