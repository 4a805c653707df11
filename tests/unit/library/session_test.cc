// epwise.h: every method against recipes of examples/, by its typed results.

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "library/epwise.h"

namespace epwise {

namespace {

using Json = nlohmann::ordered_json;

const std::string kSeed = "examples/seeds/q30-ep16-off.yaml";

std::string seed() {
  std::ifstream file(kSeed);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string with_batch(const std::string& batch) {
  std::string text = seed();
  const std::string good = "global_batch_size: 1024";
  return text.replace(text.find(good), good.size(), "global_batch_size: " + batch);
}

Options on_h100() {
  Options options;
  options.hw = "h100";
  options.gpus = 16;
  options.stack = {"bridge=0.6.2", "te=2.14.0", "torch=2.9.1"};
  options.configuration = "none";
  options.today = "2026-11-23";
  return options;
}

Session session() {
  return Session(on_h100());
}

Recipe broken() {
  return Recipe::in_memory(with_batch("1000"), "broken.yaml");
}

const std::string kLog =
    "AssertionError: global batch size (1000) is not divisible by micro batch size (1) times data "
    "parallel size (16)\n";

}  // namespace

namespace {

/// What linting says about memory, with micro-batches of another size and another state of the
/// optimizer.
std::vector<Finding> about_memory(int micro_batch, int gpus, const std::string& input = {}) {
  std::string text = seed();
  const std::string good = "micro_batch_size: 1";
  text.replace(text.find(good), good.size(), "micro_batch_size: " + std::to_string(micro_batch));
  Options options = on_h100();
  options.gpus = gpus;
  if (!input.empty()) {
    options.inputs = {input};
  }
  const LintResult result = Session(options).lint(Recipe::in_memory(text, "recipe.yaml"));
  std::vector<Finding> found = result.findings;
  std::erase_if(found, [](const Finding& finding) { return !finding.rule.starts_with("memory/"); });
  return found;
}

}  // namespace

TEST_CASE("lint predicts memory: certain overflow is an error with changes that fit") {
  CHECK(about_memory(1, 16).empty());
  const std::vector<Finding> found = about_memory(16, 16);
  REQUIRE(found.size() == 1);
  CHECK(found.front().rule == "memory/does-not-fit");
  CHECK(found.front().severity == Severity::error);
  CHECK(found.front().message.find(" GiB that h100 has: ") != std::string::npos);
  CHECK_FALSE(found.front().fixes.empty());
}

TEST_CASE("lint's prediction of memory knows the stated inputs") {
  CHECK(about_memory(1, 16, "optimizer_states=60B").size() == 1);
}

TEST_CASE("lint gives findings with places and fixes") {
  const LintResult result = session().lint(broken());
  CHECK(result.verdict == Verdict::rejects);
  CHECK(result.exit_code == 1);
  CHECK(result.framework == "bridge");
  CHECK(result.framework_version == "0.6.2");
  CHECK(result.target.starts_with("h100 x 16, "));
  CHECK(result.source == with_batch("1000"));
  const auto found = std::ranges::find(result.findings, "PAR019", &Finding::code);
  REQUIRE(found != result.findings.end());
  CHECK(found->rule == "batch/indivisible");
  CHECK(found->severity == Severity::error);
  CHECK(found->path == "broken.yaml");
  CHECK(found->line > 1);
  CHECK(found->pointer == "/train/global_batch_size");
  REQUIRE(!found->fixes.empty());
  CHECK(!found->fixes.front().edits.empty());
  const Json json = Json::parse(result.json);
  CHECK(json["schema"] == "epwise.lint/1");
  CHECK(json["files"][0]["findings"].size() == result.findings.size());
  CHECK(session().lint_text(broken()).find("batch/indivisible") != std::string::npos);
}

TEST_CASE("lint of a file and of words") {
  const LintResult file = session().lint(Recipe::file(kSeed));
  CHECK(file.verdict == Verdict::undecided);
  CHECK(!file.needs.empty());
  CHECK(file.exit_code == 0);
  CHECK(file.readable);
  Recipe overridden = Recipe::file(kSeed);
  overridden.words = {"train.global_batch_size=1000"};
  const Session one = session();
  CHECK(one.lint(overridden).exit_code == 1);
  CHECK(one.lint(Recipe::file(kSeed)).exit_code == 0);
  const LintResult words = one.lint(Recipe::launch({"--num-layers", "4", "--num-experts", "x"}));
  CHECK(words.framework == "mlm");
  CHECK(!words.findings.empty());
  CHECK(words.findings.front().code.size() == 6);
  CHECK(words.source.empty());
}

TEST_CASE("what the user accepts is no finding") {
  std::string text = with_batch("1000  # epwise: ignore[PAR019] until 2026-12-01: padded");
  const LintResult accepted = session().lint(Recipe::in_memory(text));
  REQUIRE(accepted.accepted.size() == 1);
  CHECK(accepted.accepted.front().by == "comment");
  CHECK(accepted.accepted.front().reason == "padded");
  CHECK(accepted.exit_code == 0);
  Options later = on_h100();
  later.today = "2026-12-02";
  CHECK(Session(later).lint(Recipe::in_memory(text)).exit_code == 1);
  Options none = on_h100();
  none.comments = false;
  CHECK(Session(none).lint(Recipe::in_memory(text)).exit_code == 1);
}

TEST_CASE("fix returns the changed text and writes nothing") {
  const FixResult result = session().fix(broken(), Tier::training);
  CHECK(result.changed);
  CHECK(result.text != with_batch("1000"));
  CHECK(result.diff.find("-  global_batch_size: 1000") != std::string::npos);
  CHECK(!result.changes.empty());
  CHECK(result.errors_left.empty());
  CHECK(result.after.verdict == Verdict::undecided);
  CHECK(result.after.exit_code == 0);
  CHECK(session().lint(Recipe::in_memory(result.text)).exit_code == 0);
  const FixResult neutral = session().fix(broken());
  CHECK(neutral.errors_left.size() == 1);
}

TEST_CASE("simulate") {
  const Prediction result = session().simulate(Recipe::file(kSeed));
  REQUIRE(result.step_time_s.has_value());
  CHECK(result.step_time_s->low < result.step_time_s->value);
  CHECK(result.step_time_s->value < result.step_time_s->high);
  double sum = 0;
  for (const Term& term : result.breakdown) {
    sum += term.seconds;
  }
  CHECK(sum == doctest::Approx(result.step_time_s->value));
  CHECK(result.memory.limit_gib.value_or(0) > 70);
  CHECK(Json::parse(result.json)["files"][0]["path"] == kSeed);
  CHECK(result.text.find("step time") != std::string::npos);
  const Prediction refused = session().simulate(broken());
  CHECK(!refused.step_time_s);
  CHECK(refused.lint_errors == 1);
  CHECK(refused.exit_code == 1);
  Options nowhere = on_h100();
  nowhere.hw.clear();
  CHECK(!Session(nowhere).simulate(Recipe::file(kSeed)).missing.empty());
}

TEST_CASE("compare and diff") {
  const Recipe off = Recipe::file(kSeed);
  const Recipe larger = Recipe::in_memory(with_batch("2048"), "larger.yaml");
  const Recipe smaller = Recipe::in_memory(with_batch("16"), "smaller.yaml");
  const Comparison compared = session().compare(smaller, off);
  CHECK(compared.faster == Faster::b);  // by tokens per second: its step takes longer
  CHECK(compared.speedup->value < 4);
  CHECK(!compared.causes.empty());
  CHECK(compared.exit_code == 0);
  const Difference difference = session().diff(off, larger);
  REQUIRE(difference.changed.size() == 1);
  CHECK(difference.changed.front().before == "1024");
  CHECK(difference.changed.front().effect == "training-changing");
  CHECK(difference.step_time_after_s->value > difference.step_time_before_s->value);
  const Difference worse = session().diff(off, broken());
  CHECK(worse.exit_code == 1);
  CHECK(worse.introduced.front().rule == "batch/indivisible");
  CHECK(!worse.stopped_after.empty());
}

TEST_CASE("advise") {
  AdviceOptions how;
  how.may_change = {"overlap"};
  how.top = 1;
  const Advice result = session().advise(Recipe::file(kSeed), how);
  REQUIRE(result.step_time_s.has_value());
  CHECK(!result.wall.empty());
  CHECK(!result.dispatchers.empty());
  for (const Plan& plan : result.plans) {
    CHECK(session().lint(Recipe::in_memory(plan.text)).exit_code == 0);
    CHECK(plan.faster == Faster::b);
  }
  how.goal = "sped";
  CHECK_THROWS_AS(session().advise(Recipe::file(kSeed), how), UsageError);
  how.goal = "memory";
  how.may_change = {"overlp"};
  CHECK_THROWS_AS(session().advise(Recipe::file(kSeed), how), UsageError);
}

TEST_CASE("explain") {
  const LogExplanation alone = session().explain_log(kLog);
  CHECK(alone.known);
  CHECK(alone.crashes.front().suspects.front().code == "PAR019");
  CHECK(!alone.crashes.front().suspects.front().found);
  const LogExplanation with = session().explain_log(kLog, broken(), "slurm.out");
  CHECK(with.crashes.front().suspects.front().found);
  CHECK(Json::parse(with.json)["log"] == "slurm.out");
  CHECK(!session().explain_log("all is well\n").known);
}

TEST_CASE("gate takes files and texts") {
  GateOptions limits;
  limits.max_exposed_comm = "100%";
  const GateResult passed = session().gate({Recipe::file(kSeed)}, limits);
  CHECK(passed.passed);
  REQUIRE(passed.budgets.size() == 1);
  CHECK(passed.budgets.front().state == BudgetState::kept);
  const GateResult failed = session().gate({Recipe::file(kSeed), broken()});
  CHECK(!failed.passed);
  CHECK(failed.exit_code == 1);
  CHECK(failed.files == 2);
  CHECK(!failed.findings.empty());
  CHECK(session().gate({Recipe::file("examples/none")}).exit_code == 3);
  limits.max_exposed_comm = "much";
  CHECK_THROWS_AS(session().gate({Recipe::file(kSeed)}, limits), UsageError);
  CHECK(session().gate_text({broken()}).find("batch/indivisible") != std::string::npos);
}

TEST_CASE("errors have three kinds") {
  const auto lint = [](Options options, const Recipe& recipe) {
    return Session(std::move(options)).lint(recipe);
  };
  Options wrong = on_h100();
  wrong.hw = "h10";
  CHECK_THROWS_AS(lint(wrong, broken()), UsageError);
  wrong = on_h100();
  wrong.gpus = 0;
  CHECK_THROWS_AS(lint(wrong, broken()), UsageError);
  wrong = on_h100();
  wrong.select = {"nothing/"};
  CHECK_THROWS_AS(lint(wrong, broken()), UsageError);
  wrong = on_h100();
  wrong.fail_on = "sometimes";
  CHECK_THROWS_AS(lint(wrong, broken()), UsageError);
  wrong = on_h100();
  wrong.framework = "nemo";
  CHECK_THROWS_AS(lint(wrong, broken()), UsageError);
  wrong = on_h100();
  wrong.base = kSeed;
  CHECK_THROWS_AS(lint(wrong, Recipe::in_memory("MODEL_ARGS: {--num-layers: 4}\n")), UsageError);
  CHECK_THROWS_AS(session().lint(Recipe()), UsageError);
  CHECK_THROWS_WITH_AS(session().lint(Recipe::file("examples/none.yaml")),
                       "cannot read examples/none.yaml: no such file or directory",
                       Error);
  CHECK_THROWS_AS(session().lint(Recipe::file("recipe.py")), Error);
  CHECK(session().lint(Recipe::in_memory("[")).exit_code == 1);
}

TEST_CASE("threads share a session") {
  const Session shared = session();
  const std::string expected = shared.lint(broken()).json;
  std::vector<std::string> answers(4);
  std::vector<std::thread> threads;
  for (std::string& answer : answers) {
    threads.emplace_back([&shared, &answer] { answer = shared.lint(broken()).json; });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::string& answer : answers) {
    CHECK(answer == expected);
  }
}

TEST_CASE("a contained session answers alike") {
  Options contained = on_h100();
  contained.contain_crashes = true;
  CHECK(Session(contained).lint(broken()).json == session().lint(broken()).json);
}

}  // namespace epwise
