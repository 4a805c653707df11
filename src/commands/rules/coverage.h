#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lint/knowledge.h"
#include "recipe/recipe.h"

/// Statistics about the rules: what they cover, and which upstream lines they refer to.
namespace epwise::audit {

/// Rows of one group of the catalogue, or of all.
struct RowCount {
  int rows = 0;
  int rules = 0;                     // rows that match a rule's code or alias
  int listed = 0;                    // not a rule, with a reason in rules/tables/uncovered.yaml
  std::vector<std::string> missing;  // neither: "EPO004", …
};

struct Coverage {
  std::map<std::string_view, RowCount> groups;  // by name: "EPO"
  RowCount total;
  int sites = 0;  // upstream checks that are listed as not covered by rules
  std::vector<const lint::Rule*> without_reference;
  std::map<std::string_view, int> by_group;  // rules, by the letters of their code
  std::map<std::string_view, int> by_severity;
  std::map<std::string_view, int> by_confidence;
};

Coverage coverage(const lint::Knowledge& knowledge);

/// The parameters that a recipe writes, by section, in its own spelling.
struct Parameters {
  int written = 0;
  int constrained = 0;
  std::map<std::string, std::vector<std::string>> unchecked;
};

/// A parameter is constrained if a rule of this framework version reads it: directly, through a
/// derived value, or through a value that a launch stage computes from it. Checks that readers
/// apply to every parameter (names, types) do not count.
Parameters parameters(const recipe::Recipe& recipe,
                      const recipe::Vocabulary& vocabulary,
                      const lint::Knowledge& knowledge);

}  // namespace epwise::audit
