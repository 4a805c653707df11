#include "lint/illegal_values.h"

#include <algorithm>
#include <utility>

#include "lint/range.h"
#include "recipe/framework.h"
#include "recipe/overrides/word_choices.h"

namespace epwise::lint {

namespace {

constexpr std::string_view kBadChoice = "raw.bad_choice";
constexpr std::string_view kUnknownWord = "recipe/unknown-word";

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

/// The field, where it holds a word that it does not know: one that the reader has reported, or
/// that stands there in a variation of the recipe. Null pointer otherwise.
const recipe::FieldSpec* unknown_word(const recipe::Field& field, const model::Facts& facts) {
  const auto* spec = facts.vocabulary().find(field.name);
  if (facts.vocabulary().framework() != recipe::Framework::bridge || spec == nullptr ||
      spec->choices.empty()) {
    return nullptr;
  }
  const int slot = facts.names().find(spec->name);
  const auto value = slot < 0 ? field.value : facts.written(slot);
  const bool reported = std::ranges::any_of(facts.recipe().diagnostics, [&](const auto& each) {
    return each.rule == kUnknownWord && each.mark == field.mark;
  });
  const bool varied = !(value == field.value);
  return (reported || varied) && recipe::unknown_word(value, spec->choices) ? spec : nullptr;
}

/// How many of a field's words a rule that blames the field first compares it with.
int words_listed(const Rule& rule,
                 std::string_view field,
                 const std::vector<std::string_view>& choices,
                 const expr::Names& names) {
  if (rule.operands.empty() || rule.operands.front().slot < 0 ||
      names.name(rule.operands.front().slot) != field) {
    return 0;
  }
  int listed = 0;
  for (const auto& constant : rule.assertion.constants) {
    std::vector<expr::Value> items{constant};
    if (const auto* list = constant.list()) {
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
  const auto only = alone ? knowledge_.names.name(*seen.begin()) : std::string_view();
  if (alone && (is_field(only) || vocabulary_.find(only) != nullptr)) {
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

const std::vector<int>& FieldsRead::filled_from(int slot) const {
  const auto known = filled_.find(slot);
  if (known != filled_.end()) {
    return known->second;
  }
  const auto framework = recipe::to_string(vocabulary_.framework());
  const bool preset = !is_field(knowledge_.names.name(slot));  // its name says what is filled in
  std::set<int> filled;
  for (const auto& pipeline : knowledge_.pipelines) {
    for (const auto& stage : pipeline.stages) {
      for (const auto& step : stage.rewrites) {
        const bool here = pipeline.framework == framework && step.slot >= 0 &&
                          holds(step.versions, framework, vocabulary_.version());
        std::set<int> seen;
        for (const auto* expression : {&step.value, preset ? &step.when : &step.value}) {
          for (const int read : here ? expression->names() : std::vector<int>()) {
            add(read, seen);
          }
        }
        if (seen.contains(slot)) {
          filled.insert(slot_of(knowledge_.names.name(step.slot)));
        }
      }
    }
  }
  return filled_.emplace(slot, std::vector<int>(filled.begin(), filled.end())).first->second;
}

IllegalValues::IllegalValues(const FieldsRead& reads,
                             const model::Facts& facts,
                             const std::set<const Rule*>& told,
                             const std::vector<Misspelling>& misspelt)
    : reads_(reads) {
  for (const auto* rule : told) {
    if (const int judged = reads.judged(*rule); judged >= 0) {
      causes_.emplace(judged, rule);
    }
  }
  add_refused_choice(facts, told);
  add_unknown_words(facts, told);
  for (const auto& [slot, rule] : std::map<int, const Rule*>(causes_)) {
    for (const int filled : reads.filled_from(slot)) {
      causes_.emplace(filled, rule);
    }
  }
  add_misspelt(facts, told, misspelt);
}

void IllegalValues::add_misspelt(const model::Facts& facts,
                                 const std::set<const Rule*>& told,
                                 const std::vector<Misspelling>& misspelt) {
  for (const auto& key : misspelt) {
    const auto* rule = reads_.knowledge().find(key.diagnostic->rule);
    if (rule == nullptr || !told.contains(rule)) {
      continue;
    }
    for (int slot = 0; slot < facts.names().size(); ++slot) {
      const auto name = facts.names().name(slot);
      const bool below =
          name.starts_with(key.meant) && name.substr(key.meant.size()).starts_with('.');
      const int field = is_field(name) || name == key.meant ? reads_.slot_of(name) : -1;
      const bool meant = field >= 0 && (below || field == reads_.slot_of(key.meant));
      if (meant && !facts.is_explicit(field).truthy()) {
        missing_.emplace(field, &key);
      }
    }
  }
}

void IllegalValues::add_refused_choice(const model::Facts& facts,
                                       const std::set<const Rule*>& told) {
  const auto& raw = facts.recipe().raw;
  const auto choice = raw.find(kBadChoice);
  const auto* attribute = choice == raw.end() ? nullptr : choice->second.text();
  const auto* refused =
      attribute == nullptr ? nullptr : facts.vocabulary().find_attribute(*attribute);
  if (refused == nullptr) {
    return;
  }
  const int bad_choice = reads_.slot_of(kBadChoice);
  for (const auto* rule : told) {
    if (reads_.judged(*rule) < 0 && (rule->id == "flags/bad-choice" ||
                                     std::ranges::binary_search(reads_.of(*rule), bad_choice))) {
      causes_.emplace(reads_.slot_of(refused->name), rule);
    }
  }
}

void IllegalValues::add_unknown_words(const model::Facts& facts,
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
    const int slot = reads_.slot_of(name);
    const auto* teller = slot < 0 ? best : causes_.emplace(slot, best).first->second;
    words_.emplace_back(field.mark, teller);
  }
}

const Misspelling* IllegalValues::behind_key(const Rule& rule) const {
  if (missing_.empty() || rule.builtin) {
    return nullptr;
  }
  for (const int slot : reads_.of(rule)) {
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
  if (causes_.empty() || rule.builtin || reads_.judged(rule) >= 0) {
    return nullptr;
  }
  for (const int slot : reads_.of(rule)) {
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

bool has_unknown_word(const model::Facts& facts) {
  return std::ranges::any_of(facts.recipe().fields, [&](const auto& entry) {
    return unknown_word(entry.second, facts) != nullptr;
  });
}

}  // namespace epwise::lint
