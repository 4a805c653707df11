/// What the judge foresees is what a lint of the changed text, or on the other target, says.

#include "fix/judge.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "fix/change.h"
#include "hw/profile.h"
#include "support/analyzed_recipe.h"
#include "support/sampling.h"

namespace {

using epwise::fix::Judge;
using epwise::fix::Verdict;
using epwise::fix::verdict_of;
using epwise::lint::Fix;
using epwise::session::Analysis;
using epwise::session::Draft;
using epwise::test::all_rules;
using epwise::test::analysis_of;
using epwise::test::sanitized_share;
using epwise::test::share;

/// Without predictions of memory, which a judge leaves out.
std::string words(const Verdict& verdict) {
  std::string text = "launch " + std::to_string(verdict.launch);
  for (const auto* names : {&verdict.problems, &verdict.findings, &verdict.open}) {
    text += ";";
    for (const auto& name : *names) {
      text += name.starts_with("memory/") ? "" : " " + name;
    }
  }
  return text;
}

/// Calls `look(before)` for the failing examples of every `step`th rule, where they are
/// recipes of Megatron-Bridge.
template <class Look>
void for_each_example(int step, Look look) {
  int number = 0;
  for (const auto& rule : all_rules().rules) {
    if (++number % step != 0) {
      continue;
    }
    for (const auto& example : rule.prose->examples) {
      if (example.verdict != epwise::lint::Example::Verdict::fails) {
        continue;
      }
      const Analysis before = analysis_of(example.recipe, example.arguments);
      if (before.recipe && before.recipe->readable &&
          before.recipe->framework == epwise::recipe::Framework::bridge) {
        INFO("example of " << std::string(rule.id) << ":\n" << std::string(example.recipe));
        look(before);
      }
    }
  }
}

}  // namespace

TEST_CASE("a fix is judged as the text with it") {
  int compared = 0;
  for_each_example(3 * std::max(sanitized_share(8), share(3)), [&](const Analysis& before) {
    Judge judge(before);
    for (const auto& finding : before.result.findings) {
      for (const Fix& fix : finding.fixes) {
        const auto foreseen = fix.edits.empty() ? std::nullopt : judge.with(fix);
        if (!foreseen) {
          continue;
        }
        const auto change = epwise::fix::change_of(fix, *before.recipe, before.vocabulary());
        std::string obstacle;
        Draft draft = epwise::fix::changed(before, change, obstacle);
        if (!obstacle.empty()) {
          continue;
        }
        const Analysis after = before.with(std::move(draft));
        INFO(std::string(finding.rule->id) << ": " << fix.title);
        CHECK(words(*foreseen) == words(verdict_of(after)));
        ++compared;
      }
    }
  });
  CHECK(compared > 100 / std::max(sanitized_share(10), share(4)));
}

TEST_CASE("another target is judged as a lint on it") {
  int compared = 0;
  for_each_example(11 * sanitized_share(4), [&](const Analysis& before) {
    Judge judge(before);
    std::vector<epwise::facts::Target> targets(4, *before.target);
    targets[0].gpus = targets[0].gpus.value_or(8) * 2;
    targets[1].hw = epwise::hw::find_profile("gb200");
    targets[2].stack.set("te", "2.3.0", "");
    targets[3].stack.set("torch", "none", "");
    for (const auto& target : targets) {
      const Analysis after = before.on(target);
      CHECK(words(judge.on(target)) == words(verdict_of(after)));
      ++compared;
    }
  });
  CHECK(compared > 100 / sanitized_share(10));
}
