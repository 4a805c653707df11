#include <set>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "support/formats.h"
#include "support/sample_reports.h"
#include "ui/findings/writer.h"

// What code scanning asks of a log beyond its schema; the schema itself is held by
// tests/schemas/validate_sarif.py.
namespace epwise::report {
namespace {

using Json = nlohmann::json;

Json run_of(support::ReportBuilder& builder) {
  return Json::parse(support::written("sarif", builder.report(), {}))["runs"][0];
}

void check_location(const Json& location) {
  if (!location.contains("physicalLocation")) {
    return;
  }
  const Json& artifact = location["physicalLocation"]["artifactLocation"];
  const auto uri = artifact["uri"].get<std::string>();
  CHECK(uri.find("://") == std::string::npos);
  CHECK(uri.find(' ') == std::string::npos);
  CHECK(uri.front() != '/');
  CHECK(artifact["uriBaseId"] == "%SRCROOT%");
  const Json& region = location["physicalLocation"]["region"];
  CHECK(region["startLine"].get<int>() >= 1);
  CHECK(region["startColumn"].get<int>() >= 1);
}

void check_result(const Json& result, const Json& rules) {
  CHECK(rules[result["ruleIndex"].get<std::size_t>()]["id"] == result["ruleId"]);
  CHECK(result["locations"].size() == 1);
  CHECK(result["rank"].get<int>() >= 0);
  CHECK(result["rank"].get<int>() <= 100);
  CHECK_FALSE(result["message"]["text"].get<std::string>().empty());
  check_location(result["locations"][0]);
  if (result.contains("relatedLocations")) {
    for (const Json& location : result["relatedLocations"]) {
      check_location(location);
      CHECK_FALSE(location["message"]["text"].get<std::string>().empty());
    }
  }
  if (result["kind"] == "fail") {
    CHECK(result["partialFingerprints"].contains("primaryLocationLineHash"));
    CHECK(result["partialFingerprints"].contains("epwise/v1"));
  } else {
    CHECK(result["kind"] == "open");
    CHECK(result["level"] == "none");
  }
}

}  // namespace

TEST_CASE("sarif: every sample keeps what code scanning asks for") {
  for (const support::SampleReport& sample : support::sample_reports()) {
    CAPTURE(sample.name);
    support::ReportBuilder b;
    sample.build(b);
    const std::string text = support::written("sarif", b.report(), {});
    CHECK(text == support::written("sarif", b.report(), {.colour = true, .width = 20}));
    CHECK(text.find('\n') == text.size() - 1);
    const Json run = run_of(b);
    CHECK(run["columnKind"] == "unicodeCodePoints");
    const Json& rules = run["tool"]["driver"]["rules"];
    CHECK(rules.size() <= b.report().knowledge->rules.size());
    for (const Json& rule : rules) {
      CHECK(rule["properties"]["tags"].size() <= 10);
      CHECK_FALSE(rule["help"]["markdown"].get<std::string>().empty());
    }
    for (const Json& result : run["results"]) {
      check_result(result, rules);
    }
  }
}

TEST_CASE("sarif: the rules of results are listed with level, help and tags, others are not") {
  support::ReportBuilder b;
  lint::Rule& rule = b.rule("shape/experts", "SHP001", lint::Severity::warning);
  rule.what = "Experts do not fit";
  rule.why = "Ranks hold the same number.\n";
  rule.assert_text = "model.num_moe_experts % 8 == 0";
  rule.versions = {{"mlm", "0.16.1", ""}};
  rule.aliases = {"EPO099"};
  rule.prose.edit().references = {
      {"NVIDIA/Megatron-LM", "megatron/core/x.py", "63-76", "d98e8a64"}};
  b.rule("other/rule", "OTH001");
  b.report().selection.ignore = {"other/rule"};
  b.file("a.yaml", "x: 1\n");
  b.finding(rule, "one", "x");
  b.finding(rule, "two", "x");
  const Json rules = run_of(b)["tool"]["driver"]["rules"];
  REQUIRE(rules.size() == 1);
  CHECK(rules[0] == Json::parse(R"json({
    "id": "shape/experts",
    "name": "SHP001",
    "shortDescription": {"text": "Experts do not fit"},
    "fullDescription": {"text": "Ranks hold the same number.\n"},
    "help": {
      "text": "Ranks hold the same number.\nMore: epwise explain SHP001",
      "markdown": "**Experts do not fit** (SHP001)\n\nRanks hold the same number.\n\nMust hold: `model.num_moe_experts % 8 == 0`\n\nVersions: mlm from 0.16.1.\n\n- [Megatron-LM@d98e8a64 x.py:63-76](https://github.com/NVIDIA/Megatron-LM/blob/d98e8a64/megatron/core/x.py#L63-L76)\n- `epwise explain SHP001`\n"
    },
    "helpUri": "https://github.com/NVIDIA/Megatron-LM/blob/d98e8a64/megatron/core/x.py#L63-L76",
    "defaultConfiguration": {"level": "warning"},
    "properties": {
      "tags": ["shape", "megatron-lm", "proven"],
      "precision": "very-high",
      "problem.severity": "warning",
      "code": "SHP001",
      "aliases": ["EPO099"]
    }
  })json"));
}

TEST_CASE("sarif: a result names place, pointer and what belongs to it") {
  support::ReportBuilder b;
  const lint::Rule& rule = b.rule("shape/experts", "SHP001");
  b.report().checkout.prefix = "recipes/gb200/";
  b.file("../模型 a.yaml", "model:\n  größe: 60\n");
  lint::Finding& finding = b.finding(rule, "60 experts", "60");
  finding.primary.pointer = "/model/größe";
  finding.related = {{b.mark("model"), "/model", "in here"}, {{}, "/model/x", "a default"}};
  const Json result = run_of(b)["results"][0];
  CHECK(result["locations"] == Json::parse(R"json([{
    "physicalLocation": {
      "artifactLocation": {"uri": "recipes/%E6%A8%A1%E5%9E%8B%20a.yaml", "uriBaseId": "%SRCROOT%"},
      "region": {"startLine": 2, "startColumn": 10, "endLine": 2, "endColumn": 12}},
    "logicalLocations": [{"fullyQualifiedName": "/model/größe", "kind": "property"}]
  }])json"));
  REQUIRE(result["relatedLocations"].size() == 1);
  CHECK(result["relatedLocations"][0]["message"]["text"] == "in here");
  CHECK(result["relatedLocations"][0]["id"] == 1);
}

