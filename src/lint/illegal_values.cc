#include "lint/illegal_values.h"

#include <algorithm>

#include "recipe/framework.h"

namespace epwise::lint {

namespace {

constexpr std::string_view kBadChoice = "raw.bad_choice";

/// Names that never make a value legal or illegal: which framework it is, where the launch stands.
bool is_circumstance(std::string_view name) {
  return name == "fw" || name == "stage" || name == "stack.bridge" || name == "stack.mlm" ||
         name == "stack.mcore";
}

bool is_field(std::string_view name) {
  const auto section = name.substr(0, name.find('.'));
  return section.size() < name.size() && section != "d" && section != "hw" && section != "stack" &&
         section != "env" && section != "raw" && section != "installed" && section != "harness";
}

}  // namespace

FieldsRead::FieldsRead(const Knowledge& knowledge, const recipe::Vocabulary& vocabulary)
    : knowledge_(knowledge),
      vocabulary_(vocabulary),
      known_(knowledge.rules.size()) {}

int FieldsRead::slot_of(std::string_view field) const {
  const auto* spec = vocabulary_.find(field);
  const int same = spec == nullptr ? -1 : knowledge_.names.find(spec->name);
  return same >= 0 ? same : knowledge_.names.find(field);
}

void FieldsRead::add(int slot, std::set<int>& seen) const {
  const auto name = knowledge_.names.name(slot);
  if (is_circumstance(name) || !seen.insert(is_field(name) ? slot_of(name) : slot).second) {
    return;
  }
  const auto framework = recipe::to_string(vocabulary_.framework());
  for (const auto& derived : knowledge_.derived) {
    if (derived.slot == slot && (derived.frameworks.empty() || derived.frameworks == framework)) {
      for (const int read : derived.expression.names()) {
        add(read, seen);
      }
      return;
    }
  }
}

const FieldsRead::Reads& FieldsRead::reads(const Rule& rule) const {
  auto& known = known_[static_cast<std::size_t>(&rule - knowledge_.rules.data())];
  if (known) {
    return *known;
  }
  std::set<int> seen;
  for (const auto* expression : {&rule.given, &rule.assertion}) {
    for (const int slot : expression->names()) {
      add(slot, seen);
    }
  }
  std::erase_if(seen, [&](int slot) { return knowledge_.names.name(slot).starts_with("d."); });
  known.emplace();
  known->slots.assign(seen.begin(), seen.end());
  const bool alone = rule.severity == Severity::error && !rule.builtin && seen.size() == 1;
  if (alone && is_field(knowledge_.names.name(*seen.begin()))) {
    known->judged = *seen.begin();
  }
  return *known;
}

const std::vector<int>& FieldsRead::of(const Rule& rule) const {
  return reads(rule).slots;
}

int FieldsRead::judged(const Rule& rule) const {
  return reads(rule).judged;
}

IllegalValues::IllegalValues(const FieldsRead& reads,
                             const recipe::Recipe& recipe,
                             const recipe::Vocabulary& vocabulary,
                             const std::set<const Rule*>& failed)
    : reads_(reads) {
  const auto choice = recipe.raw.find(kBadChoice);
  const auto* attribute = choice == recipe.raw.end() ? nullptr : choice->second.text();
  const auto* refused = attribute == nullptr ? nullptr : vocabulary.find_attribute(*attribute);
  const int bad_choice = reads.slot_of(kBadChoice);
  for (const auto* rule : failed) {
    const int judged = reads.judged(*rule);
    const auto& slots = reads.of(*rule);
    if (judged >= 0) {
      causes_.emplace(judged, rule);
    } else if (refused != nullptr &&
               (rule->id == "flags/bad-choice" || std::ranges::binary_search(slots, bad_choice))) {
      causes_.emplace(reads.slot_of(refused->name), rule);
    }
  }
}

const Rule* IllegalValues::behind(const Rule& rule) const {
  if (causes_.empty() || rule.builtin || reads_.judged(rule) >= 0) {
    return nullptr;
  }
  for (const int slot : reads_.of(rule)) {
    const auto cause = causes_.find(slot);
    if (cause != causes_.end() && cause->second != &rule) {
      return cause->second;
    }
  }
  return nullptr;
}

}  // namespace epwise::lint
