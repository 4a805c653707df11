/// Values that rules cannot compute with: the reader's finding is the cause, and no message has
/// holes in it.

#include <algorithm>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "lint/engine.h"
#include "support/example_target.h"

namespace {

using epwise::lint::Severity;

const epwise::lint::Finding* find(const epwise::lint::Result& result, std::string_view rule) {
  const auto found =
      std::ranges::find_if(result.findings, [&](const auto& f) { return f.rule->id == rule; });
  return found == result.findings.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("a launch that ends over a text for a number is the reader's finding") {
  const auto linted = epwise::test::lint_text(
      "model:\n  num_layers: abc\n  pipeline_model_parallel_size: 2\n"
      "  account_for_embedding_in_pipeline_split: true\n",
      "--gpus 8",
      epwise::test::knowledge());
  const auto& result = linted.results.front();
  CHECK(result.launch.verdict == epwise::lint::Verdict::rejects);
  CHECK(result.launch.crash.starts_with("TypeError"));
  CHECK(find(result, "shape/accounted-layers") == nullptr);
  const auto* reader = find(result, "recipe/text-for-number");
  REQUIRE(reader != nullptr);
  CHECK(reader->severity == Severity::error);
  CHECK(reader->message == "`model.num_layers` is a number but is set to the text `abc`");
}

TEST_CASE("a text that no check reads stays a warning") {
  const auto linted = epwise::test::lint_text(
      "model:\n  num_moe_experts: 8\n  init_method_std: abc\n", "", epwise::test::knowledge());
  const auto* reader = find(linted.results.front(), "recipe/text-for-number");
  REQUIRE(reader != nullptr);
  CHECK(reader->severity == Severity::warning);
}

TEST_CASE("a rule whose message cannot be computed says what it is about") {
  const auto linted = epwise::test::lint_text(
      "model:\n  num_layers: 4\n  pipeline_model_parallel_size: 2\n"
      "  account_for_embedding_in_pipeline_split: [1]\n",
      "--gpus 8",
      epwise::test::knowledge());
  for (const auto& finding : linted.results.front().findings) {
    const std::string id(finding.rule->id);
    CAPTURE(id);
    CHECK_FALSE(finding.message.empty());
    CHECK(finding.message.find('?') == std::string::npos);
  }
}

TEST_CASE("without the reader's finding the check that ends tells itself") {
  const auto linted = epwise::test::lint_text(
      "model:\n  num_layers: abc\n  pipeline_model_parallel_size: 2\n"
      "  account_for_embedding_in_pipeline_split: true\n",
      "--gpus 8",
      epwise::test::knowledge());
  const auto& recipe = *linted.recipes.front();
  epwise::lint::Selection shapes;
  shapes.select = {"shape/"};
  const auto result = epwise::lint::lint(
      recipe, *linted.vocabulary, linted.target->target, epwise::test::knowledge(), shapes);
  REQUIRE(result.findings.size() == 1);
  const auto& finding = result.findings.front();
  CHECK(
      finding.message.starts_with(std::string(finding.rule->what) + " (the check itself fails: "));
  for (const auto& evidence : finding.evidence) {
    CHECK_FALSE(evidence.value.empty());
  }
}
