#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/app_run.h"

namespace epwise::cli {
namespace {

constexpr const char* kBroken =
    "model: {num_layers: 4, tensor_model_parallel_size: 4}\n"
    "train: {global_batch_size: 10, micro_batch_size: 4}\n";

std::string with_comment(const std::string& comment) {
  return "model: {num_layers: 4, tensor_model_parallel_size: 4}\n# epwise: " + comment +
         "\ntrain: {global_batch_size: 10, micro_batch_size: 4}\n";
}

support::AppRun lint(const std::string& recipe, std::vector<std::string> more = {}) {
  support::AppRun run;
  run.files.put("a.yaml", recipe);
  run.variables["EPWISE_TODAY"] = "2026-11-22";
  std::vector<std::string> words = {"lint", "a.yaml", "--gpus", "8", "-f", "concise"};
  words.insert(words.end(), {"--select", "batch/indivisible", "--select", "suppression/"});
  words.insert(words.end(), {"--select", "yaml/", "--select", "recipe/"});
  words.insert(words.end(), more.begin(), more.end());
  run.run(words);
  return run;
}

TEST_CASE("what a comment can and can't make green") {
  struct Case {
    const char* what;
    std::string recipe;
    std::vector<std::string> more;
    int code;
  };

  const std::string good = "ignore[batch/indivisible]: the data set ends there";
  const std::vector<Case> cases = {
      {"no comment", kBroken, {}, 1},
      {"a comment", with_comment(good), {}, 0},
      {"by its code", with_comment("ignore[PAR019]: x"), {}, 0},
      {"--no-ignores", with_comment(good), {"--no-ignores"}, 1},
      {"no reason", with_comment("ignore[batch/indivisible]"), {}, 1},
      {"no rule", with_comment("ignore: everything"), {}, 1},
      {"another rule", with_comment("ignore[batch/micro-batch]: x"), {}, 1},
      {"an unknown rule", with_comment("ignore[batch/indivisibel]: x"), {}, 1},
      {"the day is to come", with_comment("ignore[batch/indivisible] until 2026-11-22: x"), {}, 0},
      {"the day has passed", with_comment("ignore[batch/indivisible] until 2026-11-21: x"), {}, 1},
      {"the condition holds",
       with_comment("ignore[batch/indivisible] while te < 2.8: x"),
       {"--stack", "te=2.7.0"},
       0},
      {"the condition does not hold",
       with_comment("ignore[batch/indivisible] while te < 2.8: x"),
       {"--stack", "te=2.8.0"},
       1},
      {"the condition is open", with_comment("ignore[batch/indivisible] while te < 2.8: x"), {}, 1},
      {"a mistyped condition",
       with_comment("ignore[batch/indivisible] while tea < 2.8: x"),
       {"--stack", "te=2.7.0"},
       1},
      {"another place",
       "# epwise: ignore[batch/indivisible]: x\nlogger: {log_interval: 1}\n" + std::string(kBroken),
       {},
       1},
      {"the whole file",
       "# epwise: ignore-file[batch/indivisible]: x\n" + std::string(kBroken),
       {},
       0},
      {"a file that can't be read",
       "# epwise: ignore-file[yaml/syntax]: x\nmodel: {num_layers: 4, tensor_model_parallel_size: "
       "4\n",
       {},
       1},
      {"a file that is no recipe", "# epwise: ignore-file[recipe/unrecognized]: x\na: 1\n", {}, 1},
      {"a text is no comment",
       "logger:\n  wandb_exp_name: |\n    # epwise: ignore-file[batch/indivisible]: x\n" +
           std::string(kBroken),
       {},
       1},
      {"an unused comment is a warning",
       "# epwise: ignore-file[batch/indivisible]: x\nmodel: {num_layers: 4, "
       "tensor_model_parallel_size: 4}\n"
       "train: {global_batch_size: 8, micro_batch_size: 4}\n",
       {},
       0},
      {"and fails where warnings do",
       "# epwise: ignore-file[batch/indivisible]: x\nmodel: {num_layers: 4, "
       "tensor_model_parallel_size: 4}\n"
       "train: {global_batch_size: 8, micro_batch_size: 4}\n",
       {"--fail-on", "warning"},
       1},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    const auto run = lint(one.recipe, one.more);
    CAPTURE(run.out);
    CAPTURE(run.err);
    CHECK(run.code == one.code);
  }
}

TEST_CASE("--fix takes out comments that accept nothing") {
  support::AppRun run;
  run.files.put("a.yaml",
                "model: {num_layers: 4, tensor_model_parallel_size: 4}\n"
                "# epwise: ignore[batch/indivisible]: gone by now\n"
                "train: {global_batch_size: 8, micro_batch_size: 4}  # kept\n");
  run.run({"lint", "a.yaml", "--gpus", "8", "--fix", "-q"});
  CHECK(run.files.read("a.yaml") ==
        "model: {num_layers: 4, tensor_model_parallel_size: 4}\n"
        "train: {global_batch_size: 8, micro_batch_size: 4}  # kept\n");
}

std::string baseline_of(const std::string& recipe) {
  support::AppRun run;
  run.files.put("a.yaml", recipe);
  run.run({"baseline", "write", "known.yaml", "a.yaml", "--gpus", "8", "--reason", "before"});
  CAPTURE(run.err);
  CHECK(run.code == 0);
  return run.files.read("known.yaml");
}

TEST_CASE("what a baseline can and can't make green") {
  struct Case {
    const char* what;
    std::string baseline;
    std::string recipe;
    int code;
  };

  const std::string known = baseline_of(kBroken);
  std::string moved = kBroken;
  moved.insert(0, "logger: {log_interval: 1}\n\n");
  std::string other = kBroken;
  other.replace(other.find("10"), 2, "11");
  const std::vector<Case> cases = {
      {"known", known, kBroken, 0},
      {"the same in another line", known, moved, 0},
      {"another value is a new finding", known, other, 1},
      {"an empty baseline", "version: 1\nfindings: []\n", kBroken, 1},
      {"no baseline at all", "a: b\n", kBroken, 2},
      {"another version", "version: 2\nfindings: []\n", kBroken, 2},
      {"cut short", known.substr(0, known.size() / 2), kBroken, 2},
      {"a file that can't be read", known, "model: {a: 1\n", 1},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    support::AppRun run;
    run.files.put("known.yaml", one.baseline);
    run.files.put("a.yaml", one.recipe);
    run.run({"lint", "a.yaml", "--gpus", "8", "--baseline", "known.yaml"});
    CAPTURE(run.out);
    CAPTURE(run.err);
    CHECK(run.code == one.code);
  }
  support::AppRun missing;
  missing.files.put("a.yaml", kBroken);
  CHECK(missing.run({"lint", "a.yaml", "--gpus", "8", "--baseline", "known.yaml"}) == 2);
  missing.files.put("known.yaml", known);
  CHECK(missing.run({"lint", "b.yaml", "--gpus", "8", "--baseline", "known.yaml"}) == 3);
}

TEST_CASE("a baseline only shrinks") {
  support::AppRun run;
  run.files.put("known.yaml", baseline_of(kBroken));
  const std::string before = run.files.read("known.yaml");
  run.files.put("a.yaml", kBroken);
  CHECK(run.run({"baseline", "write", "known.yaml", "a.yaml", "--reason", "x"}) == 2);
  CHECK(run.run({"baseline", "prune", "known.yaml", "a.yaml", "--gpus", "8"}) == 0);
  CHECK(run.files.read("known.yaml") == before);
  std::string good = kBroken;
  good.replace(good.find("10"), 2, "16");
  run.files.put("a.yaml", good);
  CHECK(run.run({"gate", "a.yaml", "--gpus", "8", "--baseline", "known.yaml"}) == 1);
  CHECK(run.run({"baseline", "prune", "known.yaml", "a.yaml", "--gpus", "16"}) == 0);
  CHECK(run.files.read("known.yaml") == before);  // not seen on 8 GPUs
  CHECK(run.err.find("1 on targets that were not checked") != std::string::npos);
  CHECK(run.run({"baseline", "prune", "known.yaml", "a.yaml", "--gpus", "8"}) == 0);
  CHECK(run.files.read("known.yaml").find("batch/indivisible") == std::string::npos);
  CHECK(run.run({"gate", "a.yaml", "--gpus", "8", "--baseline", "known.yaml"}) == 0);
  run.files.put("a.yaml", "model: {a\n");
  const std::string pruned = run.files.read("known.yaml");
  CHECK(run.run({"baseline", "prune", "known.yaml", "b.yaml", "--gpus", "8"}) == 3);
  CHECK(run.files.read("known.yaml") == pruned);
}

}  // namespace
}  // namespace epwise::cli
