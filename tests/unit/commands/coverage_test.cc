#include "commands/rules/coverage.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "support/example_target.h"

namespace epwise::audit {
namespace {

TEST_CASE("rows are rules, listed, or missing") {
  lint::Knowledge knowledge;
  knowledge.rules.resize(2);
  knowledge.rules[0].code = "AAA001";
  knowledge.rules[1].code = "AAA009";
  knowledge.rules[1].aliases = {"AAA003"};
  knowledge.rules[1].prose.edit().references = {{"", "https://example.org", "", ""}};
  knowledge.tables.catalogue = {{"AAA", 5, {4}}};
  knowledge.tables.uncovered = {{"AAA002", "", "can't be seen"}, {"", "x.py f: y", "elsewhere"}};
  const auto result = coverage(knowledge);
  CHECK(result.total.rows == 4);
  CHECK(result.total.rules == 2);
  CHECK(result.total.listed == 1);
  CHECK(result.total.missing == std::vector<std::string>{"AAA005"});
  CHECK(result.sites == 1);
  CHECK(result.by_group.at("AAA") == 2);
  REQUIRE(result.without_reference.size() == 1);
  CHECK(result.without_reference[0]->code == "AAA001");
}

TEST_CASE("written parameters that some rule reads, and the others by name") {
  const auto knowledge = lint::load_knowledge();
  const auto linted = test::lint_text(
      "model: {num_moe_experts: 8, pipeline_model_parallel_size: 2}\nlogger: {log_interval: 3}\n",
      "--stack bridge=0.6.2",
      knowledge);
  const auto result = parameters(*linted.recipes.front(), *linted.vocabulary, knowledge);
  CHECK(result.written == 3);
  CHECK(result.constrained >= 2);
  CHECK(result.unchecked.find("model") == result.unchecked.end());
  int unchecked = 0;
  for (const auto& [section, names] : result.unchecked) {
    unchecked += static_cast<int>(names.size());
  }
  CHECK(result.constrained + unchecked == result.written);
}

}  // namespace
}  // namespace epwise::audit
