#include "lint/premises.h"

#include <algorithm>
#include <vector>

#include "recipe/trainers/trainer_facts.h"

namespace epwise::lint {

namespace {

void add_names(std::set<expr::NameSlot>& slots, const expr::Expression& expression) {
  const auto names = expression.names();
  slots.insert(names.begin(), names.end());
}

/// The names that a rule reads, including those of derived values.
std::set<expr::NameSlot> all_names(const Rule& rule, const Knowledge& knowledge) {
  std::set<expr::NameSlot> all;
  std::set<expr::NameSlot> next;
  add_names(next, rule.given);
  add_names(next, rule.assertion);
  while (!next.empty()) {
    const auto slot = *next.begin();
    next.erase(next.begin());
    if (!all.insert(slot).second) {
      continue;
    }
    for (const auto& derived : knowledge.derived) {
      if (derived.slot == slot) {
        add_names(next, derived.expression);
      }
    }
  }
  return all;
}

/// Where the recipe has a text in place of a number; nowhere if it has none under this name.
text::Mark text_for_number(expr::NameSlot slot, const facts::Facts& facts) {
  const auto* spec = facts.vocabulary().find(facts.names().name(slot));
  const bool number = spec != nullptr && (spec->type.kind == expr::Kind::integer ||
                                          spec->type.kind == expr::Kind::real);
  const auto* field = number ? facts.recipe().find(spec->name) : nullptr;
  return field == nullptr || facts.value(slot).text() == nullptr ? text::Mark() : field->mark;
}

bool is_about_text(const text::Diagnostic& diagnostic) {
  return diagnostic.rule == "recipe/text-for-number" || diagnostic.rule == "yaml/dialect-scalar";
}

bool stands_at(const text::Diagnostic& diagnostic, const text::Mark& mark) {
  const auto same = [&](const auto& label) { return label.mark == mark; };
  return diagnostic.mark == mark || std::ranges::any_of(diagnostic.related, same);
}

}  // namespace

const Rule* explanation(const Rule& rule,
                        const Knowledge& knowledge,
                        const std::set<const Rule*>& failed) {
  for (const auto index : rule.premises) {
    const auto* premise = &knowledge.rules[static_cast<std::size_t>(index)];
    if (failed.contains(premise)) {
      return premise;
    }
  }
  return nullptr;
}

const Rule* open_premise(const Rule& rule,
                         const Knowledge& knowledge,
                         const std::map<const Rule*, std::vector<std::string>>& open) {
  for (const auto index : rule.premises) {
    const auto* premise = &knowledge.rules[static_cast<std::size_t>(index)];
    if (open.contains(premise)) {
      return premise;
    }
  }
  return nullptr;
}

bool is_inherited(const Rule& rule, const facts::Facts& facts) {
  const auto partial = facts.recipe().raw.find("raw.partial");
  if (partial == facts.recipe().raw.end() || !partial->second.truthy()) {
    return false;
  }
  // A trainer's values come from its table and a known model; no base recipe can change them.
  if (!recipe::model_name(facts.recipe()).empty()) {
    return false;
  }
  return std::ranges::none_of(rule.operands, [&](const Operand& operand) {
    return facts.is_explicit(operand.slot).truthy();
  });
}

const text::Diagnostic* misread_number(const Rule& rule,
                                       const Knowledge& knowledge,
                                       const facts::Facts& facts) {
  std::vector<const text::Diagnostic*> about_texts;
  for (const auto& diagnostic : facts.recipe().diagnostics) {
    if (is_about_text(diagnostic)) {
      about_texts.push_back(&diagnostic);
    }
  }
  if (about_texts.empty()) {
    return nullptr;
  }
  for (const auto slot : all_names(rule, knowledge)) {
    const auto mark = text_for_number(slot, facts);
    for (const auto* diagnostic : about_texts) {
      if (!mark.nowhere() && stands_at(*diagnostic, mark)) {
        return diagnostic;
      }
    }
  }
  return nullptr;
}

}  // namespace epwise::lint
