#include "advise/evaluator.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "expr/layout_text.h"
#include "fix/change.h"
#include "fix/verdict.h"
#include "lint/finding_builder.h"
#include "lint/launch_run.h"
#include "lint/spelling_fixes.h"
#include "recipe/trainers/trainer_facts.h"

namespace epwise::advise {

namespace {

/// A value for display: a layout that is a list, in the form of a text, which is shorter.
///   [[embedding, decoder], [decoder], [decoder, loss]] → "Et|t|tL"
std::string shown(std::string_view field, const expr::Value& value) {
  const bool is_list = value.list() != nullptr && field == "model.pipeline_model_parallel_layout";
  const auto layout = is_list ? expr::read_layout(value) : std::nullopt;
  // the text form has no letter for an encoder
  const bool brief = layout && layout->problem.empty() &&
                     std::ranges::none_of(layout->stages, [](const std::string& stage) {
                       return stage.find('e') != std::string::npos;
                     });
  return brief ? expr::layout_text(layout->stages) : value.to_text();
}

/// A launch that only performs rewrites.
class Silence final : public lint::LaunchEvents {
 public:
  void failed(const lint::Rule& /*rule*/, int /*step*/, const std::string& /*crash*/) override {}

  void open(const lint::Rule& /*rule*/, const std::vector<std::string>& /*needs*/) override {}

