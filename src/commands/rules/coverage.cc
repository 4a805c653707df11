#include "commands/rules/coverage.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "lint/rule_dependencies.h"
#include "recipe/framework.h"

namespace epwise::audit {

namespace {

std::string_view group_of(std::string_view code) {
  return code.substr(0, code.find_first_of("0123456789"));
}

RowCount count(const lint::CatalogueGroup& group,
               const std::set<std::string_view>& codes,
               const std::set<std::string_view>& listed) {
  RowCount result;
  for (std::int32_t number = 1; number <= group.rows; ++number) {
    if (std::ranges::find(group.without, number) != group.without.end()) {
      continue;
    }
    const auto code = fmt::format("{}{:03}", group.name, number);
    ++result.rows;
    if (codes.contains(code)) {
      ++result.rules;
    } else if (listed.contains(code)) {
      ++result.listed;
    } else {
      result.missing.push_back(code);
    }
  }
  return result;
}

}  // namespace

Coverage coverage(const lint::Knowledge& knowledge) {
  Coverage result;
  std::set<std::string_view> codes;
  for (const auto& rule : knowledge.rules) {
    codes.insert(rule.code);
    codes.insert(rule.aliases.begin(), rule.aliases.end());
    ++result.by_group[group_of(rule.code)];
    ++result.by_severity[lint::to_string(rule.severity)];
    ++result.by_confidence[lint::to_string(rule.confidence)];
    if (rule.prose->references.empty()) {
      result.without_reference.push_back(&rule);
    }
  }
  std::set<std::string_view> listed;
  for (const auto& row : knowledge.tables.uncovered) {
    result.sites += row.id.empty() ? 1 : 0;
    listed.insert(row.id);
  }
  for (const auto& group : knowledge.tables.catalogue) {
    const auto counted = count(group, codes, listed);
    result.total.rows += counted.rows;
    result.total.rules += counted.rules;
    result.total.listed += counted.listed;
    result.total.missing.insert(
        result.total.missing.end(), counted.missing.begin(), counted.missing.end());
    result.groups[group.name] = counted;
  }
  return result;
}

Parameters parameters(const recipe::Recipe& recipe,
                      const recipe::Vocabulary& vocabulary,
                      const lint::Knowledge& knowledge) {
  const lint::RuleDependencies influence(
      knowledge, recipe.framework, vocabulary.version(), {&vocabulary});
  Parameters result;
  for (const auto& [name, field] : recipe.fields) {
    if (recipe.sections.find(name) != recipe.sections.end() || name.ends_with("._target_")) {
      continue;  // a section, or the name of its class: not a parameter of its own
    }
    ++result.written;
    if (influence.is_read(name)) {
      ++result.constrained;
    } else {
      const auto section = recipe.framework == recipe::Framework::bridge
                               ? name.substr(0, name.find('.'))
                               : std::string("arguments");
      result.unchecked[section].push_back(field.spelling.empty() ? name : field.spelling);
    }
  }
  return result;
}

}  // namespace epwise::audit
