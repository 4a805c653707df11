#include "lint/decision.h"

#include "lint/premises.h"

namespace epwise::lint {

namespace {

/// Rules that are reported unless they wait: others cannot wait for a rule that nobody sees.
std::set<const Rule*> visible_failures(const Evaluation& evaluation, const Knowledge& knowledge) {
  std::set<const Rule*> visible;
  for (const Rule* rule : evaluation.failed) {
    if (!evaluation.silent.contains(rule) &&
        explanation(*rule, knowledge, evaluation.failed) == nullptr) {
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
      illegal_(reads, facts, visible_failures(evaluation, knowledge), misspelt) {}

Decision Decisions::of_failed(const Rule& rule) const {
  if (const Rule* by = explanation(rule, knowledge_, evaluation_.failed)) {
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

bool Decisions::is_open(const Rule& rule) const {
  return !evaluation_.failed.contains(&rule) &&
         explanation(rule, knowledge_, evaluation_.failed) == nullptr &&
         illegal_.behind(rule) == nullptr;
}

}  // namespace epwise::lint
