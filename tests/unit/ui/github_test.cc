#include <algorithm>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "support/formats.h"
#include "support/sample_reports.h"
#include "ui/findings/writer.h"

namespace epwise::report {
namespace {

std::size_t count(std::string_view text, std::string_view words) {
  std::size_t found = 0;
  for (std::size_t at = text.find(words); at != std::string_view::npos;
       at = text.find(words, at + words.size())) {
    ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("github: a command a finding, the most important first") {
  support::ReportBuilder b;
  const lint::Rule& soft = b.rule("dispatcher/knob", "DSP020", lint::Severity::warning);
  const lint::Rule& hint = b.rule("batch/small", "BAT007", lint::Severity::note);
  lint::Rule& likely = b.rule("a/likely", "AAA001");
  likely.confidence = lint::Confidence::likely;
  const lint::Rule& hard = b.rule("shape/experts", "SHP001");
  b.report().checkout.prefix = "recipes/";
  b.file("a.yaml", "model:\n  - x\n  - y\nbatch: 8\n");
  b.finding(hint, "small", "8");
  b.finding(soft, "crossed", "batch");
  b.finding(likely, "perhaps", "model");
  b.finding(hard, "certainly", "- x\n  - y");
  b.finding(hard, "nowhere");
  CHECK(
      support::written("github", b.report(), {}) ==
      "::error file=recipes/a.yaml,line=2,col=3,endLine=3,title=shape/experts (SHP001)::certainly\n"
      "::error file=recipes/a.yaml,line=1,col=1,title=shape/experts (SHP001)::nowhere\n"
      "::error file=recipes/a.yaml,line=1,col=1,endColumn=6,title=a/likely (AAA001)::perhaps\n"
      "::warning file=recipes/a.yaml,line=4,col=1,endColumn=6,title=dispatcher/knob (DSP020)"
      "::crossed\n"
      "::notice file=recipes/a.yaml,line=4,col=8,endColumn=9,title=batch/small (BAT007)::small\n");
}

TEST_CASE("github: signs of the command language are escaped") {
  support::ReportBuilder b;
  const lint::Rule& rule = b.rule("a/b", "AAA001");
  b.file("a,b:c%.yaml", "x: 1\n");
  b.finding(rule, "100% :: wrong\n::error::injected", "x");
  CHECK(
      support::written("github", b.report(), {}) ==
      "::error file=a%2Cb%3Ac%25.yaml,line=1,col=1,endColumn=2,title=a/b (AAA001)::100%25 :: wrong "
      "::error::injected\n");
}

TEST_CASE("github: at most ten of a level, and a notice that says how many more there are") {
  support::ReportBuilder b;
  const lint::Rule& hard = b.rule("a/hard", "AAA001");
  const lint::Rule& soft = b.rule("a/soft", "AAA002", lint::Severity::warning);
  const lint::Rule& hint = b.rule("a/hint", "AAA003", lint::Severity::note);
  b.file("a.yaml", "x: 1\n");
  for (int i = 0; i < 12; ++i) {
    b.finding(hard, "hard", "x");
    b.finding(soft, "soft", "x");
  }
  for (int i = 0; i < 10; ++i) {
    b.finding(hint, "hint", "x");
  }
  const std::string text = support::written("github", b.report(), {});
  CHECK(count(text, "::error ") == 10);
  CHECK(count(text, "::warning ") == 10);
  CHECK(count(text, "::notice ") == 10);
  CHECK(text.find("::notice title=epwise::2 errors, 2 warnings and 1 note more than GitHub "
                  "displays; the complete table is in the step summary\n") != std::string::npos);
}

TEST_CASE("github: exactly ten of each need no further line") {
  support::ReportBuilder b;
  const lint::Rule& hint = b.rule("a/hint", "AAA003", lint::Severity::note);
  b.file("a.yaml", "x: 1\n");
  for (int i = 0; i < 10; ++i) {
    b.finding(hint, "hint", "x");
  }
  const std::string text = support::written("github", b.report(), {});
  CHECK(count(text, "::notice file") == 10);
  CHECK(count(text, "title=epwise") == 0);
}

TEST_CASE("github: what could not be checked is an error") {
  support::ReportBuilder b;
  b.report().unreadable = {"cannot read b.yaml: no such file"};
  b.file("a.yaml", "x: 1\n").result.crashed_rules = {"a/b"};
  CHECK(support::written("github", b.report(), {}) ==
        "::error title=epwise::cannot read b.yaml: no such file\n"
        "::error title=epwise::a.yaml: epwise failed in rule a/b; this is a bug, please report it "
        "with the recipe\n");
}

TEST_CASE("github: step summary") {
  support::ReportBuilder b;
  const lint::Rule& rule = b.rule("a/b", "AAA001");
  b.file("a|b.yaml", "x_y: 1\n");
  b.finding(rule, "`x_y` is <b>odd</b> | really", "x_y");
  b.open(rule, {"gpus"});
  b.rejects(rule, "validate");
  CHECK(support::written("markdown", b.report()) ==
        R"(### epwise: 1 error, 0 warnings, 0 notes in 1 file

| file | launch | checked against |
| --- | --- | --- |
| a\|b.yaml | would not start: a/b (AAA001) at stage validate | Megatron-Bridge 0.6.2, h100 x 16, te 2.14.0 (--hw, --gpus, --stack) |

| severity | rule | place | message |
| --- | --- | --- | --- |
| error | `a/b` | a\|b.yaml:1 | \`x\_y\` is &lt;b>odd&lt;/b> \| really |

1 check skipped, unknown: gpus (1)
)");
}

TEST_CASE("github: a step summary of many files lists those that do not start") {
  support::ReportBuilder b;
  const lint::Rule& rule = b.rule("a/b", "AAA001");
  for (int i = 0; i < 30; ++i) {
    b.file("f" + std::to_string(i) + ".yaml", "x: 1\n");
  }
  b.rejects(rule, "validate");
  const std::string text = support::written("markdown", b.report());
  CHECK(text.find("f29.yaml") != std::string::npos);
  CHECK(text.find("f28.yaml") == std::string::npos);
  CHECK(text.find("29 files start\n") != std::string::npos);
}

TEST_CASE("github: a huge step summary stays below GitHub's limit") {
  support::ReportBuilder b;
  const lint::Rule& rule = b.rule("a/b", "AAA001");
  b.file("a.yaml", "x: 1\n");
  for (int i = 0; i < 3000; ++i) {
    b.finding(rule, std::string(1000, 'm'), "x");
  }
  const std::string text = support::written("markdown", b.report());
  CHECK(text.size() < (1U << 20U));
  CHECK(text.find(" more\n") != std::string::npos);
}

}  // namespace epwise::report
