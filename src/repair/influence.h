#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "lint/knowledge.h"
#include "recipe/vocabulary.h"

namespace epwise::repair {

/// Which settings a rule can notice: the names in its conditions, what derived values and the
/// rewrites of the launch compute them from, and so on. A change of anything else leaves the rule's
/// answer as it is.
class Influence {
 public:
  Influence(const lint::Knowledge& knowledge, recipe::Framework framework);

  /// Whether the answer of a rule can depend on a field ("model.x", "env.X") or on its section
  /// being there. A rule that a reader decides depends on everything.
  bool reaches(const lint::Rule& rule,
               std::string_view field,
               const recipe::Vocabulary& vocabulary);

 private:
  /// Names, and sections as "section(x)".
  using Names = std::set<std::string, std::less<>>;

  void depend(const std::string& name, const expr::Expression& expression);
  void read_pipeline(const lint::Pipeline& pipeline);
  Names read_by(const expr::Expression& expression) const;
  const Names& causes(const lint::Rule& rule);

  const lint::Knowledge& knowledge_;
  std::map<std::string, Names, std::less<>> from_;
  std::map<std::string_view, Names> causes_;  // by id of the rule
};

}  // namespace epwise::repair
