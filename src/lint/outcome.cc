#include "lint/outcome.h"

#include <algorithm>

namespace epwise::lint {

void add_needs(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

Outcome decide(const Rule& rule, const expr::Environment& facts) {
  const auto given = rule.given.empty() ? expr::Value::of(true) : expr::evaluate(rule.given, facts);
  if (const auto* crash = given.crashed()) {
    return {Outcome::Kind::crashes, {}, crash->what};
  }
  if (given.is_known() && !given.truthy()) {
    return {};
  }
  const auto holds = expr::evaluate(rule.assertion, facts);
  if (const auto* crash = holds.crashed()) {
    if (const auto* unknown = given.unknown()) {
      return {Outcome::Kind::open, unknown->needs, {}};
    }
    return {Outcome::Kind::crashes, {}, crash->what};
  }
  if (holds.is_known() && holds.truthy()) {
    return {};
  }
  Outcome outcome{
      given.is_unknown() || holds.is_unknown() ? Outcome::Kind::open : Outcome::Kind::fails,
      {},
      {}};
  if (const auto* unknown = given.unknown()) {
    add_needs(outcome.needs, unknown->needs);
  }
  if (const auto* unknown = holds.unknown()) {
    add_needs(outcome.needs, unknown->needs);
  }
  return outcome;
}

}  // namespace epwise::lint