TEST_CASE("sarif: what stands on the command line is shown at the start of the recipe") {
  support::ReportBuilder b;
  const lint::Rule& rule = b.rule("shape/experts", "SHP001");
  b.file("a.yaml", "model: {}\n");
  b.source("<command line>", "model.x=60");
  b.finding(rule, "60 experts").primary.mark = b.mark("60", 1);
  const Json location = run_of(b)["results"][0]["locations"][0]["physicalLocation"];
  CHECK(location["artifactLocation"]["uri"] == "a.yaml");
  CHECK(location["region"] == Json::parse(R"json({"startLine": 1, "startColumn": 1})json"));
}

TEST_CASE("sarif: fingerprints follow the finding, not its line") {
  const auto fingerprints = [](const std::string& text, const std::string& value) {
    support::ReportBuilder b;
    const lint::Rule& rule = b.rule("shape/experts", "SHP001");
    b.file("a.yaml", text);
    lint::Finding& finding = b.finding(rule, "experts", "experts");
    finding.primary.pointer = "/model/experts";
    finding.evidence = {{"experts", value, "a.yaml:1"}};
    return run_of(b)["results"][0]["partialFingerprints"];
  };
  const Json here = fingerprints("experts: 60\n", "60");
  CHECK(here == fingerprints("\n\n  experts:   60\n", "60"));
  const Json changed = fingerprints("experts: 61\n", "61");
  CHECK(here["epwise/v1"] != changed["epwise/v1"]);
  CHECK(here["primaryLocationLineHash"] != changed["primaryLocationLineHash"]);

  support::ReportBuilder b;
  const lint::Rule& rule = b.rule("shape/experts", "SHP001");
  b.file("a.yaml", "x: 1\n");
  b.finding(rule, "one", "x");
  b.finding(rule, "two", "x");
  std::set<std::string> names;
  const Json run = run_of(b);
  for (const Json& result : run["results"]) {
    names.insert(result["partialFingerprints"]["epwise/v1"].get<std::string>());
  }
  CHECK(names.size() == 2);
}

