#include "cli/fix_output.h"

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/app_run.h"

namespace {

using epwise::cli::command_with_tier;
using epwise::cli::ExitCode;
using epwise::cli::FixedText;
using epwise::cli::FixOutput;
using epwise::cli::LintTask;
using epwise::lint::Tier;

struct World {
  epwise::support::MemoryFiles files;
  epwise::support::MemoryVariables variables;
  epwise::support::GivenDevices devices;
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  epwise::cli::Session session{in, out, err, files, variables, {}, devices};
};

FixedText changed() {
  FixedText fixed;
  fixed.before.bytes = "a: 1\n";
  fixed.after.bytes = "a: 2\n";
  fixed.repairs = {{"shape/experts", Tier::neutral, {"a: 1 → 2"}}};
  return fixed;
}

}  // namespace

TEST_CASE("a file that has changed since it was read is left alone") {
  World world;
  world.files.put("a.yaml", "a: 3\n");
  FixOutput output(world.session, {}, {});
  LintTask task;
  task.path = "a.yaml";
  output.add(task, changed());
  CHECK(output.finish() == ExitCode::unreadable);
  CHECK(world.files.writes.empty());
  CHECK(world.err.str().find("nothing is written") != std::string::npos);
  world.files.put("a.yaml", "a: 1\n");
  FixOutput again(world.session, {}, {});
  again.add(task, changed());
  CHECK(again.finish() == ExitCode::clean);
  REQUIRE(world.files.writes.size() == 1);
  CHECK(world.files.writes.front().content == "a: 2\n");
}

TEST_CASE("the next command is one that a shell takes") {
  using Words = std::vector<std::string>;
  CHECK(command_with_tier({"lint", "a b.yaml", "--fix", "--diff"}, Tier::training) ==
        "epwise lint 'a b.yaml' --fix=training --diff");
  CHECK(command_with_tier(Words{"lint", "a.yaml", "--", "x=1"}, Tier::performance) ==
        "epwise lint a.yaml --fix=performance -- x=1");
  CHECK(command_with_tier(Words{"lint", "a.yaml", "--fix=neutral", "--", "--fix"},
                          Tier::training) == "epwise lint a.yaml --fix=training -- --fix");
  CHECK(command_with_tier(Words{"lint", "it's"}, Tier::training) ==
        "epwise lint 'it'\\''s' --fix=training");
}

// A diff begins like a section of a scenario, so it can't stand in one.
TEST_CASE("--diff shows the change, makes none and exits 1") {
  epwise::support::AppRun app;
  app.files.put("a.yaml", "train:\n  global_batch_size: 100  # tokens\n  micro_batch_size: 1\n");
  CHECK(app.run(
            {"lint", "a.yaml", "--gpus", "16", "--select", "batch/", "--fix=training", "--diff"}) ==
        1);
  CHECK(
      app.out ==
      "--- a/a.yaml\n+++ b/a.yaml\n@@ -1,3 +1,3 @@\n train:\n-  global_batch_size: 100  # tokens\n"
      "+  global_batch_size: 112  # tokens\n   micro_batch_size: 1\n");
  CHECK(app.err ==
        "epwise: a.yaml: 1 change would be made\n"
        "  train.global_batch_size: 100 → 112 (training, batch/indivisible)\n");
  CHECK(app.files.writes.empty());
  CHECK(app.run({"lint",
                 "a.yaml",
                 "--gpus",
                 "16",
                 "--select",
                 "batch/",
                 "--fix=training",
                 "--diff",
                 "--exit-zero"}) == 0);
}
