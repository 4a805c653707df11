#pragma once

#include <string>
#include <string_view>
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

/// rules/derived.yaml: `name: {type, is | bridge + mlm, needs, doc}`. In place of an expression
/// `{pinned_by: stack.bridge}` may stand: what tables/releases.yaml says for that version.
std::vector<SourceDerived> read_derived(const yaml::Node& root,
                                        const std::vector<Pin>& pins,
                                        Reading& reading);

/// The Megatron-Core of a version as an expression: of an unknown version that of the release
/// before it, of one newer than the last release's series that of head.
///   `stack.bridge < v"0.5.1" ? v"0.18.0" : stack.bridge < v"0.6.0" ? v"0.18.2" : v"head"`
std::string pinned_expression(std::string_view name, const std::vector<Pin>& pins);

/// rules/tables/containers.yaml.
std::vector<Container> read_containers(const yaml::Node& root, Reading& reading);

}  // namespace epwise::lint
