#include "lint/influence.h"

#include <algorithm>
#include <string>

namespace epwise::lint {

// Nodes: first every name by its slot, then every rule, then sections as they are met.
Influence::Influence(const Knowledge& knowledge,
                     const Itinerary& itinerary,
                     const recipe::Vocabulary& vocabulary)
    : knowledge_(knowledge),
      itinerary_(itinerary) {
  for (int slot = 0; slot < knowledge.names.size(); ++slot) {
    graph_.add_node(std::string(knowledge.names.name(slot)));
  }
  for (const auto& rule : knowledge.rules) {
    rules_.push_back(graph_.add_node(std::string(rule.id)));
  }
  join_spellings(vocabulary);
  add_derived();
  add_launch();
  for (const auto* rule : itinerary.rest) {
    add_rule(*rule, nullptr);
  }
}

/// Megatron-LM: several Bridge fields can be one argument.
void Influence::join_spellings(const recipe::Vocabulary& vocabulary) {
  for (int slot = 0; slot < knowledge_.names.size(); ++slot) {
    const auto* spec = vocabulary.find(knowledge_.names.name(slot));
    const int same = spec == nullptr ? -1 : knowledge_.names.find(spec->name);
    if (same >= 0 && same != slot) {
      graph_.add_edge(slot, same);
      graph_.add_edge(same, slot);
    }
  }
}

/// A section's presence decides about all of its fields; a section that is written as a value (the
/// name of a preset) is a name too.
int Influence::section_node(std::string_view section) {
  const auto found = sections_.find(section);
  if (found != sections_.end()) {
    return found->second;
  }
  const int node = graph_.add_node(std::string(section));
  sections_.emplace(section, node);
  const std::string prefix = std::string(section) + ".";
  for (int slot = 0; slot < knowledge_.names.size(); ++slot) {
    const auto name = knowledge_.names.name(slot);
    if (name.starts_with(prefix)) {
      graph_.add_edge(node, slot);
    } else if (name == section) {
      graph_.add_edge(slot, node);
    }
  }
  return node;
}

void Influence::read_by(int node, const expr::Expression& expression) {
  for (const int slot : expression.names()) {
    graph_.add_edge(slot, node);
  }
  for (const auto& part : expression.nodes) {
    if (part.op == expr::Op::has_section) {
      const auto& name = expression.constants[static_cast<std::size_t>(part.constant)];
      graph_.add_edge(section_node(*name.text()), node);
    }
  }
}

void Influence::add_derived() {
  for (const auto& derived : knowledge_.derived) {
    read_by(derived.slot, derived.expression);
  }
}

void Influence::add_launch() {
  for (const auto& leg : itinerary_.legs) {
    add_leg(leg);
  }
}

void Influence::add_leg(const Leg& leg) {
  for (const auto& step : leg.steps) {
    if (step.check != nullptr) {
      add_rule(*step.check, leg.within);
      continue;
    }
    const int written =
        step.rewrite->slot >= 0 ? step.rewrite->slot : section_node(step.rewrite->section);
    read_by(written, step.rewrite->when);
    read_by(written, step.rewrite->value);
    read_by(written, leg.within->when);
  }
}

void Influence::add_rule(const Rule& rule, const Stage* stage) {
  const int node = rules_[static_cast<std::size_t>(&rule - knowledge_.rules.data())];
  read_by(node, rule.given);
  read_by(node, rule.assertion);
  if (stage != nullptr) {
    read_by(node, stage->when);
  }
}

const std::vector<int>& Influence::readers(std::int32_t slot) const {
  const auto found = cache_.find(slot);
  if (found != cache_.end()) {
    return found->second;
  }
  std::vector<int> rules;
  const int first = knowledge_.names.size();
  const int last = first + static_cast<int>(knowledge_.rules.size());
  for (const int node : graph_.reachable(slot)) {
    if (node >= first && node < last) {
      rules.push_back(node - first);
    }
  }
  return cache_.emplace(slot, std::move(rules)).first->second;
}

}  // namespace epwise::lint
