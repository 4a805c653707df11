#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graph/dependency_graph.h"
#include "lint/knowledge.h"
#include "recipe/framework.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::lint {

/// Which rules can answer differently when a value changes: those that read it, or read what is
/// derived from it, or what a launch stage writes on account of it, or stand in a stage that is
/// entered on account of it. At most these: a rule that is not named keeps its answer.
class Influence {
 public:
  /// Of one framework and one version; "": of any version. Names that one of the vocabularies
  /// spells as one argument are one name. The vocabularies must outlive the object.
  Influence(const Knowledge& knowledge,
            recipe::Framework framework,
            std::string_view version,
            const std::vector<const recipe::Vocabulary*>& vocabularies);

  /// The value of one name: indices in the rule table, ascending.
  const std::vector<int>& readers(std::int32_t slot) const;

  /// Whether any rule but the readers' own notices a setting's value.
  bool is_read(std::string_view setting) const;

  /// Whether writing or removing a setting ("model.x", "env.X", or a whole section: "comm_overlap")
  /// can change what a rule says; it can also make the section appear. What a reader of recipes
  /// says (a builtin rule) depends on everything.
  bool reaches(std::string_view setting, const Rule& rule) const;

 private:
  /// Two nodes for a section: that it is there, and the whole of it.
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
  int node_of(std::string_view setting) const;
  const std::vector<int>& rules_behind(int node) const;

  const Knowledge& knowledge_;
  std::string framework_;
  std::string version_;
  std::vector<const recipe::Vocabulary*> vocabularies_;
  graph::DependencyGraph graph_;  // an edge leads from a value to whatever follows from it
  int first_rule_ = 0;
  std::map<std::string, int, std::less<>> attributes_;  // by a vocabulary's own name
  std::map<std::string, Section, std::less<>> sections_;
  mutable std::map<int, std::vector<int>> behind_;  // by node
};

}  // namespace epwise::lint
