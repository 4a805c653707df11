#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lint/compiler.h"
#include "lint/facts/facts.h"
#include "lint/knowledge.h"
#include "lint/rule_reader.h"
#include "yaml/node.h"

namespace epwise::lint {

/// Reads one file of rules/tables/ by its path; ignores files that are read elsewhere.
void read_table(std::string_view path, const yaml::Node& root, Tables& tables, Reading& reading);

/// Whether the list of uncovered rows agrees with the rules: its rows exist in the catalogue, none
/// of them is covered by a rule, none is listed twice.
void check_catalogue(const Knowledge& knowledge, std::vector<text::Diagnostic>& problems);

/// A derived value as read, with the rules that are its premises.
struct SourceDerived {
  facts::Derived derived;
  text::Mark mark;
  std::vector<NameUse> needs;
};

/// Names and types of rules/derived.yaml enter the scope first, so that expressions may refer to
/// each other.
void declare_derived(const yaml::Node& root,
                     NameScope& scope,
                     std::vector<text::Diagnostic>& problems);

/// rules/derived.yaml: `name: {type, is | bridge + mlm, needs, doc}`. `{pinned_by: stack.bridge}`
/// may replace an expression: the version given by tables/releases.yaml.
std::vector<SourceDerived> read_derived(const yaml::Node& root,
                                        const std::vector<Pin>& pins,
                                        Reading& reading);

/// The Megatron-Core of a version as an expression: for an unknown version that of the preceding
/// release, for one newer than the last release series that of head.
///   `stack.bridge < v"0.5.1" ? v"0.18.0" : stack.bridge < v"0.6.0" ? v"0.18.2" : v"head"`
std::string pinned_expression(std::string_view name, const std::vector<Pin>& pins);

/// rules/tables/containers.yaml.
std::vector<Container> read_containers(const yaml::Node& root, Reading& reading);

inline constexpr const char* kInvalid = "rules/invalid";  // a table with invalid content

/// rules/tables/troubles.yaml: errors of running jobs, their meaning and what to try.
void read_troubles(const yaml::Node& root, Tables& tables, Reading& reading);

/// Whether the rules that troubles refer to exist, and no two troubles have the same words.
void check_troubles(const Knowledge& knowledge, std::vector<text::Diagnostic>& problems);

}  // namespace epwise::lint