  bool wants(const lint::Rule& /*rule*/) const override { return false; }
};

}  // namespace

const Edit* find_edit(const Edits& edits, std::string_view field) {
  const auto found = std::ranges::find(edits, field, &Edit::field);
  return found == edits.end() ? nullptr : &*found;
}

Evaluator::Evaluator(const recipe::Recipe& recipe,
                     const recipe::Vocabulary& vocabulary,
                     const facts::Target& target,
                     const lint::Knowledge& knowledge)
    : recipe_(recipe),
      vocabulary_(recipe.vocabulary_or(vocabulary)),
      knowledge_(knowledge),
      variants_(recipe, vocabulary, target, knowledge),
      itinerary_(lint::plan_for_release(knowledge, recipe, vocabulary_)),
      facts_(recipe, vocabulary_, target, knowledge.names, knowledge.derived),
      settled_(recipe, vocabulary_, target, knowledge.names, knowledge.derived),
      reported_(lint::reported_by_readers(facts_, knowledge)) {
  Silence silence;
  lint::run_launch(itinerary_, settled_, reported_, silence);
}

bool Evaluator::varies(std::string_view field) const {
  return knowledge_.names.find(field).has_value() && has_section(field);
}

bool Evaluator::has_section(std::string_view field) const {
  if (field.starts_with("env.") || recipe_.framework == recipe::Framework::mlm || has_trainer()) {
    return true;
  }
  const auto dot = field.find('.');
  return dot == std::string_view::npos || recipe_.sections.contains(field.substr(0, dot));
}

std::vector<std::string_view> Evaluator::refused_for(std::string_view field,
                                                     const expr::Value& value) const {
  const auto* spec = vocabulary_.find(field);
  if (!is_megatron_lm() || spec == nullptr || spec->choices.empty() || value.is_unset()) {
    return {};
  }
  const auto is_choice = [&](const expr::Value& each) {
    return std::ranges::find(spec->choices, each.to_text()) != spec->choices.end();
  };
  const bool fine =
      value.list() == nullptr ? is_choice(value) : std::ranges::all_of(*value.list(), is_choice);
  return fine ? std::vector<std::string_view>() : spec->choices;
}

bool Evaluator::has_trainer() const {
  return recipe::has_trainer(recipe_);
}

bool Evaluator::batch_follows_ranks() const {
  return recipe::batch_follows_ranks(recipe_);
}

bool Evaluator::knows(std::string_view field) const {
  if (field.starts_with("env.")) {
    return true;
  }
  if (recipe::is_unread(recipe_, field)) {
    return false;
  }
  const recipe::Field* written = recipe_.find(field);
  if (written != nullptr && !written->key.nowhere()) {
    return true;
  }
  // slime passes every flag of Megatron-LM on
  if (has_trainer() && !is_megatron_lm() && recipe::trainer_path(recipe_, field).empty()) {
    return false;  // also where its value is known, such as one that the trainer computes
  }
  const auto* spec = vocabulary_.find(field);
  return written != nullptr || (spec != nullptr && spec->name == field);
}

std::string Evaluator::missing_text() const {
  return has_trainer() ? recipe::trainer_name(recipe_) + " has no setting for it"
                       : std::string("this version of the framework does not have it");
}

bool Evaluator::has_format(std::string_view framework) const {
  // slime passes every flag of Megatron-LM on
  return (framework == "mlm") == is_megatron_lm() && (is_megatron_lm() || !has_trainer());
}

bool Evaluator::stack_has(std::string_view component) const {
  const auto* found = settled_.target().stack.find(component);
  return found != nullptr && !found->absent;
}

expr::Value Evaluator::present(std::string_view field) const {
  const auto slot = knowledge_.names.find(field);
  return slot ? settled_.value(*slot) : expr::Value::unset();
}

bool Evaluator::is_written(std::string_view field) const {
  return recipe_.find(field) != nullptr ||
         (field.starts_with("env.") && recipe_.variables.contains(field.substr(4)));
}

bool Evaluator::has_place(std::string_view variable) const {
  const bool in_file = vocabulary_.has_section("env_vars") && !recipe_.raw.contains("raw.launcher");
  return is_written(variable) ||
         (in_file && std::ranges::any_of(recipe_.variables, [](const auto& each) {
            return !each.second.key.nowhere();
          }));
}

bool Evaluator::is_null(std::string_view field) const {
  const recipe::Field* written = recipe_.find(field);
  return written != nullptr && written->value.is_unset();
}

std::string Evaluator::written_text(std::string_view field) const {
  if (const recipe::Field* written = recipe_.find(field)) {
    const bool computed = written->value.is_unknown() && written->key.nowhere();
    return computed ? std::string() : shown(field, written->value);
  }
  const auto variable = recipe_.variables.find(field.substr(field.starts_with("env.") ? 4 : 0));
  return variable == recipe_.variables.end() ? std::string() : variable->second.value.to_text();
}

std::optional<Edit> Evaluator::removal_of(const std::string& field) const {
  const expr::Value* preset = recipe::preset(recipe_, field);
  const expr::Value standard = vocabulary_.default_of(field);
  // A list cannot be null in a trainer's options; without what reads it, it does not matter.
  if (preset != nullptr && *preset != standard && preset->list() == nullptr) {
    return Edit{field, standard, false};
  }
  const recipe::Field* value = recipe_.find(field);
  const bool is_preset = value != nullptr && value->key.nowhere() && recipe::has_trainer(recipe_);
  return is_preset ? std::nullopt : std::optional(Edit{field, expr::Value::unset(), true});
}

bool Evaluator::is_idle(const Edit& edit) const {
  return edit.drop ? !is_written(edit.field) || is_null(edit.field)
                   : present(edit.field) == edit.value;
}

std::vector<lint::Variants::Change> Evaluator::changes_of(const Edits& edits) const {
  std::vector<lint::Variants::Change> changes;
  for (const Edit& edit : edits) {
    const auto slot = knowledge_.names.find(edit.field);
    if (!slot) {
      continue;
    }
    expr::Value value = edit.value;
    if (edit.drop) {
      const expr::Value* preset = recipe::preset(recipe_, edit.field);
      value = preset == nullptr ? vocabulary_.default_of(edit.field) : *preset;
    }
    if (edit.field.starts_with("env.") && value.is_known() && !value.is_unset()) {
      value = expr::Value::of(value.to_text());  // variables are texts
    }
    changes.push_back({*slot, std::move(value)});
  }
  return changes;
}

lint::Judgement Evaluator::judge(const Edits& edits) {
  return variants_.judge(changes_of(edits));
}

void Evaluator::vary(const Edits& edits) {
  for (lint::Variants::Change& change : changes_of(edits)) {
    facts_.vary(change.slot, std::move(change.value));
  }
}

bool Evaluator::concerns(const lint::Rule& rule, const Edits& edits) {
  vary(edits);
  const expr::Value given =
      rule.given.empty() ? expr::Value::of(true) : expr::evaluate(rule.given, facts_);
  facts_.restore();
  return !given.is_known() || given.truthy();
}

bool Evaluator::fails_any(const std::vector<const lint::Rule*>& rules, const Edits& edits) {
  vary(edits);
  const bool fails = std::ranges::any_of(rules, [&](const lint::Rule* rule) {
    return lint::decide(*rule, facts_).kind == lint::Outcome::Kind::fails;
  });
  facts_.restore();
  return fails;
}

bool Evaluator::changes_operand(const lint::Rule& rule, const Edits& edits) {
  std::vector<expr::Value> own;
  for (const lint::Operand& operand : rule.operands) {
    own.push_back(facts_.value(operand.slot));
  }
  vary(edits);
  bool differs = false;
  for (std::size_t i = 0; i < own.size() && !differs; ++i) {
    differs = !(facts_.value(rule.operands[i].slot) == own[i]);
  }
  facts_.restore();
  return differs;
}

std::vector<Edits> Evaluator::fixes_of(const lint::Rule& rule,
                                       const Edits& edits,
                                       lint::Tier highest) {
  vary(edits);
  std::vector<std::pair<lint::Tier, Edits>> found;
  for (const lint::RuleFix& fix : rule.prose->fixes) {
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

bool is_same_setting(const expr::Value& a, const expr::Value& b) {
  if (a.list() == nullptr || b.list() == nullptr) {
    return a.is_known() && b.is_known() && a.equals(b);
  }
  const auto texts = [](const expr::Value& value) {
    std::vector<std::string> items;
    for (const expr::Value& item : *value.list()) {
      items.push_back(item.to_text());
    }
    std::ranges::sort(items);
    return items;
  };
  return texts(a) == texts(b);
}

bool Evaluator::overrules(const Edits& edits, std::string_view field) {
  const Edit* edit = find_edit(edits, field);
  const auto slot = knowledge_.names.find(field);
  if (edit == nullptr || edit->drop || !slot) {
    return false;
  }
  vary(edits);
  Silence silence;
  lint::run_launch(itinerary_, facts_, reported_, silence);
  const expr::Value after = facts_.value(*slot);
  facts_.restore();
  return after.is_known() && !after.is_unset() && !is_same_setting(edit->value, after);
}

workload::WorkloadReading Evaluator::workload(const Edits& edits, bool unpriced) {
  vary(edits);
  Silence silence;
  lint::run_launch(itinerary_, facts_, reported_, silence);
  workload::WorkloadReading reading = workload::read_workload(facts_, unpriced);
  facts_.restore();
  return reading;
}

lint::Fix::Edit Evaluator::spelled(const Edit& edit) const {
  return lint::spell_edit(edit.field, edit.drop ? nullptr : &edit.value, settled_).edit;
}

lint::Finding Evaluator::finding(const lint::Rule& rule) const {
  return lint::build_finding(rule, settled_, knowledge_, {});
}

namespace {

std::unique_ptr<Evaluator> ground_of(const session::Analysis& analysis) {
  return std::make_unique<Evaluator>(
      *analysis.recipe, analysis.vocabulary(), *analysis.target, analysis.knowledge());
}

}  // namespace

EvaluatorCache::EvaluatorCache(const session::Analysis& base)
    : base_(base),
      plain_(ground_of(base)) {}

EvaluatorCache::Sheet EvaluatorCache::with_sections(
    const std::map<std::string, std::string>& fields) const {
  lint::Fix fix;
  const recipe::Vocabulary& vocabulary = base_.vocabulary();
  for (const auto& [section, field] : fields) {
    const auto* spec = vocabulary.find(field);
    Edit edit{field, spec == nullptr ? expr::Value::unset() : spec->default_value, false};
    fix.edits.push_back(plain_->spelled(edit));
  }
  std::string obstacle;
  session::Draft draft =
      fix::changed(base_, fix::change_of(fix, *base_.recipe, vocabulary), obstacle);
  Sheet sheet;
  if (!obstacle.empty()) {
    return sheet;
  }
  const session::Analysis larger = base_.with(std::move(draft));
  if (larger.recipe != nullptr && larger.recipe->readable) {
    sheet.recipe = larger.recipe;
    sheet.evaluator = ground_of(larger);
  }
  return sheet;
}

Evaluator* EvaluatorCache::evaluator(const Edits& edits) {
  std::set<std::string> sections;
  std::map<std::string, std::string> fields;  // by section, one of its edited fields
  for (const Edit& edit : edits) {
    if (recipe::has_trainer(*base_.recipe) && !plain_->knows(edit.field) &&
        !plain_->is_idle(edit)) {
      return nullptr;  // the trainer has no setting for it
    }
    if (!plain_->has_section(edit.field) && !edit.drop) {
      const std::string section = edit.field.substr(0, edit.field.find('.'));
      sections.insert(section);
      fields.emplace(section, edit.field);
    }
  }
  if (sections.empty()) {
    return plain_.get();
  }
  auto known = sheets_.find(sections);
  if (known == sheets_.end()) {
    known = sheets_.emplace(std::move(sections), with_sections(fields)).first;
  }
  Evaluator* evaluator = known->second.evaluator.get();
  return evaluator != nullptr && evaluator->has_section(fields.begin()->second) ? evaluator
                                                                                : nullptr;
}

}  // namespace epwise::advise
