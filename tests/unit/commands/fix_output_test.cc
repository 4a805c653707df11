#include "commands/lint/fix_output.h"

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/app.h"
#include "support/app_run.h"
#include "ui/console.h"

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
  epwise::cli::Console session{in, out, err, files, variables, {}, devices};
};

FixedText changed() {
  FixedText fixed;
  fixed.before.bytes = "a: 1\n";
  fixed.after.bytes = "a: 2\n";
  fixed.repairs = {{"shape/experts", Tier::neutral, {{"a", "1", "2"}}}};
  return fixed;
}

}  // namespace

TEST_CASE("a file that has changed since it was read is left alone") {
  World world;
  world.files.put("a.yaml", "a: 3\n");
  FixOutput output(world.session, {}, {});
  LintTask task;
  task.source.path = "a.yaml";
  output.add(task, changed());
  CHECK(output.finish() == ExitCode::unreadable);
  CHECK(world.files.writes.empty());
  CHECK(world.err.str().find("not written") != std::string::npos);
  world.files.put("a.yaml", "a: 1\n");
  FixOutput again(world.session, {}, {});
  again.add(task, changed());
  CHECK(again.finish() == ExitCode::clean);
  REQUIRE(world.files.writes.size() == 1);
  CHECK(world.files.writes.front().content == "a: 2\n");
}

TEST_CASE("the next command is one that a shell takes") {
  using Texts = std::vector<std::string>;
  CHECK(command_with_tier({"lint", "a b.yaml", "--fix", "--diff"}, Tier::training) ==
        "epwise lint 'a b.yaml' --fix=training --diff");
  CHECK(command_with_tier(Texts{"lint", "a.yaml", "--", "x=1"}, Tier::performance) ==
        "epwise lint a.yaml --fix=performance -- x=1");
  CHECK(command_with_tier(Texts{"lint", "a.yaml", "--fix=neutral", "--", "--fix"},
                          Tier::training) == "epwise lint a.yaml --fix=training -- --fix");
  CHECK(command_with_tier(Texts{"lint", "it's"}, Tier::training) ==
        "epwise lint 'it'\\''s' --fix=training");
}

// A diff begins like a section of a scenario, so it can't stand in one.
TEST_CASE("--diff shows the change, makes none and exits 1") {
  epwise::support::AppRun app;
  app.files.put("a.yaml",
                "train:\n  global_batch_size: 100  # tokens\n  micro_batch_size: 1\nmodel: "
                "{num_layers: 4}\n");
  CHECK(app.run(
            {"lint", "a.yaml", "--gpus", "16", "--select", "batch/", "--fix=training", "--diff"}) ==
        1);
  CHECK(
      app.out ==
      "--- a/a.yaml\n+++ b/a.yaml\n@@ -1,4 +1,4 @@\n train:\n-  global_batch_size: 100  # tokens\n"
      "+  global_batch_size: 96  # tokens\n   micro_batch_size: 1\n model: {num_layers: 4}\n");
  CHECK(app.err ==
        "epwise: a.yaml: 1 change would be made\n"
        "  train.global_batch_size: 100 → 96 (training, batch/indivisible)\n");
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

namespace {

/// Somebody presses Ctrl-C while the first file is written.
class InterruptedFiles : public epwise::support::MemoryFiles {
 public:
  explicit InterruptedFiles(epwise::cli::Interruption& interruption)
      : interruption_(interruption) {}

  void write_atomically(const std::string& path, const std::string& content) override {
    CHECK(interruption_.awaited);
    interruption_.wanted = true;
    MemoryFiles::write_atomically(path, content);
  }

 private:
  epwise::cli::Interruption& interruption_;
};

constexpr const char* kUneven =
    "train:\n  global_batch_size: 100\n  micro_batch_size: 1\nmodel: {num_layers: 4}\n";

}  // namespace

TEST_CASE("Ctrl-C ends a run between two files, and it says what it did") {
  epwise::cli::Interruption interruption;
  InterruptedFiles files(interruption);
  files.put("a.yaml", kUneven);
  files.put("b.yaml", kUneven);
  World world;
  epwise::cli::App app(
      {world.in, world.out, world.err, files, world.variables, {}, world.devices, &interruption});
  CHECK(app.run({"lint", ".", "--gpus", "16", "--select", "batch/", "--fix=training"}) == 130);
  CHECK(files.writes.size() == 1);
  CHECK(files.read("b.yaml") == kUneven);
  CHECK(world.err.str().find("interrupted: 1 file changed, the others are unchanged") !=
        std::string::npos);
  CHECK(world.out.str().empty());
  CHECK_FALSE(interruption.awaited);
}

TEST_CASE("Ctrl-C before anything is written changes nothing; without --fix nobody waits for it") {
  epwise::support::AppRun app;
  epwise::cli::Interruption interruption;
  interruption.wanted = true;
  app.interruption = &interruption;
  app.files.put("a.yaml", kUneven);
  CHECK(app.run({"lint", "a.yaml", "--gpus", "16", "--fix=training"}) == 130);
  CHECK(app.files.writes.empty());
  CHECK(app.err == "epwise: interrupted: nothing changed\n");
  CHECK(app.run({"lint", "a.yaml", "--gpus", "16", "--select", "batch/", "-f", "concise"}) == 1);
}

TEST_CASE("errors without a fix are counted and named, in every format and with the right code") {
  epwise::support::AppRun app;
  const std::string recipe = "model:\n  num_layers: 4\n  hidden_size: null\n";
  app.files.put("a.yaml", recipe);
  const std::vector<std::string> line{
      "lint", "a.yaml", "--gpus", "8", "--select", "shape/no-width", "--fix=training"};
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = line;
    words.insert(words.end(), more.begin(), more.end());
    return app.run(words);
  };
  const std::string left = "1 error that no tier fixes: ";
  CHECK(run({"-f", "concise"}) == 1);
  CHECK(app.err.find("a.yaml: " + left) != std::string::npos);
  CHECK(run({"-f", "full"}) == 1);
  CHECK(app.out.find("left: " + left) != std::string::npos);
  CHECK(app.err.find(left) == std::string::npos);
  CHECK(run({"--diff"}) == 1);
  CHECK(app.out.empty());
  CHECK(app.err.find(left) != std::string::npos);
  CHECK(run({"-f", "json"}) == 1);
  CHECK(app.out.find(R"("errors_left":[{"rule":"shape/no-width")") != std::string::npos);
  CHECK(app.out.find(R"("tier":null}])") != std::string::npos);
}

TEST_CASE("an option of epwise behind -- is pointed out") {
  epwise::support::AppRun app;
  app.run({"lint", "--gpus", "8", "--", "--num-layers", "4", "--format", "json", "--help"});
  CHECK(app.err.find("epwise: --format comes after `--`") != std::string::npos);
  CHECK(app.err.find("--help comes") == std::string::npos);
  app.run({"lint", "--gpus", "8", "--", "--num-layers", "4"});
  CHECK(app.err.find("comes after") == std::string::npos);
}
