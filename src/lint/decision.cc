#include "lint/decision.h"

#include <algorithm>

#include "lint/premises.h"
#include "recipe/trainers/trainer_facts.h"

namespace epwise::lint {

namespace {

/// The failed rule that explains `rule`. The check that ends the launch has to be reported, so only
/// a rule that is reported itself explains it.
const Rule* reported_explanation(const Rule& rule,
                                 const Evaluation& evaluation,
                                 const Knowledge& knowledge) {
  const Rule* by = explanation(rule, knowledge, evaluation.failed);
  if (by == nullptr || &rule != evaluation.ends_launch || !evaluation.silent.contains(by)) {
    return by;
  }
  std::set<const Rule*> reported = evaluation.failed;
  for (const Rule* silent : evaluation.silent) {
    reported.erase(silent);
  }
  return explanation(rule, knowledge, reported);
}

/// Rules that are reported unless they wait: others cannot wait for a rule that nobody sees.
std::set<const Rule*> visible_failures(const Evaluation& evaluation, const Knowledge& knowledge) {
  std::set<const Rule*> visible;
  for (const Rule* rule : evaluation.failed) {
    if (!evaluation.silent.contains(rule) &&
        reported_explanation(*rule, evaluation, knowledge) == nullptr) {
      visible.insert(rule);
    }
  }
  return visible;
}

}  // namespace

Decisions::Decisions(const Evaluation& evaluation,
                     const Knowledge& knowledge,
                     const FieldsRead& reads,
                     const facts::Facts& facts,
                     const std::vector<Misspelling>& misspelt)
    : evaluation_(evaluation),
      knowledge_(knowledge),
      facts_(facts),
      illegal_(reads, facts, visible_failures(evaluation, knowledge), misspelt) {}

Decision Decisions::of_failed(const Rule& rule) const {
  if (const Rule* by = reported_explanation(rule, evaluation_, knowledge_)) {
    return {Decision::Kind::explained, by};
  }
  if (const Rule* by = illegal_.behind(rule)) {
    return {Decision::Kind::waiting, by};
  }
  if (&rule != evaluation_.ends_launch) {
    if (const Rule* premise = open_premise(rule, knowledge_, evaluation_.open)) {
      return {Decision::Kind::open, premise};
    }
  }
  return {};
}

const Rule* Decisions::trainer_stop() const {
  if (!recipe::has_trainer(facts_.recipe())) {
    return nullptr;
  }
  const auto stops = [this](const Rule* rule) {
    return rule->severity == Severity::error && rule->effect == Effect::refuse &&
           rule->moment == Moment::start && rule->places.empty() && !is_predicted(*rule) &&
           !evaluation_.silent.contains(rule) && of_failed(*rule).kind == Decision::Kind::reported;
  };
  const auto stop = std::ranges::find_if(evaluation_.failed, stops);
  return stop == evaluation_.failed.end() ? nullptr : *stop;
}

bool Decisions::is_open(const Rule& rule) const {
  return !evaluation_.failed.contains(&rule) &&
         explanation(rule, knowledge_, evaluation_.failed) == nullptr &&
         illegal_.behind(rule) == nullptr;
}

}  // namespace epwise::lint
