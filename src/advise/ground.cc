#include "advise/ground.h"

#include <algorithm>
#include <optional>

#include "lint/field_spelling.h"
#include "lint/finding_builder.h"
#include "lint/launch_run.h"
#include "lint/outcome.h"

namespace epwise::advise {

namespace {

/// A launch that only rewrites.
class Silence final : public lint::LaunchEvents {
 public:
  void failed(const lint::Rule& /*rule*/, int /*step*/, const std::string& /*crash*/) override {}

  void open(const lint::Rule& /*rule*/, const std::vector<std::string>& /*needs*/) override {}

  bool wants(const lint::Rule& /*rule*/) const override { return false; }
};

std::set<std::string_view> reported_rules(const recipe::Recipe& recipe) {
  std::set<std::string_view> rules;
  for (const auto& diagnostic : recipe.diagnostics) {
    rules.insert(diagnostic.rule);
  }
  return rules;
}

}  // namespace

const Edit* find_edit(const Edits& edits, std::string_view field) {
  const auto found = std::ranges::find(edits, field, &Edit::field);
  return found == edits.end() ? nullptr : &*found;
}

Ground::Ground(const recipe::Recipe& recipe,
               const recipe::Vocabulary& vocabulary,
               const model::Target& target,
               const lint::Knowledge& knowledge)
    : recipe_(recipe),
      vocabulary_(recipe.vocabulary_or(vocabulary)),
      knowledge_(knowledge),
      variants_(recipe, vocabulary, target, knowledge),
      itinerary_(lint::plan(knowledge, recipe, vocabulary_)),
      reported_(reported_rules(recipe)),
      facts_(recipe, vocabulary_, target, knowledge.names, knowledge.derived),
      settled_(recipe, vocabulary_, target, knowledge.names, knowledge.derived) {
  Silence silence;
  lint::run_launch(itinerary_, settled_, reported_, silence);
}

bool Ground::varies(std::string_view field) const {
  if (knowledge_.names.find(field) < 0) {
    return false;
  }
  if (field.starts_with("env.") || recipe_.framework == recipe::Framework::mlm) {
    return true;
  }
  const auto dot = field.find('.');
  return dot == std::string_view::npos || recipe_.sections.contains(field.substr(0, dot));
}

bool Ground::knows(std::string_view field) const {
  if (field.starts_with("env.")) {
    return true;
  }
  const auto* spec = vocabulary_.find(field);
  return (spec != nullptr && spec->name == field) || recipe_.find(field) != nullptr;
}

bool Ground::stack_has(std::string_view component) const {
  const auto* found = settled_.target().stack.find(component);
  return found != nullptr && !found->absent;
}

expr::Value Ground::present(std::string_view field) const {
  const int slot = knowledge_.names.find(field);
  return slot < 0 ? expr::Value::unset() : settled_.value(slot);
}

bool Ground::is_written(std::string_view field) const {
  return recipe_.find(field) != nullptr ||
         (field.starts_with("env.") && recipe_.variables.contains(field.substr(4)));
}

std::string Ground::written_text(std::string_view field) const {
  if (const recipe::Field* written = recipe_.find(field)) {
    return written->value.to_text();
  }
  const auto variable = recipe_.variables.find(field.substr(field.starts_with("env.") ? 4 : 0));
  return variable == recipe_.variables.end() ? std::string() : variable->second.value.to_text();
}

std::vector<lint::Variants::Change> Ground::changes_of(const Edits& edits) const {
  std::vector<lint::Variants::Change> changes;
  for (const Edit& edit : edits) {
    const int slot = knowledge_.names.find(edit.field);
    if (slot < 0) {
      continue;
    }
    expr::Value value = edit.value;
    if (edit.drop) {
      const auto* spec = vocabulary_.find(edit.field);
      value = spec != nullptr && spec->has_default ? spec->default_value : expr::Value::unset();
    }
    changes.push_back({slot, std::move(value)});
  }
  return changes;
}

lint::Judgement Ground::judge(const Edits& edits) {
  return variants_.judge(changes_of(edits));
}

void Ground::vary(const Edits& edits) {
  for (lint::Variants::Change& change : changes_of(edits)) {
    facts_.vary(change.slot, std::move(change.value));
  }
}

bool Ground::fails_any(const std::vector<const lint::Rule*>& rules, const Edits& edits) {
  vary(edits);
  const bool fails = std::ranges::any_of(rules, [&](const lint::Rule* rule) {
    return lint::decide(*rule, facts_).kind == lint::Outcome::Kind::fails;
  });
  facts_.restore();
  return fails;
}

std::vector<Edits> Ground::fixes_of(const lint::Rule& rule,
                                    const Edits& edits,
                                    lint::Tier highest) {
  vary(edits);
  std::vector<std::pair<lint::Tier, Edits>> found;
  for (const lint::RuleFix& fix : rule.fixes) {
    if (fix.tier > highest || fix.changes.empty()) {
      continue;
    }
    if (!fix.when.empty()) {
      const expr::Value when = expr::evaluate(fix.when, facts_);
      if (!when.is_known() || !when.truthy()) {
        continue;
      }
    }
    Edits changes;
    bool possible = true;
    for (const lint::Change& change : fix.changes) {
      const bool goes = change.value.empty();
      const expr::Value value = goes ? expr::Value() : expr::evaluate(change.value, facts_);
      possible = possible && value.is_known() && knows(change.field) &&
                 find_edit(edits, change.field) == nullptr;
      if (!goes || is_written(change.field)) {
        changes.push_back({std::string(change.field), value, goes});
      }
    }
    if (possible && !changes.empty()) {
      found.emplace_back(fix.tier, std::move(changes));
    }
  }
  facts_.restore();
  std::ranges::stable_sort(found, {}, &std::pair<lint::Tier, Edits>::first);
  std::vector<Edits> fixes;
  for (auto& [tier, changes] : found) {
    fixes.push_back(std::move(changes));
  }
  return fixes;
}

model::WorkloadReading Ground::workload(const Edits& edits) {
  vary(edits);
  Silence silence;
  lint::run_launch(itinerary_, facts_, reported_, silence);
  model::WorkloadReading reading = model::read_workload(facts_);
  facts_.restore();
  return reading;
}

lint::Fix::Edit Ground::spelled(const Edit& edit) const {
  return lint::spell_edit(edit.field, edit.drop ? nullptr : &edit.value, settled_).edit;
}

lint::Finding Ground::finding(const lint::Rule& rule) const {
  return lint::build_finding(rule, settled_, knowledge_, {});
}

}  // namespace epwise::advise
