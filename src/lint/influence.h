#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "graph/dependency_graph.h"
#include "lint/itinerary.h"
#include "lint/knowledge.h"
#include "recipe/vocabulary.h"

namespace epwise::lint {

/// Which rules can answer differently when a value changes: those that read it, or read what is
/// derived from it, or read what a launch stage writes on account of it.
class Influence {
 public:
  Influence(const Knowledge& knowledge,
            const Itinerary& itinerary,
            const recipe::Vocabulary& vocabulary);

  /// Indices in the rule table, ascending.
  const std::vector<int>& readers(std::int32_t slot) const;

 private:
  void join_spellings(const recipe::Vocabulary& vocabulary);
  int section_node(std::string_view section);
  void read_by(int node, const expr::Expression& expression);
  void add_derived();
  void add_launch();
  void add_leg(const Leg& leg);
  void add_rule(const Rule& rule, const Stage* stage);

  const Knowledge& knowledge_;
  const Itinerary& itinerary_;
  graph::DependencyGraph graph_;  // an edge leads from a value to whatever follows from it
  std::vector<int> rules_;        // node of each rule
  std::map<std::string_view, int> sections_;
  mutable std::map<std::int32_t, std::vector<int>> cache_;
};

}  // namespace epwise::lint
