/// Every rule against its own examples: `fails` gives a finding of the rule, on the line that ends
/// with "# here"; `passes` gives neither a finding nor an open verdict of it; `open` gives an open
/// verdict. No finding says or offers a thing twice.

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "lint/knowledge.h"
#include "support/example_target.h"

namespace {

using epwise::lint::Example;
using epwise::lint::Finding;
using epwise::lint::Rule;

/// Line of "# here", from 1; 0 when the example has none.
int marked_line(std::string_view recipe) {
  const auto here = recipe.find("# here");
  return here == std::string_view::npos
             ? 0
             : 1 + static_cast<int>(
                       std::count(recipe.begin(), recipe.begin() + static_cast<long>(here), '\n'));
}

/// What a finding says or offers twice; empty when nothing.
std::string said_twice(const Finding& finding) {
  std::string twice;
  std::vector<epwise::lint::Location> places{finding.primary};
  for (const auto& place : finding.related) {
    for (const auto& other : places) {
      twice += place.mark == other.mark ? "place " + place.pointer + "; " : "";
      twice += !place.label.empty() && place.label == other.label ? place.label + "; " : "";
    }
    places.push_back(place);
  }
  std::set<std::string> offers;
  for (const auto& fix : finding.fixes) {
    std::string offer = fix.edits.empty() ? fix.title : "";
    for (const auto& edit : fix.edits) {
      offer += edit.field + "=" + edit.value + ";";
    }
    twice += offers.insert(offer).second ? "" : "fix " + fix.title + "; ";
  }
  return twice;
}

/// What an example gives, in the words of the table below.
std::string verdict(const Rule& rule, const Example& example) {
  const auto linted =
      epwise::test::lint_text(example.recipe, example.arguments, epwise::test::knowledge());
  std::string said;
  for (const auto& result : linted.results) {
    for (const auto& crash : result.crashed_rules) {
      said += "crashed: " + crash + "; ";
    }
    for (const auto& finding : result.findings) {
      const std::string twice = said_twice(finding);
      said += twice.empty() ? "" : std::string(finding.rule->id) + " says twice: " + twice;
    }
    const auto finding = std::ranges::find(result.findings, &rule, &Finding::rule);
    if (finding != result.findings.end()) {
      const int line = finding->primary.mark.start().line;
      const int wanted = marked_line(example.recipe);
      said += wanted != 0 && wanted != line ? "fails on line " + std::to_string(line) +
                                                  " instead of " + std::to_string(wanted)
                                            : "fails";
      if (finding->message.find("{") != std::string::npos) {
        said += ", message not filled: " + finding->message;
      }
    }
    if (std::ranges::find(result.waiting, &rule) != result.waiting.end()) {
      said += "fails";  // and is not told, because the value is wrong by itself
    }
    if (std::ranges::find(result.open, &rule, &epwise::lint::Open::rule) != result.open.end()) {
      said += "open";
    }
  }
  return said.empty() ? "passes" : said;
}

std::string_view wanted(const Example& example) {
  switch (example.verdict) {
    case Example::Verdict::fails:
      return "fails";
    case Example::Verdict::passes:
      return "passes";
    case Example::Verdict::open:
      break;
  }
  return "open";
}

}  // namespace

TEST_CASE("every rule does with its examples what it says") {
  REQUIRE(epwise::test::knowledge().rules.size() > 4);
  for (const auto& rule : epwise::test::knowledge().rules) {
    for (std::size_t i = 0; i < rule.prose->examples.size(); ++i) {
      const auto& example = rule.prose->examples[i];
      const std::string name = std::string(rule.id) + ", example " + std::to_string(i + 1);
      CAPTURE(name);
      CHECK(verdict(rule, example) == wanted(example));
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
