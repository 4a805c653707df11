#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/graph/dependency_graph.h"
#include "lint/knowledge.h"
#include "recipe/framework.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::lint {

/// Which rules may change their result when a value changes: those that read it, a value derived
/// from it, or a value that a launch stage sets depending on it, and those in a stage that is
/// entered depending on it. A conservative set: other rules keep their result.
class RuleDependencies {
 public:
  /// For one framework and one version; "": for any version. Names that a vocabulary treats as one
  /// argument are one name. The vocabularies must outlive the object.
  RuleDependencies(const Knowledge& knowledge,
                   recipe::Framework framework,
                   std::string_view version,
                   const std::vector<const recipe::Vocabulary*>& vocabularies);

  /// For the value of one name: indices in the rule table, ascending.
  const std::vector<int>& readers(expr::NameSlot slot) const;

  /// Whether any rule other than the readers' built-in ones depends on a setting's value.
  bool is_read(std::string_view setting) const;

  /// Whether writing or removing a setting ("model.x", "env.X", or a whole section: "comm_overlap")
  /// can change the result of a rule; it can also create the section. The diagnostics of a recipe
  /// reader (builtin rules) depend on everything.
  bool reaches(std::string_view setting, const Rule& rule) const;

 private:
  /// Two nodes per section: its existence, and its contents.
  struct Section {
    int presence = -1;
    int whole = -1;
  };

  const Section& section(std::string_view name);
  void add_names();
  void join_spellings(const recipe::Vocabulary& vocabulary);
  bool here(const std::vector<Range>& versions) const;
  void read_by(int node, const expr::Expression& expression);
  void add_derived();
  void add_rules();
  void add_pipeline(const Pipeline& pipeline);
  void add_stage(const Pipeline& pipeline, const Stage& stage);
  std::optional<int> node_of(std::string_view setting) const;
  const std::vector<int>& rules_behind(int node) const;

  const Knowledge& knowledge_;
  std::string framework_;
  std::string version_;
  std::vector<const recipe::Vocabulary*> vocabularies_;
  graph::DependencyGraph graph_;  // an edge leads from a value to everything that depends on it
  int first_rule_ = 0;
  std::unordered_map<std::string_view, int> attributes_;  // by a vocabulary's own name
  std::map<std::string, Section, std::less<>> sections_;
  std::map<std::string_view, std::vector<int>> checked_in_;  // nodes of rules, by launch stage
  mutable std::map<int, std::vector<int>> behind_;           // by node
};

}  // namespace epwise::lint
