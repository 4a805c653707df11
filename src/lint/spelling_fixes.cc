#include "lint/spelling_fixes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/abridgement.h"
#include "base/text/spelling.h"
#include "lint/renaming.h"
#include "recipe/arguments/flag_values.h"
#include "recipe/framework.h"
#include "recipe/trainers/trainer_facts.h"
#include "recipe/vocabulary/vocabulary.h"
#include "yaml/literal.h"

namespace epwise::lint {

namespace {

using expr::Op;
using expr::Value;
using Words = std::vector<std::string_view>;

void add_texts(const Value& value, Words& words) {
  if (const auto* text = value.text()) {
    words.push_back(*text);
  } else if (const auto* list = value.list()) {
    for (const Value& item : *list) {
      add_texts(item, words);
    }
  }
}

/// All texts in an expression: linting the changed recipe decides which of them are valid.
Words texts_in(const expr::Expression& expression) {
  Words words;
  for (const Value* constant : expression.literals()) {
    add_texts(*constant, words);
  }
  return words;
}

/// The texts in a rule itself, or else in the derived values that it asserts.
Words texts_in(const Rule& rule, const facts::Facts& facts, const Knowledge& knowledge) {
  Words words = texts_in(rule.assertion);
  const auto framework = recipe::to_string(facts.recipe().framework);
  const auto read = words.empty() ? rule.assertion.names() : std::vector<expr::NameSlot>();
  for (const auto& derived : knowledge.derived) {
    if (std::ranges::find(read, derived.slot) != read.end() &&
        (derived.frameworks.empty() || derived.frameworks == framework)) {
      const Words more = texts_in(derived.expression);
      words.insert(words.end(), more.begin(), more.end());
    }
  }
  return words;
}

/// The valid word that is similar to this one, or of which it omits parts.
std::optional<std::string> meant_word(const std::string& written, const Words& legal) {
  constexpr int kMost = 2;
  if (std::ranges::find(legal, written) != legal.end()) {
    return std::nullopt;
  }
  const auto near = text::nearest(written, legal, 1);
  const bool same = !near.empty() && near.front().size() == written.size();
  if (!near.empty() && (same || text::edit_distance(written, near.front()) <= kMost)) {
    return near.front();
  }
  const auto whole = text::completed(written, legal);
  return whole.empty() ? std::nullopt : std::optional(std::string(whole));
}

std::optional<Value> meant_word(const Value& value, const Words& legal) {
  if (const auto* text = value.text()) {
    const auto word = meant_word(*text, legal);
    return word ? std::optional(Value::of(*word)) : std::nullopt;
  }
  const auto* list = value.list();
  if (list == nullptr) {
    return std::nullopt;
  }
  Value::List items;
  bool changed = false;
  for (const Value& item : *list) {
    const auto word = item.text() == nullptr ? std::nullopt : meant_word(*item.text(), legal);
    changed = changed || word.has_value();
    items.push_back(word ? Value::of(*word) : item);
  }
  return changed ? std::optional(Value::of(std::move(items))) : std::nullopt;
}

Tier respelling_tier(const Rule& rule) {
  Tier tier = rule.severity == Severity::error ? Tier::neutral : Tier::performance;
  for (const RuleFix& fix : rule.prose->fixes) {
    tier = rule.severity == Severity::error ? tier : std::max(tier, fix.tier);
  }
  return tier;
}

/// All flags of one attribute accept the same words.
Words choices_of(std::string_view attribute, const recipe::Vocabulary& vocabulary) {
  for (const auto& flag : vocabulary.flags()) {
    if (flag.attribute == attribute && !flag.choices.empty()) {
      return {flag.choices.begin(), flag.choices.end()};
    }
  }
  return {};
}

std::optional<Value> as_number(const std::string& text) {
  constexpr double kLargest = 1e15;
  const auto number = recipe::python_float(text);
  if (!number || !std::isfinite(*number)) {
    return std::nullopt;
  }
  const bool whole =
      text.find_first_of(".eE") == std::string::npos && std::fabs(*number) < kLargest;
  return whole ? Value::of(static_cast<std::int64_t>(*number)) : Value::of(*number);
}

std::optional<Value> as_switch(const std::string& text) {
  for (const std::string_view word : {"true", "True", "TRUE", "yes", "on"}) {
    if (text == word) {
      return Value::of(true);
    }
  }
  for (const std::string_view word : {"false", "False", "FALSE", "no", "off"}) {
    if (text == word) {
      return Value::of(false);
    }
  }
  return std::nullopt;
}

/// The probable meaning of a scalar whose type differs from its field's.
std::optional<Value> retyped(const recipe::Field& field, const recipe::FieldSpec& spec) {
  const auto* text = field.value.text();
  switch (spec.type.kind) {
    case expr::Kind::integer:
    case expr::Kind::real:
      return text == nullptr ? std::nullopt : as_number(*text);
    case expr::Kind::boolean:
      return text == nullptr ? std::nullopt : as_switch(*text);
    case expr::Kind::text:
      return field.value.boolean() == nullptr || field.mark.nowhere()
                 ? std::nullopt
                 : std::optional(Value::of(field.mark.file->bytes().substr(
                       field.mark.begin, field.mark.end - field.mark.begin)));
    default:
      return std::nullopt;
  }
}

bool is_quoted(const text::Mark& mark) {
  const auto bytes = mark.file->bytes();
  return mark.begin < bytes.size() && (bytes[mark.begin] == '"' || bytes[mark.begin] == '\'');
}

/// A quoted false is true, so removing its quotes changes the run.
Tier respelling_tier(const Value& value) {
  return value.boolean() != nullptr && !value.truthy() ? Tier::training : Tier::neutral;
}

constexpr std::string_view kSpelling = "Correct the spelling";

/// The library to whose variables a name belongs by its prefix; null if it is none of them.
const LibraryVariables* library_of(std::string_view name, const Tables& tables) {
  const auto found = std::ranges::find_if(tables.variables, [&](const LibraryVariables& library) {
    return std::ranges::any_of(library.prefixes, [&](std::string_view prefix) {
      return name.starts_with(prefix) && name.size() > prefix.size();
    });
  });
  return found == tables.variables.end() ? nullptr : &*found;
}

/// A variable that ends with the name after a `_`: NCCL_AVOID_RECORD_STREAMS lacks its TORCH_.
std::string_view longer_variable(std::string_view name, const Tables& tables) {
  for (const LibraryVariables& library : tables.variables) {
    for (const std::string_view each : library.names->read) {
      if (each.size() > name.size() + 1 && each.ends_with(name) &&
          each[each.size() - name.size() - 1] == '_') {
        return each;
      }
    }
  }
  return {};
}

/// The variable that was meant; empty if the name is one, or like none.
std::string_view meant_variable(std::string_view name,
                                const LibraryVariables& library,
                                const Tables& tables) {
  constexpr std::size_t kLettersPerEdit = 8;  // of a misspelt name
  constexpr std::size_t kMostEdits = 2;
  const auto has = [&](const std::vector<std::string_view>& names) {
    return std::ranges::binary_search(names, name);
  };
  if (has(library.names->read) || has(library.names->others)) {
    return {};
  }
  std::string_view best;
  auto least = static_cast<int>(std::min(kMostEdits, name.size() / kLettersPerEdit)) + 1;
  for (const std::string_view each : library.names->read) {
    const int edits = text::edit_distance(name, each);
    if (edits < least) {
      least = edits;
      best = each;
    }
  }
  return best.empty() ? longer_variable(name, tables) : best;
}

}  // namespace

std::vector<text::Diagnostic> misspelt_variables(const facts::Facts& facts,
                                                 const Knowledge& knowledge) {
  std::vector<text::Diagnostic> diagnostics;
  const auto check = [&](const std::string& name, const text::Mark& mark) {
    const LibraryVariables* library =
        knowledge.names.find("env." + name) ? nullptr : library_of(name, knowledge.tables);
    const std::string_view meant =
        library == nullptr ? "" : meant_variable(name, *library, knowledge.tables);
    if (!meant.empty()) {
      diagnostics.push_back(
          {"env/misspelt-variable",
           mark,
           fmt::format("{} does not read `{}`, did you mean `{}`?", library->library, name, meant),
           {},
           "correct the spelling"});
    }
  };
  const recipe::Recipe& recipe = facts.recipe();
  for (const auto& [name, variable] : recipe.variables) {
    check(name, variable.key);
  }
  for (const auto& [name, value] : facts.target().environment) {
    if (!recipe.variables.contains(name)) {
      check(name, recipe.root);
    }
  }
  return diagnostics;
}

bool is_spelling(const Finding& finding, const Fix& fix) {
  const bool word =
      finding.rule->id == "recipe/unknown-word" || finding.rule->id == "flags/bad-choice";
  return !fix.edits.empty() &&
         (word || fix.title == kSpelling || std::ranges::any_of(fix.edits, is_renaming));
}

std::vector<Fix> spelling_fixes(const text::Diagnostic& diagnostic, const facts::Facts& facts) {
  const bool plain = diagnostic.rule == "yaml/dialect-scalar";  // one report for all of a file
  const bool typed =
      diagnostic.rule == "recipe/text-for-number" || diagnostic.rule == "recipe/quoted-boolean";
  const bool chosen = diagnostic.rule == "flags/bad-choice";
  const bool worded = diagnostic.rule == "recipe/unknown-word";
  if (!plain && !typed && !chosen && !worded) {
    return {};
  }
  Fix fix{diagnostic.help, worded ? Tier::training : Tier::neutral, {}};
  for (const auto& [name, field] : facts.recipe().fields) {
    const bool here =
        !field.mark.nowhere() && (plain ? !is_quoted(field.mark) : field.mark == diagnostic.mark);
    const auto* spec = here ? facts.vocabulary().find(name) : nullptr;
    if (spec == nullptr) {
      continue;
    }
    const auto value =
        chosen   ? meant_word(field.value, choices_of(spec->attribute, facts.vocabulary()))
        : worded ? meant_word(field.value, spec->choices)
                 : retyped(field, *spec);
    if (value) {
      fix.edits.push_back(spell_edit(name, &*value, facts).edit);
      if (const auto* real = value->real()) {
        fix.edits.back().value = yaml::render(yaml::Literal::of(*real));
      }
      fix.tier = std::max(fix.tier, respelling_tier(*value));
    }
  }
  return fix.edits.empty() ? std::vector<Fix>{} : std::vector<Fix>{std::move(fix)};
}

std::vector<Fix> spelling_fixes(const Rule& rule,
                                const facts::Facts& facts,
                                const Knowledge& knowledge) {
  std::vector<Fix> fixes;
  for (const Operand& operand : rule.operands) {
    const auto name = facts.names().name(operand.slot);
    const auto* spec = facts.vocabulary().find(name);
    if (spec == nullptr || place(name, facts).nowhere()) {
      continue;
    }
    Words legal(spec->choices.begin(), spec->choices.end());
    if (legal.empty()) {
      legal = texts_in(rule, facts, knowledge);
    }
    if (const auto value = meant_word(facts.written(operand.slot), legal)) {
      auto spelled = spell_edit(name, &*value, facts);
      fixes.push_back({std::string(kSpelling), respelling_tier(rule), {std::move(spelled.edit)}});
    }
  }
  return fixes;
}

namespace {

using recipe::Flag;

/// The common flag of an attribute: the first long one; with `wanted`, the one that stores that
/// truth value.
const Flag* flag_of(std::string_view attribute,
                    const recipe::Vocabulary& vocabulary,
                    std::optional<bool> wanted) {
  for (const auto& flag : vocabulary.flags()) {
    if (flag.attribute != attribute) {
      continue;
    }
    const bool fits = !wanted || (flag.action == Flag::Action::store_true && *wanted) ||
                      (flag.action == Flag::Action::store_false && !*wanted);
    if (fits) {
      return &flag;
    }
  }
  return nullptr;
}

std::string_view long_spelling(const Flag& flag) {
  const auto found = std::ranges::find_if(
      flag.spellings, [](std::string_view spelling) { return spelling.starts_with("--"); });
  return found == flag.spellings.end() ? flag.spellings.front() : *found;
}

/// The recipe's value of a name; several Bridge fields can be one Megatron-LM argument.
const recipe::Field* written(std::string_view name, const facts::Facts& facts) {
  const auto* spec = facts.vocabulary().find(name);
  return facts.recipe().find(spec == nullptr ? name : spec->name);
}

/// The flag that was or would be written; null pointer if there is none.
const Flag* flag_called(std::string_view spelling, const recipe::Vocabulary& vocabulary) {
  const auto& flags = vocabulary.flags();
  const auto found = std::ranges::find_if(flags, [&](const Flag& flag) {
    return std::ranges::find(flag.spellings, spelling) != flag.spellings.end();
  });
  return found == flags.end() ? nullptr : &*found;
}

bool is_mlm(const facts::Facts& facts) {
  return facts.recipe().framework == recipe::Framework::mlm;
}

}  // namespace

std::string spelling(std::string_view name, const facts::Facts& facts) {
  const recipe::Field* field = written(name, facts);
  const bool is_flag = is_mlm(facts) && facts.vocabulary().find(name) != nullptr;
  if (field != nullptr && !(is_flag && field->key.nowhere())) {  // the default of a trainer
    return field->spelling;
  }
  if (const auto* spec = facts.vocabulary().find(name)) {
    if (!is_mlm(facts)) {
      return facts.recipe().path_of(name);
    }
    const auto* flag = flag_of(spec->attribute, facts.vocabulary(), std::nullopt);
    return flag == nullptr ? std::string(spec->attribute) : std::string(long_spelling(*flag));
  }
  if (name.starts_with(recipe::kTrainerGroup)) {
    return recipe::trainer_path(facts.recipe(), name);
  }
  for (const std::string_view group : {"d.", "env.", "stack.", "hw."}) {
    if (name.starts_with(group)) {
      return std::string(group == "hw." ? name : name.substr(group.size()));
    }
  }
  return std::string(name);
}

std::string value_name(std::string_view name, const facts::Facts& facts) {
  std::string spelled = spelling(name, facts);
  const auto* spec = facts.vocabulary().find(name);
  const auto* flag = flag_called(spelled, facts.vocabulary());
  if (spec == nullptr || flag == nullptr) {
    return spelled;
  }
  const bool off = flag->action == Flag::Action::store_false;
  return off == spec->inverted
             ? spelled
             : std::string(name.substr(name.find('.') + 1)) + " (" + spelled + ")";
}

std::string plain_name(std::string_view name, std::string_view meaning) {
  constexpr std::size_t kLongestName = 48;
  std::string plain(name.substr(name.find('.') + 1));
  if (!plain.empty() && plain.front() >= 'A' && plain.front() <= 'Z') {
    return plain;
  }
  const auto words = meaning.substr(0, meaning.find_first_of(";,:("));
  if (!words.empty() && words.size() <= kLongestName) {
    return std::string(words);
  }
  std::ranges::replace(plain, '_', ' ');
  return plain;
}

std::string pointer(std::string_view name, const facts::Facts& facts) {
  const auto* field = written(name, facts);
  if (is_mlm(facts)) {
    return field == nullptr ? std::string() : "/MODEL_ARGS/" + field->spelling;
  }
  std::string all = "/" + facts.recipe().path_of(name);
  std::ranges::replace(all, '.', '/');
  return all;
}

text::Mark place(std::string_view name, const facts::Facts& facts) {
  const auto& recipe = facts.recipe();
  if (const auto* field = written(name, facts)) {
    return field->mark;
  }
  if (name.starts_with("env.")) {
    const auto variable = recipe.variables.find(name.substr(4));
    return variable == recipe.variables.end() ? text::Mark{} : variable->second.mark;
  }
  return {};
}

SpelledEdit spell_edit(std::string_view field,
                       const expr::Value* value,
                       const facts::Facts& facts) {
  SpelledEdit spelled;
  spelled.edit.mark = place(field, facts);
  spelled.edit.field = spelling(field, facts);
  spelled.edit.value = value == nullptr    ? std::string()
                       : value->is_unset() ? recipe::null_word(facts.recipe())
                                           : value->to_text();
  spelled.edit.name = field;
  spelled.edit.target = value == nullptr ? expr::Value() : *value;
  spelled.edit.remove = value == nullptr;
  if (field.starts_with("env.")) {
    return spelled;
  }
  const auto* spec = facts.vocabulary().find(field);
  const bool placed = is_mlm(facts) || !recipe::has_trainer(facts.recipe()) ||
                      !recipe::trainer_path(facts.recipe(), field).empty();
  const auto* said = written(field, facts);
  // an option of a script cannot be added without its place there
  const bool settable = field.starts_with(recipe::kTrainerGroup) && !is_mlm(facts);
  spelled.known =
      settable || (spec != nullptr && placed) || (said != nullptr && !said->key.nowhere());
  const auto* truth = value == nullptr ? nullptr : value->boolean();
  if (spec == nullptr || !is_mlm(facts)) {
    return spelled;
  }
  const auto* list = value == nullptr ? nullptr : value->list();
  if (list != nullptr && list->empty()) {  // no flag of Megatron-LM takes an empty list
    spelled.edit.value.clear();
    spelled.edit.remove = true;
    return spelled;
  }
  if (truth == nullptr) {
    return spelled;
  }
  const bool stored = spec->inverted ? !*truth : *truth;
  if (const auto* flag = flag_of(spec->attribute, facts.vocabulary(), stored)) {
    spelled.edit.field = long_spelling(*flag);
    spelled.edit.value = "true";
  } else {
    spelled.edit.value.clear();  // no flag sets it: the one with the opposite value must be removed
    spelled.edit.remove = true;
  }
  return spelled;
}

}  // namespace epwise::lint
