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
