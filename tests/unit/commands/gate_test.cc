#include <map>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include "base/text/sha256.h"
#include "support/app_run.h"

namespace epwise::cli {
namespace {

constexpr const char* kGoodRecipe =
    "model: {num_layers: 4, tensor_model_parallel_size: 4}\n"
    "train: {global_batch_size: 16, micro_batch_size: 4}\n";
constexpr const char* kBadRecipe =
    "model: {num_layers: 4, tensor_model_parallel_size: 4}\n"
    "train: {global_batch_size: 10, micro_batch_size: 4}\n";

constexpr const char* kRoot = "git rev-parse --show-toplevel";

/// Answers by command line.
class GivenPrograms : public os::Programs {
 public:
  std::map<std::string, std::string> answers;

  std::optional<std::string> output(const std::vector<std::string>& words) const override {
    const auto found = answers.find(fmt::format("{}", fmt::join(words, " ")));
    return found == answers.end() ? std::nullopt : std::optional(found->second);
  }
};

support::AppRun gate(const std::map<std::string, std::string>& files,
                     std::vector<std::string> more,
                     const os::Programs* programs = nullptr) {
  support::AppRun run;
  for (const auto& [name, content] : files) {
    run.files.put(name, content);
  }
  run.programs = programs;
  std::vector<std::string> words = {"gate", "--gpus", "8", "-f", "concise"};
  words.insert(words.end(), more.begin(), more.end());
  run.run(words);
  return run;
}

TEST_CASE("a gate finds recipes by what they hold") {
  CHECK(gate({{"a.yaml", kGoodRecipe}, {"compose.yaml", "services: {}\n"}}, {}).code == 0);
  const auto bad = gate({{"a.yaml", kGoodRecipe}, {"deep/er/b.yaml", kBadRecipe}}, {});
  CHECK(bad.code == 1);
  CHECK(bad.out.find("deep/er/b.yaml:2:") != std::string::npos);
  CHECK(gate({{"compose.yaml", "services: {}\n"}}, {}).code == 4);
  CHECK(gate({}, {}).code == 4);
  CHECK(gate({{"a.yaml", kGoodRecipe}}, {"b.yaml"}).code == 3);
  CHECK(gate({{"run.sh",
               "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 2 --hidden-size 64 "
               "--tensor-model-parallel-size 3\n"}},
             {})
            .code == 1);
}

TEST_CASE("a gate looks at what changed") {
  GivenPrograms git;
  const std::string verify = "git rev-parse --verify --quiet main^{commit}";
  const std::string others = "git ls-files --others --exclude-standard --full-name -z :/";
  const std::string diff = "git diff --name-only -z --no-relative --no-renames main --";
  git.answers = {
      {verify, "1\n"}, {kRoot, "/\n"}, {others, ""}, {diff, std::string("good.yaml\0", 10)}};
  const std::map<std::string, std::string> files = {{"good.yaml", kGoodRecipe},
                                                    {"bad.yaml", kBadRecipe}};
  CHECK(gate(files, {"--since", "main"}, &git).code == 0);
  git.answers[others] = std::string("bad.yaml\0", 9);
  CHECK(gate(files, {"--since", "main"}, &git).code == 1);
  for (const std::string path : {"./bad.yaml", "/bad.yaml", "/"}) {
    CAPTURE(path);
    CHECK(gate(files, {path, "--since", "main"}, &git).code == 1);
  }
  git.answers[others] = "";
  git.answers[diff] = std::string("readme.md\0", 10);
  CHECK(gate(files, {"--since", "main"}, &git).code == 0);
  CHECK(gate(files, {"--since", "nowhere"}, &git).code == 2);
  CHECK(gate(files, {"--since", "main"}).code == 2);
  CHECK(gate(files, {"--since", "main", "--staged"}, &git).code == 2);
}

TEST_CASE("a gate looks at what reads a file that changed") {
  GivenPrograms git;
  const std::string diff = "git diff --name-only -z --no-relative --no-renames main --";
  git.answers = {{"git rev-parse --verify --quiet main^{commit}", "1\n"},
                 {kRoot, "/\n"},
                 {"git ls-files --others --exclude-standard --full-name -z :/", ""},
                 {diff, std::string("r/base.yaml\0", 12)}};
  std::map<std::string, std::string> files = {
      {"r/base.yaml", kGoodRecipe},
      {"s/bad.yaml", kBadRecipe},
      {"s/other.yaml", "# no database.yaml\n" + std::string(kBadRecipe)}};
  CHECK(gate(files, {"--since", "main"}, &git).code == 0);
  files["s/bad.yaml"] = "# epwise: --base ../r/base.yaml\n" + std::string(kBadRecipe);
  auto run = gate(files, {"--since", "main"}, &git);
  CHECK(run.code == 1);
  CHECK(run.out.find("s/bad.yaml") != std::string::npos);
  CHECK(run.out.find("s/other.yaml") == std::string::npos);
  files["s/bad.yaml"] = kBadRecipe;
  files[".epwise.yaml"] = "base: r/base.yaml\n";
  CHECK(gate(files, {"--since", "main"}, &git).code == 1);
  git.answers[diff] = std::string("s/.epwise.yaml\0", 15);  // gone, too
  files.erase(".epwise.yaml");
  CHECK(gate(files, {"--since", "main"}, &git).code == 1);
  CHECK(gate(files, {"r", "--since", "main"}, &git).code == 0);
}

TEST_CASE("what is staged counts as it is staged") {
  GivenPrograms git;
  git.answers = {{kRoot, "/\n"},
                 {"git diff --cached --name-only -z --no-relative --no-renames --",
                  std::string("a.yaml\0", 7)},
                 {"git cat-file blob :a.yaml", kBadRecipe}};
  CHECK(gate({{"a.yaml", kGoodRecipe}}, {"--staged"}, &git).code == 1);
  CHECK(gate({{"a.yaml", kGoodRecipe}}, {"./a.yaml", "--staged"}, &git).code == 1);
  CHECK(gate({{"x/b.yaml", kGoodRecipe}}, {"--staged"}, &git).code == 1);  // gone from the disk
  CHECK(gate({{"x/b.yaml", kGoodRecipe}}, {"x", "--staged"}, &git).code == 0);
  git.answers["git cat-file blob :a.yaml"] = kGoodRecipe;
  CHECK(gate({{"a.yaml", kBadRecipe}}, {"--staged"}, &git).code == 0);
}

TEST_CASE("severity and a baseline stand in the configuration") {
  const auto with = [](const std::string& configuration) {
    return gate({{"a.yaml", kBadRecipe}, {".epwise.yaml", configuration}}, {});
  };
  CHECK(with("gpus: 8\n").code == 1);
  const auto milder = with("severity: {batch/: warning}\n");
  CHECK(milder.code == 0);
  CHECK(milder.out.find("warning[batch/indivisible]") != std::string::npos);
  CHECK(with("severity: {batch/: warning, batch/indivisible: error}\n").code == 1);
  CHECK(with("severity: {batch/: note}\nfail_on: note\n").code == 1);
  CHECK(with("severity: {bacth/: note}\n").code == 2);
  CHECK(with("severity: {batch/: off}\n").code == 2);
  CHECK(with("baseline: known.yaml\n").code == 2);

  support::AppRun run;
  run.files.put("r/a.yaml", kBadRecipe);
  run.files.put("r/.epwise.yaml", "gpus: 8\nbaseline: known.yaml\n");
  CHECK(run.run({"gate", "r"}) == 2);
  CHECK(run.run({"baseline", "write", "r/known.yaml", "r/a.yaml", "--reason", "old"}) == 0);
  CHECK(run.run({"gate", "r"}) == 0);
  CHECK(run.run({"lint", "r/a.yaml"}) == 0);
  CHECK(run.run({"gate", "r", "--baseline", "none"}) == 1);
  run.files.put("r/a.yaml", kGoodRecipe);
  CHECK(run.run({"gate", "r"}) == 1);  // it has to shrink
  CHECK(run.run({"baseline", "prune", "r/known.yaml", "r"}) == 0);
  CHECK(run.run({"gate", "r"}) == 0);
}

TEST_CASE("-q leaves notes out of text, unless they count") {
  const std::string bad =
      "model: {num_layers: 4, num_moe_experts: 8, expert_model_parallel_size: 2}\n"
      "train: {global_batch_size: 10, micro_batch_size: 4}\n";
  const std::map<std::string, std::string> files = {{"a.yaml", bad}};
  const auto loud = gate(files, {});
  const auto still = gate(files, {"-q"});
  CHECK(loud.out.find("note[") != std::string::npos);
  CHECK(still.out.find("note[") == std::string::npos);
  CHECK(still.out.find("error[batch/indivisible]") != std::string::npos);
  CHECK(still.code == loud.code);
  CHECK(gate(files, {"-q", "--fail-on", "note"}).out.find("note[") != std::string::npos);
  support::AppRun run;
  run.files.put("a.yaml", bad);
  CHECK(run.run({"gate", "a.yaml", "--gpus", "8", "-q", "-f", "json"}) == 1);
  CHECK(run.out.find("\"note\"") != std::string::npos);
}

TEST_CASE("a report by a template") {
  const auto told = gate({{"a.yaml", kBadRecipe}},
                         {"-f",
                          "template={{#findings}}{{{path}}}:{{line}}:{{rule}}\\n{{/findings}}",
                          "--select",
                          "batch/indivisible"});
  CHECK(told.code == 2);  // concise goes to standard output, too
  support::AppRun run;
  run.files.put("a.yaml", kBadRecipe);
  run.files.put("t.mustache", "{{#files}}{{path}} {{verdict}}\n{{/files}}");
  const std::vector<std::string> lint{
      "lint", "a.yaml", "--gpus", "8", "--select", "batch/indivisible", "-f"};
  const auto with = [&](const std::string& format) {
    std::vector<std::string> words = lint;
    words.push_back(format);
    return run.run(words);
  };
  CHECK(with("template={{#findings}}{{{path}}}:{{line}}:{{rule}}\\n{{/findings}}") == 1);
  CHECK(run.out == "a.yaml:2:batch/indivisible\n");
  CHECK(with("template=t.mustache") == 1);
  CHECK(run.out.starts_with("a.yaml would not start"));
  CHECK(with("template={{#findings}}") == 2);
  CHECK(with("template={{mesage}}") == 2);
  CHECK(run.err.find("did you mean `message`") != std::string::npos);
  CHECK(with("template=none.mustache") == 2);
  CHECK(with("template") == 2);
}

TEST_CASE("a baseline shrinks for files that are gone, too") {
  const std::map<std::string, std::string> files = {
      {"a.yaml", kGoodRecipe},
      {"known.yaml",
       "version: 1\nreason: x\nfindings:\n  - {file: b.yaml, rule: batch/indivisible, "
       "fingerprint: \"1:1\"}\n"}};
  const auto run = gate(files, {"a.yaml", "--baseline", "known.yaml"});
  CHECK(run.code == 1);
  CHECK(run.err.find("1 finding of known.yaml resolved") != std::string::npos);
  auto there = files;
  there["b.yaml"] = kBadRecipe;
  CHECK(gate(there, {"a.yaml", "--baseline", "known.yaml"}).code == 0);
}

TEST_CASE("a renamed recipe is held against what it was") {
  const std::string recipe =
      "model:\n"
      "  num_layers: 24\n"
      "  hidden_size: 2048\n"
      "  num_attention_heads: 32\n"
      "  num_query_groups: 4\n"
      "  kv_channels: 128\n"
      "  num_moe_experts: 64\n"
      "  moe_router_topk: 6\n"
      "  moe_ffn_hidden_size: 1024\n"
      "  ffn_hidden_size: 6144\n"
      "  vocab_size: 100352\n"
      "  gated_linear_unit: true\n"
      "  seq_length: 4096\n"
      "  bf16: true\n"
      "  expert_model_parallel_size: 8\n"
      "  moe_token_dispatcher_type: alltoall\n"
      "  moe_router_force_load_balancing: true\n"
      "mixed_precision: bf16_mixed\n"
      "train: {global_batch_size: 256, micro_batch_size: 1}\n"
      "ddp: {use_distributed_optimizer: true}\n";
  std::string larger = recipe;
  larger.replace(larger.find("hidden_size: 2048"),
                 17,
                 "hidden_size: 4096\n  recompute_granularity: full\n  recompute_method: uniform\n"
                 "  recompute_num_layers: 1");
  GivenPrograms git;
  git.answers = {{"git rev-parse --verify --quiet main^{commit}", "1\n"},
                 {kRoot, "/\n"},
                 {"git ls-tree -z --full-tree --name-only main -- new.yaml", ""},
                 {"git ls-tree -z --full-tree --name-only main -- old.yaml", "old.yaml"},
                 {"git cat-file blob main:old.yaml", recipe},
                 {"git diff --name-status -z --no-relative -M --diff-filter=R main --", ""}};
  const std::vector<std::string> words = {
      "--hw", "h100", "--max-regression", "2%", "--against", "main"};
  const auto fresh = gate({{"new.yaml", larger}}, words, &git);
  CHECK(fresh.code == 0);
  CHECK(fresh.out.find("main has no such file") != std::string::npos);
  git.answers["git diff --name-status -z --no-relative -M --diff-filter=R main --"] =
      std::string("R087\0old.yaml\0new.yaml\0", 23);
  CHECK(gate({{"new.yaml", larger}}, words, &git).code == 1);
  CHECK(gate({{"new.yaml", recipe}}, words, &git).code == 0);
}

TEST_CASE("git's own words reach the user") {
  GivenPrograms git;
  const std::string why =
      "sh -c LC_ALL=C git rev-parse --show-toplevel 2>&1 >/dev/null | head -n 1";
  git.answers = {{why, "fatal: detected dubious ownership in repository at '/w'\n"}};
  auto run = gate({{"a.yaml", kGoodRecipe}}, {"--since", "main"}, &git);
  CHECK(run.code == 2);
  CHECK(run.err.find("dubious ownership") != std::string::npos);
  CHECK(run.err.find("safe.directory") != std::string::npos);
  git.answers = {{"git rev-parse --git-dir", ".git\n"},
                 {"git rev-parse --is-shallow-repository", "true\n"}};
  run = gate({{"a.yaml", kGoodRecipe}}, {"--since", "main"}, &git);
  CHECK(run.code == 2);
  CHECK(run.err.find("fetch-depth: 0") != std::string::npos);
}

TEST_CASE("budgets that are no budgets") {
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--max-exposed-comm", "8"},
                                             {"--max-exposed-comm", "much"},
                                             {"--max-exposed-comm=-1%"},
                                             {"--min-headroom", "6"},
                                             {"--min-headroom", "6 s"},
                                             {"--max-regression", "2%"},
                                             {"--against", "main"}}) {
    CAPTURE(wrong.front());
    CHECK(gate({{"a.yaml", kGoodRecipe}}, wrong).code == 2);
  }
}

