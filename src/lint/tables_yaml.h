#pragma once

#include <utility>
#include <vector>

#include "lint/expression_reader.h"
#include "lint/knowledge.h"
#include "lint/scope.h"
#include "lint/source_rule.h"
#include "model/facts.h"
#include "yaml/node.h"

namespace epwise::lint {

/// A derived value as read, with the rules that must hold for it.
struct SourceDerived {
  model::Derived derived;
  text::Mark mark;
  std::vector<NameUse> needs;
};

/// Names and types of rules/derived.yaml go into the scope first, so that its expressions may read
/// each other.
void declare_derived(const yaml::Node& root,
                     NameScope& scope,
                     std::vector<text::Diagnostic>& problems);

/// rules/derived.yaml: `name: {type, is | bridge + mlm, needs, doc}`.
std::vector<SourceDerived> read_derived(const yaml::Node& root, Reading& reading);

/// rules/tables/containers.yaml.
std::vector<Container> read_containers(const yaml::Node& root, Reading& reading);

}  // namespace epwise::lint
