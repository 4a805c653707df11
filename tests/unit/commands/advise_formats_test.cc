#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "commands/advise/report.h"

namespace epwise::report {

namespace {

AdvisedRecipe sample() {
  AdvisedRecipe recipe;
  recipe.path = "<b>recipe</b>.yaml";
  recipe.target = "h100 x 16";
  advise::Advice& advice = recipe.advice;
  advice.present.emplace();
  advice.present->step_time = {40, 36, 44};
  advice.diagnosis.wall = "communication";
  advice.diagnosis.sure = 0.9;
  advise::DispatcherRow row;
  row.name = "deepep";
  row.legality.reason = "A | B";
  advice.dispatchers.push_back(row);
  advise::Plan plan;
  plan.changes.push_back({"model.x", "1", "2", lint::Tier::performance, "dispatcher"});
  plan.changes.push_back({"model.y", "", "3", lint::Tier::performance, "dispatcher"});
  plan.changes.push_back({"model.z", "4", "", lint::Tier::performance, "dispatcher"});
  plan.speedup = {1.25, 1.1, 1.4};
  plan.verdict = sim::Verdict::b;
  plan.step = {32, 28, 37};
  plan.diff = "--- a/r\n+++ b/r\n@@ -1 +1 @@\n-x: <1>\n+x: 2\n";
  plan.environment.emplace_back("CUDA_DEVICE_MAX_CONNECTIONS", "32");
  advice.plans.push_back(plan);
  return recipe;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a page of advice stands alone and shows the user's text as text") {
  const std::string page = advise_html(sample());
  CHECK(has(page, "&lt;b&gt;recipe&lt;/b&gt;"));
  CHECK_FALSE(has(page, "<b>recipe"));
  CHECK(has(page, "-x: &lt;1&gt;"));
  CHECK_FALSE(has(page, "<script"));
  CHECK_FALSE(has(page, "http"));
  CHECK(has(page, "model.x: 1 → 2"));
  CHECK(has(page, "add model.y: 3"));
  CHECK(has(page, "remove model.z"));
}

TEST_CASE("a plan as JSON has what programs read") {
  const auto json = nlohmann::json::parse(advise_json(sample()));
  CHECK(json["schema"] == "epwise.advise/1");
  CHECK(json["wall"]["name"] == "communication");
  const auto& plan = json["plans"][0];
  CHECK(plan["changes"][0]["field"] == "model.x");
  CHECK(plan["changes"][0]["from"] == "1");
  CHECK(plan["changes"][1]["from"].is_null());
  CHECK(plan["changes"][2]["to"].is_null());
  CHECK(plan["speedup"]["low"] == 1.1);
  CHECK(plan["verdict"] == "faster");
  CHECK(plan["environment"]["CUDA_DEVICE_MAX_CONNECTIONS"] == "32");
  CHECK(json["dispatchers"][0]["legal"] == false);
  CHECK(json["dispatchers"][0]["code"].is_null());
}

TEST_CASE("a table in Markdown keeps its cells") {
  const std::string text = advise_markdown(sample());
  CHECK(has(text, "A \\| B"));
  CHECK(has(text, "```diff\n--- a/r"));
}

}  // namespace epwise::report
