#include "lint/rule_dependencies.h"

#include <algorithm>
#include <utility>

#include "lint/rule.h"

namespace epwise::lint {

namespace {

// Nodes: first all names by slot, then all rules, then sections and arguments.
int number_of(expr::NameSlot slot) {
  return slot.number();
}

}  // namespace

RuleDependencies::RuleDependencies(const Knowledge& knowledge,
                                   recipe::Framework framework,
                                   std::string_view version,
                                   const std::vector<const recipe::Vocabulary*>& vocabularies)
    : knowledge_(knowledge),
      framework_(recipe::to_string(framework)),
      version_(version),
      vocabularies_(vocabularies),
      first_rule_(static_cast<int>(knowledge.names.size())) {
  add_names();
  for (const auto* vocabulary : vocabularies_) {
    join_spellings(*vocabulary);
  }
  add_derived();
  add_rules();
  for (const auto& pipeline : knowledge.pipelines) {
    if (pipeline.framework == framework_) {
      add_pipeline(pipeline);
    }
  }
}

void RuleDependencies::add_names() {
  const auto& names = knowledge_.names;
  graph_.add_nodes(names.size() + knowledge_.rules.size());  // nothing prints them
  std::string_view last;  // names are sorted, so that most are of the section before
  int whole = -1;
  for (const auto slot : names.slots()) {
    const auto name = names.name(slot);
    const auto dot = name.find('.');
    if (dot == std::string_view::npos) {
      continue;
    }
    if (const auto of = name.substr(0, dot); whole < 0 || of != last) {
      last = of;
      whole = section(of).whole;
    }
    graph_.add_edge(whole, number_of(slot));
  }
}

const RuleDependencies::Section& RuleDependencies::section(std::string_view name) {
  const auto found = sections_.find(name);
  if (found != sections_.end()) {
    return found->second;
  }
  Section nodes;
  nodes.presence = graph_.add_node({});
  nodes.whole = graph_.add_node({});
  graph_.add_edge(nodes.whole, nodes.presence);
  // A section written as a value (the name of a preset) is also a name.
  if (const auto slot = knowledge_.names.find(name)) {
    graph_.add_edge(nodes.whole, number_of(*slot));
    graph_.add_edge(number_of(*slot), nodes.whole);
  }
  return sections_.emplace(name, nodes).first->second;
}

/// Several of the rules' names can be one Megatron-LM argument.
void RuleDependencies::join_spellings(const recipe::Vocabulary& vocabulary) {
  for (const auto slot : knowledge_.names.slots()) {
    const auto* spec = vocabulary.find(knowledge_.names.name(slot));
    if (spec == nullptr) {
      continue;
    }
    auto known = attributes_.find(spec->name);
    if (known == attributes_.end()) {
      const auto same = knowledge_.names.find(spec->name);
      const int node = same ? number_of(*same) : graph_.add_node({});
      known = attributes_.emplace(spec->name, node).first;
    }
    if (const int node = number_of(slot); known->second != node) {
      graph_.add_edge(node, known->second);
      graph_.add_edge(known->second, node);
    }
  }
}

bool RuleDependencies::here(const std::vector<Range>& versions) const {
  if (!version_.empty()) {
    return holds(versions, framework_, version_);
  }
  return versions.empty() ||
         std::ranges::find(versions, framework_, &Range::framework) != versions.end();
}

void RuleDependencies::read_by(int node, const expr::Expression& expression) {
  for (const auto& part : expression.nodes) {
    if (expr::reads_name(part.op)) {
      graph_.add_edge(number_of(part.name()), node);
    } else if (part.op == expr::Op::has_section) {
      const std::string& name = *expression.constant(part).value.text();
      graph_.add_edge(section(name).presence, node);
    }
  }
}

void RuleDependencies::add_derived() {
  for (const auto& derived : knowledge_.derived) {
    if (derived.frameworks.empty() || derived.frameworks == framework_) {
      read_by(number_of(derived.slot), derived.expression);
    }
  }
}

void RuleDependencies::add_rules() {
  int node = first_rule_;
  for (const auto& rule : knowledge_.rules) {
    if (here(rule.versions)) {
      read_by(node, rule.given);
      read_by(node, rule.assertion);
      for (const Place& place : rule.places) {
        if (place.framework == framework_) {
          checked_in_[place.stage].push_back(node);
        }
      }
    }
    ++node;
  }
}

void RuleDependencies::add_pipeline(const Pipeline& pipeline) {
  for (const auto& stage : pipeline.stages) {
    if (here(stage.versions)) {
      add_stage(pipeline, stage);
    }
  }
}

/// A stage that repeats others uses its own condition to decide whether their steps run once more.
void RuleDependencies::add_stage(const Pipeline& pipeline, const Stage& stage) {
  const auto runs = [&stage](std::string_view name) {
    return stage.name == name || std::ranges::find(stage.repeats, name) != stage.repeats.end();
  };
  for (const auto& other : pipeline.stages) {
    if (!runs(other.name)) {
      continue;
    }
    for (const auto& step : other.rewrites) {
      if (here(step.versions)) {
        const int written = step.slot ? number_of(*step.slot) : section(step.section).whole;
        read_by(written, step.when);
        read_by(written, step.value);
        read_by(written, stage.when);
      }
    }
  }
  for (const auto& [name, nodes] : checked_in_) {
    if (runs(name)) {
      for (const int node : nodes) {
        read_by(node, stage.when);
      }
    }
  }
}

const std::vector<int>& RuleDependencies::rules_behind(int node) const {
  const auto found = behind_.find(node);
  if (found != behind_.end()) {
    return found->second;
  }
  std::vector<int> rules;
  const int last = first_rule_ + static_cast<int>(knowledge_.rules.size());
  for (const int other : graph_.reachable(node)) {
    if (other >= first_rule_ && other < last) {
      rules.push_back(other - first_rule_);
    }
  }
  return behind_.emplace(node, std::move(rules)).first->second;
}

const std::vector<int>& RuleDependencies::readers(expr::NameSlot slot) const {
  return rules_behind(number_of(slot));
}

/// Nothing when no rule can notice the name itself.
std::optional<int> RuleDependencies::node_of(std::string_view setting) const {
  if (const auto slot = knowledge_.names.find(setting)) {
    return number_of(*slot);
  }
  for (const auto* vocabulary : vocabularies_) {
    const auto* spec = vocabulary->find(setting);
    const auto found = spec == nullptr ? attributes_.end() : attributes_.find(spec->name);
    if (found != attributes_.end()) {
      return found->second;
    }
  }
  return std::nullopt;
}

bool RuleDependencies::is_read(std::string_view setting) const {
  const auto node = node_of(setting);
  return node && !rules_behind(*node).empty();
}

bool RuleDependencies::reaches(std::string_view setting, const Rule& rule) const {
  if (rule.builtin) {
    return true;
  }
  const auto number = static_cast<int>(&rule - knowledge_.rules.data());
  const auto notices = [&](std::optional<int> node) {
    return node && std::ranges::binary_search(rules_behind(*node), number);
  };
  // A field may also be a trainer's own setting: what reads any of those is reached.
  const auto settings = sections_.find("trainer");
  if (settings != sections_.end() && notices(settings->second.whole)) {
    return true;
  }
  const auto found = sections_.find(setting.substr(0, setting.find('.')));
  const bool is_field = setting.find('.') != std::string_view::npos;
  return notices(node_of(setting)) ||
         (found != sections_.end() &&
          notices(is_field ? found->second.presence : found->second.whole));
}

}  // namespace epwise::lint
