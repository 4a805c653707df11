#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "support/formats.h"
#include "support/sample_reports.h"
#include "ui/findings/writer.h"

namespace epwise::report {
namespace {

using Json = nlohmann::json;

Json written(support::ReportBuilder& builder) {
  return Json::parse(support::written("json", builder.report(), {}));
}

Json executed(const expr::Value& value) {
  support::ReportBuilder b;
  b.file("a.yaml", "x: 1\n");
  b.rewrite("model.x", {}, value, "so");
  return written(b)["files"][0]["effective"][0]["executed"];
}

}  // namespace

TEST_CASE("json: every sample parses and is written the same twice") {
  for (const support::SampleReport& sample : support::sample_reports()) {
    CAPTURE(sample.name);
    support::ReportBuilder b;
    sample.build(b);
    const std::string text = support::written("json", b.report(), {});
    CHECK(Json::parse(text)["schema"] == "epwise.lint/1");
    CHECK(Json::parse(text)["files"].size() == b.report().files.size());
    CHECK(text ==
          support::written("json", b.report(), {.colour = true, .unicode = false, .width = 20}));
    CHECK(text.back() == '\n');
  }
}

TEST_CASE("json: the whole of a small report") {
  support::ReportBuilder b;
  lint::Rule& rule = b.rule("shape/experts", "SHP001");
  rule.why = "Ranks hold the same number.";
  b.file("a.yaml", "model:\n  num_moe_experts: 60\n");
  lint::Finding& finding = b.finding(rule, "60 experts do not divide over 8", "60");
  finding.primary.pointer = "/model/num_moe_experts";
  finding.primary.label = "not a multiple";
  finding.related = {{b.mark("model"), "/model", "in here"}};
  finding.evidence = {{"gpus", "16", "--gpus"}};
  finding.assumed = {"te counts as installed"};
  finding.fixes = {
      {"Take 64", lint::Tier::training, {{"model.num_moe_experts", "64", b.mark("60")}}}};
  b.rejects(rule, "transformer-config");
  b.rewrite("model.tp", expr::Value::of(2), expr::Value::of(1), "one GPU");
  b.open(rule, {"stack.te"});
  b.report().exit_code = 1;
  CHECK(written(b) == Json::parse(R"json({
    "schema": "epwise.lint/1",
    "tool": {"name": "epwise", "version": "0.1.0"},
    "summary": {"files": 1, "rules": 212, "errors": 1, "warnings": 0, "notes": 0, "open": 1,
                "starts": 0, "rejects": 1, "undecided": 0, "strict": false, "exit_code": 1},
    "unreadable": [],
    "files": [{
      "path": "a.yaml",
      "framework": "bridge",
      "framework_version": "0.6.2",
      "version_assumed": false, "version_unknown": "",
      "target": "h100 x 16, te 2.14.0 (--hw, --gpus, --stack)",
      "readable": true,
      "rules_checked": 212,
      "launch": {"verdict": "rejects", "rule": "shape/experts", "code": "SHP001",
                 "at": "transformer-config", "crash": null, "needs": []},
      "effective": [{"field": "model.tp", "written": 2, "executed": 1, "why": "one GPU"}],
      "findings": [{
        "rule": "shape/experts",
        "code": "SHP001",
        "severity": "error",
        "confidence": "proven",
        "effect": "refuse", "when": "start",
        "message": "60 experts do not divide over 8",
        "path": "a.yaml", "line": 2, "column": 20, "end_line": 2, "end_column": 22,
        "pointer": "/model/num_moe_experts",
        "label": "not a multiple",
        "related": [{"path": "a.yaml", "line": 1, "column": 1, "end_line": 1, "end_column": 6,
                     "pointer": "/model", "label": "in here"}],
        "evidence": [{"name": "gpus", "value": "16", "origin": "--gpus"}],
        "assumed": ["te counts as installed"],
        "help": "Ranks hold the same number.",
        "preview": false,
        "fixes": [{"title": "Take 64", "tier": "training", "tried": false, "edits": [
          {"action": "set", "field": "model.num_moe_experts", "value": "64",
           "path": "a.yaml", "line": 2, "column": 20, "end_line": 2, "end_column": 22}]}],
        "elsewhere": []
      }],
      "open": [{"rule": "shape/experts", "code": "SHP001", "needs": ["stack.te"]}],
      "crashed_rules": []
}]
})json"));
}

TEST_CASE("json: values keep their type") {
  using expr::Value;
  CHECK(executed({}) == nullptr);
  CHECK(executed(Value::of(true)) == true);
  CHECK(executed(Value::of(8)) == 8);
  CHECK(executed(Value::of(8)).is_number_integer());
  CHECK(executed(Value::of(1.0)).is_number_float());
  CHECK(executed(Value::of(1e-6)) == 1e-6);
  CHECK(executed(Value::of("8")) == "8");
  CHECK(executed(Value::of(Value::List{Value::of(1), Value::of("a"), {}})) ==
        Json::parse(R"json([1, "a", null])json"));
  CHECK(executed(Value::of(Value::List{})) == Json::array());
  CHECK(executed(Value::unknown({"gpus"})) == Json::parse(R"json({"unknown": ["gpus"]})json"));
  CHECK(executed(Value::crash("TypeError: no")) ==
        Json::parse(R"json({"crash": "TypeError: no"})json"));
  CHECK(executed(Value::of(HUGE_VAL)) == "inf");
  CHECK(executed(Value::of(-HUGE_VAL)) == "-inf");
}

TEST_CASE("json: a finding without a position has nulls") {
  support::ReportBuilder b;
  const lint::Rule& rule = b.rule("a/b", "AAA001");
  b.file("a.yaml", "x: 1\n");
  b.finding(rule, "nowhere");
  const Json findings = written(b)["files"][0]["findings"];
  REQUIRE(findings.size() == 1);
  CHECK(findings[0]["message"] == "nowhere");
  CHECK(findings[0]["path"] == "a.yaml");
  CHECK(findings[0]["line"] == nullptr);
  CHECK(findings[0]["end_column"] == nullptr);
}

TEST_CASE("json: text that is no UTF-8 stays valid JSON") {
  support::ReportBuilder b;
  const lint::Rule& rule = b.rule("a/b", "AAA001");
  b.file("\xff.yaml", "x: \xfe\n");
  b.finding(rule, "bad \xfe byte", "x");
  CHECK(written(b)["files"][0]["findings"][0]["message"] == "bad \uFFFD byte");
}

}  // namespace epwise::report
