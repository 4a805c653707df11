#include "commands/explain/suspects.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "commands/explain/troubles.h"
#include "support/example_target.h"

namespace epwise::audit {
namespace {

/// Pairs of rules that upstream tells the same words of: the place decides between them.
bool share_words(std::string_view a, std::string_view b) {
  static const std::set<std::pair<std::string_view, std::string_view>> kPairs = {
      {"MOE052", "MOE053"},
      {"ENV019", "ENV037"},
      {"ENV020", "OVL008"},
      {"RCP006", "RCP045"},
      {"RCP025", "RCP046"},
      {"DWG001", "DWG002"},
      {"HYG179", "HYG212"},
      {"REC006", "REC043"},
      {"REC023", "REC043"}};
  return kPairs.contains({a, b}) || kPairs.contains({b, a});
}

bool is_shared(const lint::Rule& rule, std::string_view fragment) {
  return std::ranges::any_of(test::knowledge().rules, [&](const lint::Rule& other) {
    return &other != &rule &&
           std::ranges::find(other.prose->log, fragment) != other.prose->log.end();
  });
}

/// A message in our words around a fragment.
std::string message_with(std::string_view fragment) {
  std::string message = "no start: ";
  while (!fragment.empty()) {
    const auto gap = std::min(fragment.find("..."), fragment.size());
    message += std::string(fragment.substr(0, gap));
    fragment.remove_prefix(std::min(gap + 3, fragment.size()));
    message += fragment.empty() ? "" : "7";
  }
  return message + " on this system";
}

Crash crash_saying(std::string message) {
  Crash crash;
  crash.exception = "AssertionError";
  crash.message = std::move(message);
  return crash;
}

TEST_CASE("no fragment of a rule matches what another rule's fragments say") {
  for (const auto& rule : test::knowledge().rules) {
    for (const auto fragment : rule.prose->log) {
      const auto plain = plain_wording(message_with(fragment));
      const auto length = wording_in(plain, fragment);
      CHECK(length > 0);
      for (const auto& other : test::knowledge().rules) {
        if (&other == &rule || share_words(rule.code, other.code)) {
          continue;
        }
        for (const auto foreign : other.prose->log) {
          CAPTURE(rule.code);
          CAPTURE(fragment);
          CAPTURE(other.code);
          CAPTURE(foreign);
          // General words stand in messages about something special, too: the longer ones win.
          const bool general = other.id.starts_with("flags/") ||
                               (other.code == "PAR126" && rule.code == "PAR127") ||
                               (other.code == "PAR191" && rule.code == "PAR192");
          CHECK((general ? wording_in(plain, foreign) < length : wording_in(plain, foreign) == 0));
        }
      }
    }
  }
}

TEST_CASE("every fragment in a message of our own leads to its rule") {
  int fragments = 0;
  for (const auto& rule : test::knowledge().rules) {
    for (const auto fragment : rule.prose->log) {
      ++fragments;
      CAPTURE(rule.code);
      CAPTURE(fragment);
      const auto found = suspects(crash_saying(message_with(fragment)), test::knowledge());
      REQUIRE_FALSE(found.empty());
      CHECK((found.front().rule == &rule || share_words(rule.code, found.front().rule->code)));
      CHECK(found.front().basis == Basis::words);
      CHECK(found.front().sure ==
            (rule.severity == lint::Severity::error && !is_shared(rule, fragment)));
    }
  }
  CHECK(fragments > 600);
}

TEST_CASE("every check of the launch that says something can be found by its words") {
  // Without: errors of Python itself, and checks whose words are another's or nobody's own.
  const auto silent = std::ranges::count_if(test::knowledge().rules, [](const lint::Rule& rule) {
    return !rule.places.empty() && rule.prose->log.empty();
  });
  CHECK(silent <= 7);
}

Crash raised(std::string file, int line, std::string function, std::string message) {
  Crash crash = crash_saying(std::move(message));
  crash.frames = {{"/opt/run/pretrain_gpt.py", 30, "<module>"},
                  {"/opt/run/" + std::move(file), line, std::move(function)}};
  return crash;
}

TEST_CASE("words count more than lines") {
  // At this line of 0.19.0 another check stands.
  const auto found = suspects(raised("megatron/core/transformer/transformer_config.py",
                                     2680,
                                     "__post_init__",
                                     "for once: both moe and moe_router"),
                              test::knowledge());
  REQUIRE(found.size() == 1);
  CHECK(found.front().rule->code == "CGR015");
  CHECK(found.front().sure);
}

TEST_CASE("a line alone is never sure, and says so") {
  const auto found = suspects(raised("megatron/training/arguments.py", 1332, "validate_args", ""),
                              test::knowledge());
  for (const auto& suspect : found) {
    CHECK(suspect.basis == Basis::place);
    CHECK_FALSE(suspect.sure);
    CHECK_FALSE(suspect.rule->places.empty());
  }
}

TEST_CASE("the source line of a silent assertion leads to its rule") {
  auto crash = raised("megatron/training/arguments.py", 7, "validate_args", "");
  crash.code = "assert args.hidden_size % args.num_attention_heads == 0";
  const auto found = suspects(crash, test::knowledge());
  REQUIRE_FALSE(found.empty());
  CHECK(found.front().rule->code == "PAR011");
  CHECK(found.front().basis == Basis::code);
}

TEST_CASE("errors that nobody knows stay unknown, wherever they are raised") {
  for (const char* message : {"CUDA error: an illegal memory access was encountered",
                              "the moon is full",
                              "expected scalar type Half but found Float",
                              "Connection refused"}) {
    CAPTURE(message);
    CHECK(
        suspects(
            raised(
                "megatron/core/transformer/transformer_config.py", 2680, "__post_init__", message),
            test::knowledge())
            .empty());
  }
}

TEST_CASE("advice is named, but is never the cause for sure") {
  const auto found = suspects(
      crash_saying("out of memory; 7 GiB reserved by PyTorch but unallocated"), test::knowledge());
  REQUIRE_FALSE(found.empty());
  CHECK(found.front().rule->code == "ENV016");
  CHECK_FALSE(found.front().sure);
}

TEST_CASE("the recipe decides between rules that share their words") {
  const auto linted = test::lint_text(
      "MODEL_ARGS:\n  --num-experts: 8\n  --recompute-granularity: selective\n"
      "  --recompute-modules: bogus\n",
      "--stack mlm=0.19.0 --gpus 8",
      test::knowledge());
  REQUIRE(linted.results.size() == 1);
  const auto crash = crash_saying("Invalid choices for recompute_modules: {'bogus'}");
  const auto found = suspects(crash, test::knowledge(), &linted.results.front());
  REQUIRE_FALSE(found.empty());
  CHECK(found.front().rule->code == "RCP006");
}

TEST_CASE("words that say more win against what the recipe breaks") {
  // The message names the expert grid; the recipe ends earlier, at the grid of the dense layers.
  const auto linted = test::lint_text(
      "model:\n  num_moe_experts: 64\n  tensor_model_parallel_size: 2\n"
      "  expert_model_parallel_size: 16\n  pipeline_model_parallel_size: 2\n",
      "--stack bridge=0.6.2 --gpus 62",
      test::knowledge());
  REQUIRE(linted.results.front().launch.rule != nullptr);
  CHECK(linted.results.front().launch.rule->code == "PAR001");
  const auto crash = crash_saying(
      "world_size (62) is not divisible by expert_tensor_model_pipeline_parallel size (32)");
  const auto found = suspects(crash, test::knowledge(), &linted.results.front());
  REQUIRE_FALSE(found.empty());
  CHECK(found.front().rule->code == "PAR002");
  CHECK(found.front().sure);
  CHECK(found.front().support == 1);
}

TEST_CASE("what the recipe breaks comes before a few words of what it keeps") {
  const auto linted = test::lint_text(
      "MODEL_ARGS:\n  --num-layers: 30\n  --num-experts: 64\n"
      "  --pipeline-model-parallel-size: 2\n  --num-layers-per-virtual-pipeline-stage: 4\n"
      "  --expert-model-parallel-size: 8\n  --micro-batch-size: 1\n  --global-batch-size: 64\n"
      "  --hidden-size: 1024\n  --num-attention-heads: 16\n  --seq-length: 1024\n"
      "  --max-position-embeddings: 1024\n",
      "--stack mlm=0.19.0 --gpus 16",
      test::knowledge());
  REQUIRE(linted.results.front().launch.rule != nullptr);
  REQUIRE(linted.results.front().launch.rule->code == "PAR013");
  // A wording of tomorrow: it shares sentences with one check, and three words with another.
  const auto crash = crash_saying(
      "number of layers per pipeline stage must be divisible number of layers, with "
      "expert model parallel_size 8");
  const auto alone = suspects(crash, test::knowledge());
  REQUIRE_FALSE(alone.empty());
  CHECK(alone.front().rule->code == "PAR006");
  const auto found = suspects(crash, test::knowledge(), &linted.results.front());
  REQUIRE_FALSE(found.empty());
  CHECK(found.front().rule->code == "PAR013");
  CHECK_FALSE(found.front().sure);
}

}  // namespace
}  // namespace epwise::audit