TEST_CASE("a budget that can't be told fails with --strict alone") {
  const auto told = gate({{"a.yaml", kGoodRecipe}}, {"--min-headroom", "6GiB"});
  CHECK(told.code == 0);
  CHECK(told.out.find("no prediction: ") != std::string::npos);
  CHECK(gate({{"a.yaml", kGoodRecipe}}, {"--min-headroom", "6GiB", "--strict"}).code == 1);
}

TEST_CASE("a receipt holds as long as nothing changes") {
  auto run =
      gate({{"a.yaml", kGoodRecipe}, {"b.yaml", kGoodRecipe}}, {"--receipt", "receipt.json"});
  REQUIRE(run.code == 0);
  const std::string receipt = run.files.read("receipt.json");
  CHECK(receipt.find("\"model.tensor_model_parallel_size\":\"4\"") != std::string::npos);
  CHECK(run.run({"gate", "--verify-receipt", "receipt.json"}) == 0);
  CHECK(run.run({"gate", "a.yaml", "--verify-receipt", "receipt.json"}) == 2);
  CHECK(run.run({"gate", "--verify-receipt", "none.json"}) == 3);

  run.files.put("b.yaml", std::string(kGoodRecipe) + "# more\n");
  CHECK(run.run({"gate", "--verify-receipt", "receipt.json"}) == 1);
  CHECK(run.err.find("b.yaml has changed since") != std::string::npos);
  run.files.put("b.yaml", kGoodRecipe);

  for (const auto& damage : std::vector<std::pair<std::string, std::string>>{
           {"\"exit_code\":0", "\"exit_code\":1"}, {"a.yaml", "b.yaml"}, {"}\n", "} \n"}}) {
    std::string changed = receipt;
    changed.replace(changed.find(damage.first), damage.first.size(), damage.second);
    run.files.put("changed.json", changed);
    CAPTURE(damage.first);
    CHECK(run.run({"gate", "--verify-receipt", "changed.json"}) == 3);
  }
}

