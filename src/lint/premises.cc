#include "lint/premises.h"

#include <algorithm>

namespace epwise::lint {

const Rule* explanation(const Rule& rule,
                        const Knowledge& knowledge,
                        const std::set<const Rule*>& failed) {
  for (const auto index : rule.premises) {
    const auto* premise = &knowledge.rules[static_cast<std::size_t>(index)];
    if (failed.contains(premise)) {
      return premise;
    }
  }
  return nullptr;
}

const Rule* open_premise(const Rule& rule,
                         const Knowledge& knowledge,
                         const std::map<const Rule*, std::vector<std::string>>& open) {
  for (const auto index : rule.premises) {
    const auto* premise = &knowledge.rules[static_cast<std::size_t>(index)];
    if (open.contains(premise)) {
      return premise;
    }
  }
  return nullptr;
}

bool is_inherited(const Rule& rule, const model::Facts& facts) {
  const auto partial = facts.recipe().raw.find("raw.partial");
  if (partial == facts.recipe().raw.end() || !partial->second.truthy()) {
    return false;
  }
  return std::ranges::none_of(rule.operands, [&](const Operand& operand) {
    return operand.slot >= 0 && facts.is_explicit(operand.slot).truthy();
  });
}

}  // namespace epwise::lint
