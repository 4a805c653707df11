// Sessions at the command line: tests/cli/*.scenario. EPWISE_UPDATE_GOLDEN=1 rewrites what they
// expect; the difference in git is the review.

#include "support/scenario.h"

#include <cstdlib>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "base/os/disk_files.h"
#include "ui/command.h"

namespace epwise {

namespace {

const std::string kFolder = "tests/cli";

std::vector<std::string> scenario_files(const os::Files& files) {
  std::vector<std::string> paths;
  for (const std::string& name : files.list(kFolder)) {
    if (name.ends_with(".scenario")) {
      paths.push_back(kFolder + "/" + name);
    }
  }
  return paths;
}

bool wants_update() {
  const char* value = std::getenv("EPWISE_UPDATE_GOLDEN");
  return value != nullptr && std::string(value) == "1";
}

}  // namespace

TEST_CASE("Every session shows what its file says") {
  os::DiskFiles files;
  const auto paths = scenario_files(files);
  REQUIRE_FALSE(paths.empty());
  for (const std::string& path : paths) {
    CAPTURE(path);
    const support::Scenario scenario = support::parse_scenario(files.read(path));
    const support::Scenario::Outcome outcome = support::play(scenario);
    if (wants_update()) {
      files.write_atomically(path, support::to_text(scenario, outcome));
      continue;
    }
    CHECK(outcome.out == scenario.expected.out);
    CHECK(outcome.err == scenario.expected.err);
    CHECK(outcome.code == scenario.expected.code);
    CHECK(outcome.written == scenario.expected.written);
  }
}

TEST_CASE("Every subcommand and every exit code has a session") {
  const os::DiskFiles files;
  std::set<int> codes;
  std::string commands;
  for (const std::string& path : scenario_files(files)) {
    const support::Scenario scenario = support::parse_scenario(files.read(path));
    codes.insert(scenario.expected.code);
    commands += scenario.command + "\n";
  }
  for (const cli::Command& command : cli::commands()) {
    const std::string name(command.name);
    CAPTURE(name);
    CHECK(commands.find("epwise " + name) != std::string::npos);
  }
  // 70 needs a bug: tests/unit/commands/fail_open_test.cc. 130 needs a process:
  // tests/cli_process_test.cc. 5 needs a machine without a GPU: tests/calibrate/session.py.
  CHECK(codes == std::set<int>{0, 1, 2, 3, 4});
}

TEST_CASE("A session survives being read and written") {
  const std::string text =
      "# A.\n$ K=V epwise lint 'a b'\n--- a b\nx: 1\n---\ny: 2\n--- stdin\nz\n--- forbidden c\n"
      "--- stdout\nout\n\\--- a/b\n\\\\--- c\n--- stderr\nerr\n--- written f\ntext\n--- exit 3\n";
  const support::Scenario scenario = support::parse_scenario(text);
  CHECK(scenario.files.front().second == "x: 1\n---\ny: 2\n");
  CHECK(scenario.expected.out == "out\n--- a/b\n\\--- c\n");
  CHECK(support::to_text(scenario, scenario.expected) == text);
}

}  // namespace epwise
