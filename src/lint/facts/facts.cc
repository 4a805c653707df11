#include "lint/facts/facts.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "recipe/trainers/trainer_facts.h"

namespace epwise::facts {

namespace {

using expr::NameSlot;
using expr::Value;

/// "model.num_layers" → {"model", "num_layers"}; a name without a dot has no key.
std::pair<std::string_view, std::string_view> split(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) {
    return {name, {}};
  }
  return {name.substr(0, dot), name.substr(dot + 1)};
}

/// Settings that a framework around Megatron adds itself.
bool is_default(const recipe::Field& field) {
  return field.origin == recipe::Origin::framework_default;
}

/// Attributes that store the negation of a field show the negation.
Value as_attribute(const Value& value, bool inverted) {
  if (inverted && value.boolean() != nullptr) {
    return Value::of(!*value.boolean());
  }
  return value;
}

/// The Megatron-Core version of a framework around it is only known if it is given.
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

/// The value of a field that the recipe does not write: unknown if another file may write it (a
/// base recipe, one in Python), otherwise unset.
Value unwritten(const recipe::Recipe& recipe) {
  const auto found = recipe.raw.find("raw.unwritten");
  return found == recipe.raw.end() ? Value::unset() : found->second;
}

/// The version of the framework that the stack states; unset if it states none.
Value stated_release(const recipe::Recipe& recipe, const Target& target) {
  const auto* stated = target.stack.find(recipe::to_string(recipe.framework));
  return stated == nullptr || !stated->version ? Value::unset()
                                               : Value::of(stated->version->text());
}

/// A name that is not a field: what the recipe is for and where it is to run. Fields have none.
std::optional<Value> given_value(std::string_view name,
                                 const recipe::Recipe& recipe,
                                 const recipe::Vocabulary& vocabulary,
                                 const Target& target) {
  const auto [group, key] = split(name);
  if (name == "fw") {
    return Value::of(recipe::to_string(recipe.framework));
  }
  if (name == "gpus") {
    return target.gpus ? Value::of(*target.gpus) : Value::unknown({"gpus"});
  }
  if (name == "model_class") {
    return recipe.model_class.empty() ? Value::unset() : Value::of(recipe.model_class);
  }
  if (name == "purpose") {
    return target.purpose ? Value::of(*target.purpose) : Value::unknown({"purpose"});
  }
  if (name.starts_with(recipe::kTrainerGroup)) {
    return recipe::trainer_setting(recipe, name);
  }
  if (group == "harness") {
    const auto found = target.harness.find(key);
    return found == target.harness.end() ? Value::unset() : found->second;
  }
  if (group == "hw") {
    return hardware_value(target, key);
  }
  if (group == "env") {
    return variable_value(target, recipe, key);
  }
  if (group == "installed") {
    return installed_value(target, key);
  }
  if (name == "raw.release") {
    return stated_release(recipe, target);
  }
  if (name == "raw.own_tables") {
    return Value::of(vocabulary.of_release());
  }
  if (group == "raw") {
    const auto found = recipe.raw.find(name);
    return found == recipe.raw.end() ? Value::unset() : found->second;
  }
  if (group == "stack") {
    return is_unsettled(target, recipe, key)
               ? Value::unknown({"stack.mcore"})
               : component_value(target, recipe.framework, vocabulary.version(), key);
  }
  return std::nullopt;
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
      slots_(names.size()) {
  const auto framework = recipe::to_string(recipe.framework);
  for (std::size_t i = 0; i < derived.size(); ++i) {
    auto& slot = at(derived[i].slot);
    if (slot.derived < 0 && (derived[i].frameworks.empty() || derived[i].frameworks == framework)) {
      slot.derived = static_cast<std::int32_t>(i);
    }
  }
}

Facts::Slot& Facts::ready(NameSlot slot) const {
  auto& entry = at(slot);
  if (!entry.classified) {
    classify(slot, entry);
  }
  return entry.same_as ? ready(*entry.same_as) : entry;
}

bool Facts::takes_steps() const {
  return recipe::takes_steps(recipe_);
}

const recipe::Field* Facts::field(NameSlot slot) const {
  const auto name = names_.name(slot);
  const auto* spec = vocabulary_.find(name);
  return recipe_.find(spec == nullptr ? name : spec->name);
}

void Facts::classify(NameSlot slot, Slot& entry) const {
  entry.classified = true;
  const auto name = names_.name(slot);
  entry.source = Source::constant;
  if (auto given = given_value(name, recipe_, vocabulary_, target_)) {
    entry.value = *std::move(given);
    const bool is_component = split(name).first == "stack";
    if (is_component && entry.value.is_unknown() && entry.derived >= 0) {
      entry.source = Source::derived;
    }
    return;
  }
  if (entry.derived >= 0) {
    entry.source = Source::derived;
    return;
  }
  const auto* spec = vocabulary_.find(name);
  if (spec != nullptr && spec->name != name) {
    entry.same_as = names_.find(spec->name);
    if (entry.same_as) {
      return;
    }
  }
  entry.source = Source::field;
  entry.value = initial_value(spec == nullptr ? name : spec->name);
  entry.initial = entry.value;
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
  if (!key.empty() && recipe_.has_unknown_class(section)) {
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
  // A section that the recipe leaves to the framework: present unless its own default is null.
  const auto* spec = vocabulary_.find(section);
  return vocabulary_.has_section(section) &&
         !(spec != nullptr && spec->has_default && spec->default_value.is_unset());
}

const Value& Facts::value(NameSlot slot) const {
  auto& entry = ready(slot);
  if (is_doubted(entry)) {
    return doubt_;
  }
  if (entry.source == Source::derived && !entry.computed) {
    // set first: a cycle, which the rule compiler rejects, would otherwise not terminate
    entry.computed = true;
    entry.value =
        expr::evaluate(derived_[static_cast<std::size_t>(entry.derived)].expression, *this);
    computed_.push_back(slot);
  }
  return entry.value;
}

std::string_view Facts::meaning(NameSlot slot) const {
  const auto& entry = ready(slot);
  return entry.source == Source::derived && entry.derived >= 0
             ? derived_[static_cast<std::size_t>(entry.derived)].doc
             : std::string_view();
}

const Value* Facts::variation(NameSlot slot) const {
  if (variations_.empty()) {
    return nullptr;
  }
  const auto found = variations_.find(slot_of(ready(slot)));
  return found == variations_.end() ? nullptr : &found->second;
}

void Facts::doubt_unwritten(bool on) {
  const auto* needs = recipe_.unread_words();
  doubt_ = on && needs != nullptr ? Value::unknown(*needs) : Value::unset();
  forget_derived();
}

bool Facts::is_doubted(const Slot& entry) const {
  if (doubt_.is_unset() || entry.source != Source::field || entry.touched || entry.config_touched) {
    return false;
  }
  const bool off = entry.value.boolean() != nullptr && !entry.value.truthy();
  const NameSlot slot = slot_of(entry);
  const auto* found = field(slot);
  return (off || entry.value.is_unset()) && variation(slot) == nullptr &&
         (found == nullptr || is_default(*found));
}

Value Facts::written(NameSlot slot) const {
  if (const auto* varied = variation(slot)) {
    return *varied;
  }
  const auto* found = field(slot);
  return found == nullptr || is_default(*found) ? unwritten(recipe_) : found->value;
}

Value Facts::is_explicit(NameSlot slot) const {
  const auto [group, key] = split(names_.name(slot));
  const auto* varied = variation(slot);
  if (varied != nullptr && (group == "stack" || group == "env")) {
    return Value::of(!varied->is_unknown());
  }
  if (group == "stack") {
    return Value::of(target_.stack.find(key) != nullptr);  // `installed` and `none` too
  }
  if (group == "env") {
    return Value::of(target_.environment.contains(key) || recipe_.variables.contains(key));
  }
  const auto* found = field(slot);
  if (variation(slot) == nullptr && found != nullptr && found->key.nowhere() &&
      found->value.is_unknown()) {
    return found->value;  // it is unknown what the launch writes
  }
  if (is_doubted(ready(slot))) {
    return doubt_;
  }
  const bool given = variation(slot) != nullptr || (found != nullptr && !is_default(*found));
  const auto other = unwritten(recipe_);
  return given || !other.is_unknown() ? Value::of(given) : other;
}

Value Facts::has_section(std::string_view section) const {
  return Value::of(section_present(section));
}

Value Facts::origin(NameSlot slot) const {
  if (variation(slot) != nullptr) {
    return Value::of(recipe::to_string(recipe::Origin::written));
  }
  const auto [group, key] = split(names_.name(slot));
  if (group == "env" && target_.environment.contains(key)) {
    return Value::of(recipe::to_string(recipe::Origin::environment));
  }
  if (group == "env" && recipe_.variables.contains(key)) {
    return Value::of(recipe::to_string(recipe::Origin::written));
  }
  const auto* found = field(slot);
  return Value::of(
      recipe::to_string(found == nullptr ? recipe::Origin::framework_default : found->origin));
}

void Facts::assign(NameSlot slot, Value value, std::string_view why) {
  auto& entry = ready(slot);
  assert(entry.source == Source::field && "launch stages write to fields only");
  if (entry.value == value) {
    return;
  }
  if (!entry.touched && !entry.config_touched) {
    changed_.push_back(slot_of(entry));
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
  for (const auto stale : computed_) {
    at(stale).computed = false;
  }
  computed_.clear();
}

void Facts::enter_config() {
  in_config_ = true;
}

void Facts::reclassify(std::string_view section) {
  if (section_slots_.empty()) {
    for (const auto slot : names_.slots()) {
      section_slots_[split(names_.name(slot)).first].push_back(slot);
    }
  }
  for (const auto slot : section_slots_[section]) {
    auto& entry = at(slot);
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

void Facts::vary(NameSlot slot, Value value) {
  auto& entry = ready(slot);
  assert(entry.source != Source::derived && "derived values follow");
  variations_[slot_of(entry)] = value;
  entry.value = value;
  entry.initial = std::move(value);
  forget_derived();
}

void Facts::restore() {
  for (const auto slot : changed_) {
    auto& entry = at(slot);
    entry.value = entry.initial;
    entry.touched = false;
    entry.config_touched = false;
    entry.why = {};
    entry.config_why = {};
  }
  changed_.clear();
  parsed_.clear();
  for (const auto& [slot, value] : variations_) {
    at(slot).classified = false;
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
  for (const auto slot : names_.slots()) {
    const auto& entry = at(slot);
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
  all.insert(all.end(), parsed_.begin(), parsed_.end());
  std::ranges::sort(all, {}, &Rewrite::field);
  return all;
}

void Facts::parse_into(NameSlot slot, const Value& name, std::string_view why) {
  const auto text = std::string(split(names_.name(slot)).second);
  parsed_.push_back(
      {slot, (in_config_ ? "config." : "") + text, value(slot), name, std::string(why), true});
}

namespace {

using expr::Value;

Value from_quantity(const units::Quantity& quantity) {
  const double value = quantity.value;
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? Value::of(whole) : Value::of(value);
}

}  // namespace

Value hardware_value(const Target& target, std::string_view key) {
  if (target.hw == nullptr) {
    return Value::unknown({"hw"});
  }
  const auto& hw = *target.hw;
  if (key == "arch") {
    return Value::of(hw.architecture);
  }
  if (key == "name") {
    return hw.device_name.empty() ? Value::unknown({"hw.name"}) : Value::of(hw.device_name);
  }
  if (key == "cc") {
    return Value::of(hw.compute_capability);
  }
  if (key == "cc_major") {
    return Value::of(static_cast<int>(hw.compute_capability));
  }
  if (key == "nvlink_domain") {
    return Value::of(hw.nvlink_domain);
  }
  if (key == "gpus_per_node") {
    return Value::of(hw.gpus_per_node);
  }
  if (key == "sm_count") {
    return hw.sm_count == 0 ? Value::unknown({"hw.sm_count"}) : Value::of(hw.sm_count);
  }
  const auto* number = hw.number(key);
  return number == nullptr ? Value::unknown({"hw." + std::string(key)})
                           : from_quantity(number->value);
}

Value component_value(const Target& target,
                      recipe::Framework framework,
                      std::string_view framework_version,
                      std::string_view key) {
  const bool other = (key == "bridge" && framework == recipe::Framework::mlm) ||
                     (key == "mlm" && framework == recipe::Framework::bridge);
  if (other) {
    return Value::unset();
  }
  const auto* found = target.stack.find(key);
  if (key == recipe::to_string(framework)) {
    if (const auto version = units::Version::parse(framework_version)) {
      // The tables of the oldest release stand for older ones, but not its fixes.
      const bool older = found != nullptr && found->version && *found->version < *version &&
                         recipe::Vocabulary::versions(framework).front() == framework_version;
      return Value::of(older ? *found->version : *version);
    }
  }
  if (found == nullptr) {
    return Value::unknown({"stack." + std::string(key)});
  }
  if (found->absent) {
    return Value::unset();
  }
  return found->version ? Value::of(*found->version)
                        : Value::unknown({"stack." + std::string(key)});
}

Value installed_value(const Target& target, std::string_view key) {
  const auto* found = target.stack.find(key);
  return Value::of(found == nullptr || !found->absent);
}

Value variable_value(const Target& target, const recipe::Recipe& recipe, std::string_view key) {
  const auto given = target.environment.find(key);
  if (given != target.environment.end()) {
    return given->second ? Value::of(*given->second) : Value::unset();
  }
  const auto found = recipe.variables.find(key);
  return found == recipe.variables.end() ? Value::unset() : found->second.value;
}

}  // namespace epwise::facts
