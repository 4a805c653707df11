#include "audit/standing.h"

#include <algorithm>

#include "lint/range.h"
#include "recipe/framework.h"

namespace epwise::audit {

namespace {

const lint::Finding* finding_of(const lint::Rule* rule, const lint::Result& recipe) {
  const auto found = std::ranges::find(recipe.findings, rule, &lint::Finding::rule);
  return found == recipe.findings.end() ? nullptr : &*found;
}

}  // namespace

std::string_view to_string(Standing::Kind kind) {
  switch (kind) {
    case Standing::Kind::found:
      return "found";
    case Standing::Kind::explained:
      return "explained";
    case Standing::Kind::open:
      return "open";
    case Standing::Kind::absent:
      return "absent";
    case Standing::Kind::holds:
      break;
  }
  return "holds";
}

Standing standing(const lint::Rule& rule, const lint::Result& recipe) {
  Standing result;
  result.ends_launch = recipe.launch.rule == &rule;
  result.finding = finding_of(&rule, recipe);
  if (result.finding != nullptr) {
    result.kind = Standing::Kind::found;
    return result;
  }
  const auto explained = std::ranges::find(recipe.explained, &rule, &lint::Explained::rule);
  if (explained != recipe.explained.end()) {
    result.kind = Standing::Kind::explained;
    result.by = explained->by;
    result.finding = finding_of(explained->by, recipe);
    return result;
  }
  const auto open = std::ranges::find(recipe.open, &rule, &lint::Open::rule);
  if (open != recipe.open.end()) {
    result.kind = Standing::Kind::open;
    result.open = &*open;
    return result;
  }
  const auto framework = recipe::to_string(recipe.recipe->framework);
  if (!lint::holds(rule.versions, framework, recipe.framework_version)) {
    result.kind = Standing::Kind::absent;
  }
  return result;
}

}  // namespace epwise::audit