TEST_CASE("sarif: undecided rules are no results, but one notification") {
  support::ReportBuilder b;
  lint::Rule& rule = b.rule("shape/experts", "SHP001");
  rule.what = "Experts do not fit";
  b.file("a.yaml", "x: 1\n");
  b.open(rule, {"gpus", "stack.te"});
  const Json run = run_of(b);
  CHECK(run["results"].empty());
  const Json& notes = run["invocations"][0]["toolExecutionNotifications"];
  REQUIRE(notes.size() == 1);
  CHECK(notes[0]["level"] == "note");
  CHECK(notes[0]["message"]["text"] ==
        "1 check skipped because values are unknown; pass --stack te=VERSION --gpus N");
  CHECK(run["invocations"][0]["executionSuccessful"] == true);
}

TEST_CASE("sarif: a run that could not check everything is not successful") {
  support::ReportBuilder clean;
  clean.file("a.yaml", "x: 1\n");
  CHECK(run_of(clean)["invocations"][0]["executionSuccessful"] == true);

  support::ReportBuilder unreadable;
  unreadable.report().unreadable = {"cannot read b.yaml: no such file"};
  unreadable.report().exit_code = 3;
  const Json invocation = run_of(unreadable)["invocations"][0];
  CHECK(invocation["executionSuccessful"] == false);
  CHECK(invocation["exitCode"] == 3);
  CHECK(invocation["toolExecutionNotifications"][0]["message"]["text"] ==
        "cannot read b.yaml: no such file");

  support::ReportBuilder crashed;
  crashed.file("a.yaml", "x: 1\n").result.crashed_rules = {"shape/experts"};
  CHECK(run_of(crashed)["invocations"][0]["executionSuccessful"] == false);
}

TEST_CASE("sarif: beyond the limit the least important results go first, and the log says so") {
  support::ReportBuilder b;
  const lint::Rule& hard = b.rule("shape/experts", "SHP001");
  lint::Rule& soft = b.rule("batch/small", "BAT001", lint::Severity::note);
  soft.confidence = lint::Confidence::heuristic;
  b.file("a.yaml", "x: 1\n");
  for (int i = 0; i < 15000; ++i) {
    b.finding(soft, "small", "x");
    b.finding(hard, "large", "x");
  }
  const Json run = run_of(b);
  CHECK(run["results"].size() == 25000);
  std::size_t errors = 0;
  for (const Json& result : run["results"]) {
    errors += result["level"] == "error" ? 1U : 0U;
  }
  CHECK(errors == 15000);
  const Json& notification = run["invocations"][0]["toolExecutionNotifications"][0];
  CHECK(notification["message"]["text"] ==
        "5000 results of the lowest rank are omitted: code scanning accepts 25000");
  CHECK(run["invocations"][0]["executionSuccessful"] == true);
}

TEST_CASE("sarif: the checkout is named when it is known") {
  support::ReportBuilder b;
  b.file("a.yaml", "x: 1\n");
  CHECK_FALSE(run_of(b).contains("versionControlProvenance"));
  b.report().checkout = {"", "", "https://example.org/recipes.git", "0123abc", "main"};
  CHECK(run_of(b)["versionControlProvenance"] == Json::parse(R"json([{
    "repositoryUri": "https://example.org/recipes.git",
    "revisionId": "0123abc",
    "branch": "main",
    "mappedTo": {"uriBaseId": "%SRCROOT%"}
  }])json"));
}

TEST_CASE("sarif: a fix carries the lines that change") {
  int fixes = 0;
  for (const support::SampleReport& sample : support::sample_reports()) {
    support::ReportBuilder builder;
    sample.build(builder);
    const Json run = run_of(builder);
    for (const Json& result : run["results"]) {
      if (!result.contains("fixes")) {
        continue;
      }
      const Json& change = result["fixes"][0]["artifactChanges"][0];
      CHECK(change["replacements"][0]["insertedContent"]["text"] == "64");
      CHECK(change["replacements"][0]["deletedRegion"]["startLine"] == 2);
      ++fixes;
    }
  }
  CHECK(fixes > 0);
}

}  // namespace epwise::report
