#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/report_builder.h"
#include "ui/findings/lint_report.h"

namespace epwise::report {
namespace {

std::string options(std::vector<std::string> names) {
  LintedFile file;
  file.result.open.push_back({.rule = nullptr, .needs = std::move(names)});
  Tally sum;
  sum.add(file);
  return options_for(needs(sum));
}

}  // namespace

TEST_CASE("needs: the option that settles each name") {
  CHECK(options({"gpus"}) == "--gpus N");
  CHECK(options({"hw"}) == "--hw NAME");
  CHECK(options({"hw.sm_count", "hw"}) == "--hw NAME");
  CHECK(options({"env.NVTE_FLASH_ATTN"}) == "--env NVTE_FLASH_ATTN=VALUE");
  CHECK(options({"${GBS}"}) == "--env GBS=VALUE");
  CHECK(options({"${GBS:-8}"}) == "--env GBS=VALUE");
  CHECK(options({"installed.deepep"}) == "--stack deepep=VERSION");
  CHECK(options({"gpus", "stack.te", "stack.torch"}) ==
        "--stack te=VERSION,torch=VERSION --gpus N");
  CHECK(options({"purpose"}) == "--purpose NAME");
  CHECK(options({"dataset._target_"}) == "--base RECIPE.yaml");
  CHECK(options({"model.num_layers"}).empty());
}

TEST_CASE("needs: names that most rules wait for come first") {
  LintedFile file;
  file.result.open = {{.rule = nullptr, .needs = {"gpus", "stack.te"}},
                      {.rule = nullptr, .needs = {"stack.te"}},
                      {.rule = nullptr, .needs = {"hw"}}};
  Tally sum;
  sum.add(file);
  std::vector<std::string> names;
  for (const Need& need : needs(sum)) {
    names.push_back(need.name + " " + std::to_string(need.rules));
  }
  CHECK(names == std::vector<std::string>{"stack.te 2", "gpus 1", "hw 1"});
}

TEST_CASE("rank: what stops the launch, then severity, then how sure") {
  support::ReportBuilder b;
  lint::Rule& proven = b.rule("a/proven", "AAA001");
  lint::Rule& likely = b.rule("a/likely", "AAA002");
  likely.confidence = lint::Confidence::likely;
  const lint::Rule& stops = b.rule("a/stops", "AAA003");
  const lint::Rule& note = b.rule("a/note", "AAA004", lint::Severity::note);
  b.file("a.yaml", "x: 1\n");
  for (const lint::Rule* rule : {&note,
                                 static_cast<const lint::Rule*>(&likely),
                                 &stops,
                                 static_cast<const lint::Rule*>(&proven)}) {
    b.finding(*rule, "x", "x");
  }
  b.rejects(stops, "validate");
  const LintedFile& file = b.report().files.front();
  const std::vector<lint::Finding>& found = file.result.findings;
  CHECK(rank(file, found[2]) == 100);
  CHECK(rank(file, found[3]) > rank(file, found[1]));
  CHECK(rank(file, found[1]) > rank(file, found[0]));
}

TEST_CASE("words: counts and lists") {
  CHECK(counted(0, "error") == "0 errors");
  CHECK(counted(1, "error") == "1 error");
  CHECK(listed({}).empty());
  CHECK(listed({"a"}) == "a");
  CHECK(listed({"a", "b"}) == "a and b");
  CHECK(listed({"a", "b", "c"}) == "a, b and c");
}

}  // namespace epwise::report