TEST_CASE("a receipt of a directory covers the files that it had") {
  auto run = gate({{"jobs/a.yaml", kGoodRecipe}, {"jobs/notes.yaml", "words: 1\n"}},
                  {"jobs", "--receipt", "receipt.json"});
  REQUIRE(run.code == 0);
  CHECK(run.run({"gate", "--verify-receipt", "receipt.json"}) == 0);
  run.files.write_atomically("jobs/notes.yaml", "words: 2\n");
  CHECK(run.run({"gate", "--verify-receipt", "receipt.json"}) == 0);
  run.files.write_atomically("jobs/notes.yaml", kBadRecipe);
  CHECK(run.run({"gate", "--verify-receipt", "receipt.json"}) == 1);
  CHECK(run.err.find("jobs/notes.yaml was not a recipe and is one now") != std::string::npos);
  run.files.write_atomically("jobs/notes.yaml", "words: 1\n");
  run.files.write_atomically("jobs/more/b.yaml", kGoodRecipe);
  CHECK(run.run({"gate", "--verify-receipt", "receipt.json"}) == 1);
  CHECK(run.err.find("jobs/more/b.yaml was added since") != std::string::npos);
}

TEST_CASE("a sealed text that is no receipt is refused, whatever it holds") {
  auto run = gate({{"a.yaml", kGoodRecipe}}, {"--receipt", "receipt.json"});
  REQUIRE(run.code == 0);
  const std::string start = R"({"schema":"epwise.receipt/1","tool":"x","rules":"y",)";
  for (const auto& sealed : std::vector<std::pair<std::string, int>>{
           {R"({"schema":"epwise.receipt/1")", 3},
           {R"({"schema":["epwise.receipt/1"])", 3},
           {R"([)", 3},
           {start + R"("exit_code":"0","files":[])", 3},
           {start + R"("exit_code":0,"files":{"path":"a.yaml"})", 3},
           {start + R"("exit_code":0,"files":["a.yaml",null,{"path":1}])", 1},
           {start + R"("exit_code":0,"files":[],"recipes":[[[[)", 3}}) {
    const std::string& text = sealed.first;
    CAPTURE(text);
    run.files.put("made.json", text + ",\n\"seal\":\"" + text::sha256(text) + "\"}\n");
    CHECK(run.run({"gate", "--verify-receipt", "made.json"}) == sealed.second);
  }
}

TEST_CASE("the receipt of a gate that failed says so") {
  auto run = gate({{"a.yaml", kBadRecipe}}, {"--receipt", "receipt.json"});
  CHECK(run.code == 1);
  CHECK(run.run({"gate", "--verify-receipt", "receipt.json"}) == 1);
  CHECK(run.err.find("did not pass") != std::string::npos);
}

}  // namespace
}  // namespace epwise::cli
