#include "lint/illegal_values.h"

#include <algorithm>
#include <utility>

#include "lint/rule.h"
#include "recipe/framework.h"
#include "recipe/overrides/scalar_types.h"

namespace epwise::lint {

namespace {

using expr::NameSlot;

constexpr std::string_view kBadChoice = "raw.bad_choice";
constexpr std::string_view kUnknownWord = "recipe/unknown-word";

/// Names that never make a value valid or invalid: the framework, the current launch stage.
bool is_circumstance(std::string_view name) {
  return name == "fw" || name == "stage" || name == "stack.bridge" || name == "stack.mlm" ||
         name == "stack.mcore";
}

bool is_field(std::string_view name) {
  const auto section = name.substr(0, name.find('.'));
  return section.size() < name.size() && section != "d" && section != "hw" && section != "stack" &&
         section != "env" && section != "raw" && section != "installed" && section != "harness";
}

/// The field, if its value is a word that it does not know: one reported by the reader, or present
/// in a variant of the recipe. Null pointer otherwise.
const recipe::FieldSpec* unknown_word(const recipe::Field& field, const facts::Facts& facts) {
  const auto* spec = facts.vocabulary().find(field.name);
  if (facts.vocabulary().framework() != recipe::Framework::bridge || spec == nullptr ||
      spec->choices.empty()) {
    return nullptr;
  }
  const auto slot = facts.names().find(spec->name);
  const auto value = slot ? facts.written(*slot) : field.value;
  const bool reported = std::ranges::any_of(facts.recipe().diagnostics, [&](const auto& each) {
    return each.rule == kUnknownWord && each.mark == field.mark;
  });
  const bool varied = !(value == field.value);
  return (reported || varied) && recipe::unknown_word(value, spec->choices) ? spec : nullptr;
}

/// How many of a field's words a rule with the field as its first operand compares it with.
int words_listed(const Rule& rule,
                 std::string_view field,
                 const std::vector<std::string_view>& choices,
                 const expr::Names& names) {
  if (rule.operands.empty() || names.name(rule.operands.front().slot) != field) {
    return 0;
  }
  int listed = 0;
  for (const expr::Value* constant : rule.assertion.literals()) {
    std::vector<expr::Value> items{*constant};
    if (const auto* list = constant->list()) {
      items.assign(list->begin(), list->end());
    }
    listed += static_cast<int>(std::ranges::count_if(items, [&](const expr::Value& item) {
      return item.text() != nullptr && std::ranges::find(choices, *item.text()) != choices.end();
    }));
  }
  return listed;
}

}  // namespace

FieldsRead::FieldsRead(const Knowledge& knowledge, const recipe::Vocabulary& vocabulary)
    : knowledge_(knowledge),
      vocabulary_(vocabulary),
      known_(knowledge.rules.size()) {}

std::optional<NameSlot> FieldsRead::slot_of(std::string_view field) const {
  const auto* spec = vocabulary_.find(field);
  const auto same = spec == nullptr ? std::nullopt : knowledge_.names.find(spec->name);
  return same ? same : knowledge_.names.find(field);
}

void FieldsRead::add(NameSlot slot, std::set<NameSlot>& seen) const {
  const auto name = knowledge_.names.name(slot);
  if (is_circumstance(name) ||
      !seen.insert(is_field(name) ? slot_of(name).value_or(slot) : slot).second) {
    return;
  }
  const auto framework = recipe::to_string(vocabulary_.framework());
  for (const auto& derived : knowledge_.derived) {
    if (derived.slot == slot && (derived.frameworks.empty() || derived.frameworks == framework)) {
      for (const auto read : derived.expression.names()) {
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
  std::set<NameSlot> seen;
  for (const auto* expression : {&rule.given, &rule.assertion}) {
    for (const auto slot : expression->names()) {
      add(slot, seen);
    }
  }
  std::erase_if(seen, [&](NameSlot slot) { return knowledge_.names.name(slot).starts_with("d."); });
  known.emplace();
  known->slots.assign(seen.begin(), seen.end());
  const bool alone = rule.severity == Severity::error && !rule.builtin && seen.size() == 1;
  const auto only = alone ? knowledge_.names.name(*seen.begin()) : std::string_view();
  if (alone && (is_field(only) || vocabulary_.find(only) != nullptr)) {
    known->judged = *seen.begin();
  }
  return *known;
}

const std::vector<NameSlot>& FieldsRead::of(const Rule& rule) const {
  return reads(rule).slots;
}

std::optional<NameSlot> FieldsRead::judged(const Rule& rule) const {
  return reads(rule).judged;
}

bool FieldsRead::fills_from(const RewriteStep& step, NameSlot slot) const {
  const bool preset = !is_field(knowledge_.names.name(slot));  // its name describes the content
  std::set<NameSlot> seen;
  for (const auto* expression : {&step.value, preset ? &step.when : &step.value}) {
    for (const auto read : expression->names()) {
      add(read, seen);
    }
  }
  return seen.contains(slot);
}

const std::vector<NameSlot>& FieldsRead::filled_from(NameSlot slot) const {
  const auto known = filled_.find(slot);
  if (known != filled_.end()) {
    return known->second;
  }
  const auto framework = recipe::to_string(vocabulary_.framework());
  std::set<NameSlot> filled;
  for (const auto& pipeline : knowledge_.pipelines) {
    if (pipeline.framework != framework) {
      continue;
    }
    for (const auto& stage : pipeline.stages) {
      for (const auto& step : stage.rewrites) {
        if (step.slot && holds(step.versions, framework, vocabulary_.version()) &&
            fills_from(step, slot)) {
          filled.insert(slot_of(knowledge_.names.name(*step.slot)).value_or(*step.slot));
        }
      }
    }
  }
  return filled_.emplace(slot, std::vector<NameSlot>(filled.begin(), filled.end())).first->second;
}

IllegalValues::IllegalValues(const FieldsRead& reads,
                             const facts::Facts& facts,
                             const std::set<const Rule*>& told,
                             const std::vector<Misspelling>& misspelt)
    : reads_(reads) {
  for (const auto* rule : told) {
    if (const auto judged = reads.judged(*rule)) {
      causes_.emplace(*judged, rule);
    }
  }
  add_refused_choice(facts, told);
  add_unknown_words(facts, told);
  for (const auto& [slot, rule] : std::map<NameSlot, const Rule*>(causes_)) {
    for (const auto filled : reads.filled_from(slot)) {
      causes_.emplace(filled, rule);
    }
  }
  add_misspelt(facts, told, misspelt);
}

void IllegalValues::add_misspelt(const facts::Facts& facts,
                                 const std::set<const Rule*>& told,
                                 const std::vector<Misspelling>& misspelt) {
  for (const auto& key : misspelt) {
    const auto* rule = reads_.knowledge().find(key.diagnostic->rule);
    if (rule == nullptr || !told.contains(rule)) {
      continue;
    }
    const auto meant = reads_.slot_of(key.meant);
    for (const auto slot : facts.names().slots()) {
      const auto name = facts.names().name(slot);
      const bool below =
          name.starts_with(key.meant) && name.substr(key.meant.size()).starts_with('.');
      if (!is_field(name) && name != key.meant) {
        continue;
      }
      const auto field = reads_.slot_of(name).value_or(slot);
      if ((below || field == meant) && !facts.is_explicit(field).truthy()) {
        missing_.emplace(field, &key);
      }
    }
  }
}

void IllegalValues::add_refused_choice(const facts::Facts& facts,
                                       const std::set<const Rule*>& told) {
  const auto& raw = facts.recipe().raw;
  const auto choice = raw.find(kBadChoice);
  const auto* attribute = choice == raw.end() ? nullptr : choice->second.text();
  const auto* refused =
      attribute == nullptr ? nullptr : facts.vocabulary().find_attribute(*attribute);
  if (refused == nullptr) {
    return;
  }
  const auto field = reads_.slot_of(refused->name);
  if (!field) {
    return;  // no rule waits for a field that none reads
  }
  const auto bad_choice = reads_.slot_of(kBadChoice);
  for (const auto* rule : told) {
    const bool about_choices =
        rule->id == "flags/bad-choice" ||
        (bad_choice && std::ranges::binary_search(reads_.of(*rule), *bad_choice));
    if (about_choices && !reads_.judged(*rule)) {
      causes_.emplace(*field, rule);
    }
  }
}

void IllegalValues::add_unknown_words(const facts::Facts& facts,
                                      const std::set<const Rule*>& told) {
  const auto* remark = reads_.knowledge().find(kUnknownWord);
  if (remark == nullptr || !told.contains(remark)) {
    return;
  }
  for (const auto& [name, field] : facts.recipe().fields) {
    const auto* spec = unknown_word(field, facts);
    if (spec == nullptr) {
      continue;
    }
    const Rule* best = remark;
    int most = 1;
    for (const auto* rule : told) {
      const int listed = words_listed(*rule, name, spec->choices, facts.names());
      if (listed > most) {
        best = rule;
        most = listed;
      }
    }
    const auto slot = reads_.slot_of(name);
    const auto* teller = slot ? causes_.emplace(*slot, best).first->second : best;
    words_.emplace_back(field.mark, teller);
  }
}

const Misspelling* IllegalValues::behind_key(const Rule& rule) const {
  if (missing_.empty() || rule.builtin) {
    return nullptr;
  }
  for (const auto slot : reads_.of(rule)) {
    const auto key = missing_.find(slot);
    if (key != missing_.end()) {
      return key->second;
    }
  }
  return nullptr;
}

const Rule* IllegalValues::behind(const Rule& rule) const {
  if (const auto* key = behind_key(rule)) {
    return reads_.knowledge().find(key->diagnostic->rule);
  }
  if (causes_.empty() || rule.builtin || reads_.judged(rule)) {
    return nullptr;
  }
  for (const auto slot : reads_.of(rule)) {
    const auto cause = causes_.find(slot);
    if (cause != causes_.end() && cause->second != &rule &&
        cause->second->severity >= rule.severity) {
      return cause->second;
    }
  }
  return nullptr;
}

const Rule* IllegalValues::teller(const text::Mark& word) const {
  for (const auto& [mark, teller] : words_) {
    if (mark == word && teller->id != kUnknownWord) {
      return teller;
    }
  }
  return nullptr;
}

bool IllegalValues::has_untold_word() const {
  return std::ranges::any_of(words_,
                             [](const auto& word) { return word.second->id == kUnknownWord; });
}

bool has_unknown_word(const facts::Facts& facts) {
  return std::ranges::any_of(facts.recipe().fields, [&](const auto& entry) {
    return unknown_word(entry.second, facts) != nullptr;
  });
}

}  // namespace epwise::lint
