#include <map>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include "support/app_run.h"

namespace epwise::cli {
namespace {

constexpr const char* kGood =
    "model: {num_layers: 4, tensor_model_parallel_size: 4}\n"
    "train: {global_batch_size: 16, micro_batch_size: 4}\n";
constexpr const char* kBad =
    "model: {num_layers: 4, tensor_model_parallel_size: 4}\n"
    "train: {global_batch_size: 10, micro_batch_size: 4}\n";

/// A checkout at "/": what git says of a revision `main`.
class Checkout : public os::Programs {
 public:
  std::map<std::string, std::string> main;  // files of the revision
  std::vector<std::string> differ;

  std::optional<std::string> output(const std::vector<std::string>& words) const override {
    const std::string line = fmt::format("{}", fmt::join(words, " "));
    const std::string name = words.back().substr(words.back().find(':') + 1);
    if (line == "git rev-parse --show-toplevel") {
      return "/\n";
    }
    if (line == "git rev-parse --verify --quiet main^{commit}") {
      return "1\n";
    }
    if (line.starts_with("git ls-files")) {
      return "";
    }
    if (line.starts_with("git diff")) {
      std::string names;
      for (const std::string& each : differ) {
        names += each + '\0';
      }
      return names;
    }
    if (line.starts_with("git ls-tree")) {
      return main.contains(name) ? name + '\0' : "";
    }
    const auto found = main.find(name);
    return found == main.end() || !line.starts_with("git cat-file") ? std::nullopt
                                                                    : std::optional(found->second);
  }
};

support::AppRun diff(const std::map<std::string, std::string>& files,
                     const Checkout& git,
                     std::vector<std::string> more = {}) {
  support::AppRun run;
  for (const auto& [name, content] : files) {
    run.files.put(name, content);
  }
  run.programs = &git;
  std::vector<std::string> words = {"diff", "main", "--gpus", "8", "--select", "batch/"};
  words.insert(words.end(), more.begin(), more.end());
  run.run(words);
  return run;
}

TEST_CASE("findings of an added recipe are introduced") {
  Checkout git;
  git.differ = {"new.yaml"};
  const auto bad = diff({{"new.yaml", kBad}}, git);
  CHECK(bad.code == 1);
  CHECK(bad.out.find("new.yaml: added\n") != std::string::npos);
  CHECK(bad.out.find("new.yaml would not start: batch/indivisible") != std::string::npos);
  CHECK(bad.out.find("introduced: error[batch/indivisible]") != std::string::npos);
  CHECK(diff({{"new.yaml", kGood}}, git).code == 0);
  CHECK(diff({{"new.yaml", kBad}}, git, {"-f", "json"}).out.find("\"introduced\"") !=
        std::string::npos);
}

TEST_CASE("what is no recipe is left aside, and keeps no recipe from being compared") {
  Checkout git;
  git.main = {{"a.yaml", kGood}, {"compose.yaml", "services: {}\n"}};
  git.differ = {".epwise.yaml", "a.yaml", "compose.yaml", "known.yaml"};
  const auto run = diff({{"a.yaml", kBad},
                         {"compose.yaml", "services: {web: {}}\n"},
                         {".epwise.yaml", "gpus: 8\n"},
                         {"known.yaml", "version: 1\nreason: x\nfindings: []\n"}},
                        git);
  CHECK(run.code == 1);
  CHECK(run.out.find("train.global_batch_size") != std::string::npos);
  CHECK(run.out.find("known.yaml") == std::string::npos);
  CHECK(run.err.find("skipped, not a recipe: .epwise.yaml, compose.yaml, known.yaml") !=
        std::string::npos);
}

TEST_CASE("a removed recipe that a script still names is an error") {
  Checkout git;
  git.main = {{"gone.yaml", kGood}};
  git.differ = {"gone.yaml"};
  CHECK(diff({{"other.yaml", kGood}}, git).code == 0);
  const auto run = diff(
      {{"run.sh", "torchrun --nproc-per-node 8 run_recipe.py --config-file gone.yaml\n"}}, git);
  CHECK(run.code == 1);
  CHECK(run.out.find("gone.yaml is still referred to by run.sh") != std::string::npos);
}

TEST_CASE("nothing is predicted of a recipe that would not start") {
  Checkout git;
  git.main = {{"a.yaml", kGood}};
  git.differ = {"a.yaml"};
  const auto text = diff({{"a.yaml", kBad}}, git).out;
  CHECK(text.find("a.yaml would not start: batch/indivisible (PAR019)") != std::string::npos);
  CHECK(text.find("step") == text.find("step time is predicted for a recipe that does not run"));
  const auto json = diff({{"a.yaml", kBad}}, git, {"-f", "json"}).out;
  CHECK(json.find("\"after\": \"would not start: batch/indivisible") != std::string::npos);
  CHECK(json.find("\"predicted\": null") != std::string::npos);
  const auto markdown = diff({{"a.yaml", kBad}}, git, {"-f", "markdown"}).out;
  CHECK(markdown.find("* a.yaml would not start: batch/indivisible") != std::string::npos);
}

}  // namespace
}  // namespace epwise::cli
