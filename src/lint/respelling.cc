#include "lint/respelling.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lint/field_spelling.h"
#include "lint/renaming.h"
#include "recipe/arguments/flag_values.h"
#include "recipe/framework.h"
#include "text/abridgement.h"
#include "text/spelling.h"
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

/// All texts that an expression names: which of them are legal the lint of the changed recipe says.
Words texts_in(const expr::Expression& expression) {
  Words words;
  for (const Value& constant : expression.constants) {
    add_texts(constant, words);
  }
  return words;
}

/// The texts that a rule names itself, or else in the derived values that it asserts.
Words texts_in(const Rule& rule, const model::Facts& facts, const Knowledge& knowledge) {
  Words words = texts_in(rule.assertion);
  const auto framework = recipe::to_string(facts.recipe().framework);
  const auto read = words.empty() ? rule.assertion.names() : std::vector<int>();
  for (const auto& derived : knowledge.derived) {
    if (std::ranges::find(read, derived.slot) != read.end() &&
        (derived.frameworks.empty() || derived.frameworks == framework)) {
      const Words more = texts_in(derived.expression);
      words.insert(words.end(), more.begin(), more.end());
    }
  }
  return words;
}

/// The legal word that this one nearly is, or of which it leaves out parts.
std::optional<std::string> meant(const std::string& written, const Words& legal) {
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

std::optional<Value> meant(const Value& value, const Words& legal) {
  if (const auto* text = value.text()) {
    const auto word = meant(*text, legal);
    return word ? std::optional(Value::of(*word)) : std::nullopt;
  }
  const auto* list = value.list();
  if (list == nullptr) {
    return std::nullopt;
  }
  Value::List items;
  bool changed = false;
  for (const Value& item : *list) {
    const auto word = item.text() == nullptr ? std::nullopt : meant(*item.text(), legal);
    changed = changed || word.has_value();
    items.push_back(word ? Value::of(*word) : item);
  }
  return changed ? std::optional(Value::of(std::move(items))) : std::nullopt;
}

Tier tier_of(const Rule& rule) {
  Tier tier = rule.severity == Severity::error ? Tier::neutral : Tier::performance;
  for (const RuleFix& fix : rule.fixes) {
    tier = rule.severity == Severity::error ? tier : std::max(tier, fix.tier);
  }
  return tier;
}

/// All flags of one attribute take the same words.
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

/// What a scalar of another kind than its field's was meant to say.
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

/// A quoted false is on, so taking its quotes off changes what runs.
Tier tier_of(const Value& value) {
  return value.boolean() != nullptr && !value.truthy() ? Tier::training : Tier::neutral;
}

constexpr std::string_view kSpelling = "Correct the spelling";

}  // namespace

bool is_spelling(const Finding& finding, const Fix& fix) {
  const bool word =
      finding.rule->id == "recipe/unknown-word" || finding.rule->id == "flags/bad-choice";
  return !fix.edits.empty() &&
         (word || fix.title == kSpelling || std::ranges::any_of(fix.edits, is_renaming));
}

std::vector<Fix> respellings(const text::Diagnostic& diagnostic, const model::Facts& facts) {
  const bool plain = diagnostic.rule == "yaml/dialect-scalar";  // one report for all of a file
  const bool typed =
      diagnostic.rule == "recipe/text-for-number" || diagnostic.rule == "recipe/quoted-boolean";
  const bool chosen = diagnostic.rule == "flags/bad-choice";
  const bool worded = diagnostic.rule == "recipe/unknown-word";
  Fix fix{diagnostic.help, worded ? Tier::training : Tier::neutral, {}};
  for (const auto& [name, field] : facts.recipe().fields) {
    const auto* spec = facts.vocabulary().find(name);
    const bool here =
        !field.mark.nowhere() && (plain ? !is_quoted(field.mark) : field.mark == diagnostic.mark);
    if (spec == nullptr || !here || !(plain || typed || chosen || worded)) {
      continue;
    }
    const auto value = chosen ? meant(field.value, choices_of(spec->attribute, facts.vocabulary()))
                       : worded ? meant(field.value, spec->choices)
                                : retyped(field, *spec);
    if (value) {
      fix.edits.push_back(spell_edit(name, &*value, facts).edit);
      if (const auto* real = value->real()) {
        fix.edits.back().value = yaml::render(yaml::Literal::of(*real));
      }
      fix.tier = std::max(fix.tier, tier_of(*value));
    }
  }
  return fix.edits.empty() ? std::vector<Fix>{} : std::vector<Fix>{std::move(fix)};
}

std::vector<Fix> respellings(const Rule& rule,
                             const model::Facts& facts,
                             const Knowledge& knowledge) {
  std::vector<Fix> fixes;
  for (const Operand& operand : rule.operands) {
    if (operand.slot < 0) {
      continue;
    }
    const auto name = facts.names().name(operand.slot);
    const auto* spec = facts.vocabulary().find(name);
    if (spec == nullptr || place(name, facts).nowhere()) {
      continue;
    }
    Words legal(spec->choices.begin(), spec->choices.end());
    if (legal.empty()) {
      legal = texts_in(rule, facts, knowledge);
    }
    if (const auto value = meant(facts.written(operand.slot), legal)) {
      auto spelled = spell_edit(name, &*value, facts);
      fixes.push_back({std::string(kSpelling), tier_of(rule), {std::move(spelled.edit)}});
    }
  }
  return fixes;
}

}  // namespace epwise::lint
