/// Every rule against its own examples: `fails` gives a finding of the rule, on the line that ends
/// with "# here"; `passes` gives neither a finding nor an open verdict of it; `open` gives an open
/// verdict. No finding says or offers a thing twice. `epwise rules test` does the same.

#include <string>

#include <doctest/doctest.h>

#include "lint/knowledge.h"
#include "support/example_target.h"

TEST_CASE("every rule does with its examples what it says") {
  REQUIRE(epwise::test::knowledge().rules.size() > 4);
  for (const auto& rule : epwise::test::knowledge().rules) {
    for (std::size_t i = 0; i < rule.prose->examples.size(); ++i) {
      const auto& example = rule.prose->examples[i];
      const std::string name = std::string(rule.id) + ", example " + std::to_string(i + 1);
      CAPTURE(name);
      CHECK(epwise::lint::outcome_of(
                rule, example, epwise::test::knowledge(), epwise::test::vocabularies()) ==
            epwise::lint::to_string(example.verdict));
    }
  }
}

TEST_CASE("every rule says what users need") {
  for (const auto& rule : epwise::test::knowledge().rules) {
    const std::string id(rule.id);
    CAPTURE(id);
    CHECK(!rule.what.empty());
    CHECK(rule.why.size() > 20);
    if (!rule.builtin) {
      CHECK(!rule.prose->references.empty());
      CHECK(!rule.operands.empty());
      CHECK(!rule.prose->fixes.empty());
    }
    const bool measured_claim = rule.severity != epwise::lint::Severity::error ||
                                rule.confidence != epwise::lint::Confidence::heuristic;
    CHECK_MESSAGE(measured_claim, "a heuristic is no error");
  }
}

TEST_CASE("evaluating the whole table is bounded") {
  // The largest parameter set cannot make a recipe expensive: the sum of all bounds is what one
  // file may cost. Half of it belongs to the two rules that compare all pairs of a list.
  long total = 0;
  for (const auto& rule : epwise::test::knowledge().rules) {
    total += rule.given.empty() ? 0 : epwise::expr::cost_bound(rule.given);
    total += rule.assertion.empty() ? 0 : epwise::expr::cost_bound(rule.assertion);
  }
  CHECK(total < 250'000);
}
