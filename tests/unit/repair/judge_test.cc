/// What the judge foresees is what a lint of the changed text, or on the other target, says.

#include "repair/judge.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "hw/profile.h"
#include "repair/change.h"
#include "support/repair_bench.h"
#include "support/sampling.h"

namespace {

using epwise::lint::Fix;
using epwise::repair::Draft;
using epwise::repair::Judge;
using epwise::repair::Trial;
using epwise::repair::Verdict;
using epwise::repair::verdict_of;
using epwise::test::all_rules;
using epwise::test::RecipeBench;
using epwise::test::sanitized_share;

std::string words(const Verdict& verdict) {
  std::string text = "launch " + std::to_string(verdict.launch);
  for (const auto* names : {&verdict.problems, &verdict.findings, &verdict.open}) {
    text += ";";
    for (const auto& name : *names) {
      text += " " + name;
    }
  }
  return text;
}

/// Calls `look(bench, before)` for the failing examples of every `step`th rule, where they are
/// recipes of Megatron-Bridge.
template <class Look>
void for_each_example(int step, Look look) {
  int number = 0;
  for (const auto& rule : all_rules().rules) {
    if (++number % step != 0) {
      continue;
    }
    for (const auto& example : rule.examples) {
      if (example.verdict != epwise::lint::Example::Verdict::fails) {
        continue;
      }
      RecipeBench bench(example.recipe, example.arguments);
      const Trial before = bench.lint();
      if (before.recipe && before.recipe->readable &&
          before.recipe->framework == epwise::recipe::Framework::bridge) {
        INFO("example of " << std::string(rule.id) << ":\n" << std::string(example.recipe));
        look(bench, before);
      }
    }
  }
}

}  // namespace

TEST_CASE("a fix is judged as the text with it") {
  int compared = 0;
  for_each_example(3 * sanitized_share(8), [&](RecipeBench& bench, const Trial& before) {
    Judge judge(bench.bench(), *before.recipe, before.result);
    for (const auto& finding : before.result.findings) {
      for (const Fix& fix : finding.fixes) {
        const auto foreseen = fix.edits.empty() ? std::nullopt : judge.with(fix);
        if (!foreseen) {
          continue;
        }
        const auto change = epwise::repair::change_of(
            fix, *before.recipe, bench.bench().vocabulary_of(*before.recipe));
        std::string obstacle;
        Draft draft = bench.bench().changed(before.draft, change, obstacle);
        if (!obstacle.empty()) {
          continue;
        }
        const Trial after = bench.bench().lint(std::move(draft));
        INFO(std::string(finding.rule->id) << ": " << fix.title);
        CHECK(words(*foreseen) == words(verdict_of(after)));
        ++compared;
      }
    }
  });
  CHECK(compared > 100 / sanitized_share(10));
}

TEST_CASE("another target is judged as a lint on it") {
  int compared = 0;
  for_each_example(11 * sanitized_share(4), [&](RecipeBench& bench, const Trial& before) {
    Judge judge(bench.bench(), *before.recipe, before.result);
    std::vector<epwise::model::Target> targets(4, bench.bench().target);
    targets[0].gpus = targets[0].gpus.value_or(8) * 2;
    targets[1].hw = epwise::hw::find_profile("gb200");
    targets[2].stack.set("te", "2.3.0", "");
    targets[3].stack.set("torch", "none", "");
    for (const auto& target : targets) {
      const Trial after = bench.bench().lint(before.draft, &target);
      CHECK(words(judge.on(target)) == words(verdict_of(after)));
      ++compared;
    }
  });
  CHECK(compared > 100 / sanitized_share(10));
}
