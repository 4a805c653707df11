#include <doctest/doctest.h>

#include "support/formats.h"
#include "support/sample_reports.h"
#include "ui/findings/writer.h"

namespace epwise::report {

namespace {

/// Without what is said about the files as a whole.
constexpr Style kFindingsOnly{.quiet = true};

lint::Launch rejected_by(const lint::Rule& rule) {
  lint::Launch launch;
  launch.verdict = lint::Verdict::rejects;
  launch.rule = &rule;
  launch.stage = "validate";
  return launch;
}

}  // namespace

TEST_CASE("concise: path:line:col: severity[rule] message") {
  support::ReportBuilder b;
  const lint::Rule& hard = b.rule("shape/experts", "SHP001");
  const lint::Rule& soft = b.rule("dispatcher/knob", "DSP020", lint::Severity::warning);
  const lint::Rule& hint = b.rule("batch/small", "BAT007", lint::Severity::note);
  b.file("recipes/größe.yaml", "größe: 60\n");
  b.finding(hard, "60 experts\nin two lines", "60");
  b.finding(soft, "16 SMs", "größe");
  b.finding(hint, "nowhere");
  b.open(soft, {"gpus"});
  CHECK(support::written("concise", b.report(), kFindingsOnly) ==
        "recipes/größe.yaml:1:8: error[shape/experts] 60 experts in two lines\n"
        "recipes/größe.yaml:1:1: warning[dispatcher/knob] 16 SMs\n"
        "recipes/größe.yaml:1:1: note[batch/small] nowhere\n");
  CHECK(support::written("concise", b.report(), {.colour = true})
            .find("\x1b[1;31merror\x1b[0m[shape") != std::string::npos);
}

TEST_CASE("concise: a line a finding in every sample, nothing without findings") {
  for (const support::SampleReport& sample : support::sample_reports()) {
    CAPTURE(sample.name);
    support::ReportBuilder b;
    sample.build(b);
    const std::string text = support::written("concise", b.report(), kFindingsOnly);
    std::size_t findings = 0;
    for (const LintedFile& file : b.report().files) {
      findings += file.result.findings.size();
    }
    CHECK(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) == findings);
  }
}

TEST_CASE("concise: the second document is found in its file") {
  support::ReportBuilder b;
  const lint::Rule& rule = b.rule("shape/experts", "SHP001");
  b.file("a.yaml", "x: 1\n---\nx: 60\n").path = "a.yaml#2";
  b.finding(rule, "60", "60");
  b.finding(rule, "nowhere");
  CHECK(support::written("concise", b.report(), kFindingsOnly) ==
        "a.yaml:3:4: error[shape/experts] 60\n"
        "a.yaml:1:1: error[shape/experts] nowhere\n");
}

TEST_CASE("concise: what the launch of a file comes to, also of one that starts") {
  support::ReportBuilder b;
  const lint::Rule& rule = b.rule("shape/experts", "SHP001");
  b.file("a.yaml", "x: 60\n").result.launch = rejected_by(rule);
  b.finding(rule, "60", "60");
  CHECK(support::written("concise", b.report(), {}) ==
        "a.yaml:1:4: error[shape/experts] 60\n"
        "a.yaml: would not start: shape/experts (SHP001) at stage validate\n");
  CHECK(support::written("concise", b.report(), kFindingsOnly) ==
        "a.yaml:1:4: error[shape/experts] 60\n");

  support::ReportBuilder alone;
  alone.file("b.yaml", "x: 1\n").result.launch.verdict = lint::Verdict::starts;
  CHECK(support::written("concise", alone.report(), {}) == "b.yaml: starts\n");
}

TEST_CASE("concise: of several files those that start are counted") {
  support::ReportBuilder b;
  const lint::Rule& rule = b.rule("shape/experts", "SHP001");
  b.file("a.yaml", "x: 1\n").result.launch.verdict = lint::Verdict::starts;
  auto& open = b.file("b.yaml", "x: 1\n").result.launch;
  open.verdict = lint::Verdict::undecided;
  open.needs = {"stack.te"};
  auto& stopped = b.file("c.yaml", "x: 1\n").result;
  stopped.launch = rejected_by(rule);
  stopped.stop_selected = false;
  CHECK(support::written("concise", b.report(), {}) ==
        "b.yaml: launch undecided, unknown: stack.te\n"
        "c.yaml: would not start: shape/experts (SHP001) at stage validate, which is not selected\n"
        "3 files, 1 starts, 1 would not start, 1 undecided\n");
}

}  // namespace epwise::report
