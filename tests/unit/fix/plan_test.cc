#include "fix/plan.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "fix/change.h"
#include "fix/judge.h"
#include "fix/proof.h"
#include "fix/search.h"
#include "lint/spelling_fixes.h"
#include "support/analyzed_recipe.h"
#include "support/sampling.h"

namespace {

using epwise::fix::Bounds;
using epwise::fix::Change;
using epwise::fix::change_of;
using epwise::fix::Plan;
using epwise::fix::Verdict;
using epwise::lint::Finding;
using epwise::lint::Fix;
using epwise::lint::Rule;
using epwise::lint::Severity;
using epwise::lint::Tier;
using epwise::recipe::Recipe;
using epwise::session::Analysis;
using epwise::session::Draft;
using epwise::test::all_rules;
using epwise::test::analysis_of;
using epwise::test::sanitized_share;
using epwise::test::share;

std::size_t errors_left(const Analysis& trial) {
  return static_cast<std::size_t>(
      std::ranges::count(trial.result.findings, Severity::error, &Finding::severity));
}

bool has_new_problem(const Verdict& before, const Verdict& after) {
  return std::ranges::any_of(after.problems, [&](const std::string& name) {
    return !std::ranges::binary_search(before.problems, name);
  });
}

/// Whether two fixes can be made together: no field of both with different values.
bool agree(const Fix& a, const Fix& b) {
  for (const Fix::Edit& one : a.edits) {
    for (const Fix::Edit& other : b.edits) {
      if (one.name == other.name && (one.remove != other.remove || !(one.target == other.target))) {
        return false;
      }
    }
  }
  return true;
}

/// The draft with all these fixes, or nothing when they contradict each other or can't be made.
std::optional<Draft> draft_with(const Analysis& before, const std::vector<const Fix*>& fixes) {
  Change all;
  std::set<std::vector<std::string>> seen;
  for (const Fix* fix : fixes) {
    for (const Fix* other : fixes) {
      if (!agree(*fix, *other)) {
        return std::nullopt;
      }
    }
    const Change change = change_of(*fix, *before.recipe, before.vocabulary());
    if (!change.obstacle.empty()) {
      return std::nullopt;
    }
    for (const auto& edit : change.edits) {
      if (seen.insert(edit.path).second) {
        all.edits.push_back(edit);
      }
    }
    all.words.insert(all.words.end(), change.words.begin(), change.words.end());
  }
  std::string obstacle;
  Draft draft = epwise::fix::changed(before, all, obstacle);
  return obstacle.empty() ? std::optional(std::move(draft)) : std::nullopt;
}

bool offers_edits(const Finding& finding) {
  return std::ranges::any_of(finding.fixes, [](const Fix& fix) { return !fix.edits.empty(); });
}

/// What is wrong with the right word shows only when it stands there.
bool offers_spelling(const Analysis& before) {
  return std::ranges::any_of(before.result.findings, [](const Finding& finding) {
    return std::ranges::any_of(
        finding.fixes, [&](const Fix& fix) { return epwise::lint::is_spelling(finding, fix); });
  });
}

/// Errors that offer nothing to do.
std::set<const Rule*> stuck(const Analysis& before) {
  std::set<const Rule*> rules;
  for (const Finding& finding : before.result.findings) {
    if (finding.severity == Severity::error && !offers_edits(finding)) {
      rules.insert(finding.rule);
    }
  }
  return rules;
}

/// No errors but these, and an answer where another error was: what no fix settles may also end open
/// when the fix of something else touches it.
bool is_legal(const Analysis& trial, const Analysis& before, const std::set<const Rule*>& but_for) {
  const auto is_error = [](const Finding& finding) { return finding.severity == Severity::error; };
  const bool clean = std::ranges::all_of(trial.result.findings, [&](const Finding& finding) {
    return !is_error(finding) || but_for.contains(finding.rule);
  });
  return clean && std::ranges::none_of(trial.result.open, [&](const auto& open) {
           return std::ranges::any_of(before.result.findings, [&](const Finding& finding) {
             return is_error(finding) && finding.rule == open.rule &&
                    !but_for.contains(finding.rule);
           });
         });
}

/// What a set of fixes costs, as `Price` orders it, and how many they are.
struct PlanCost {
  int loss = 0;
  int size = 0;
  int highest_tier = 0;
  int tiers = 0;
  int distance = 0;
  std::size_t count = 0;

  auto operator<=>(const PlanCost&) const = default;
};

PlanCost cost_of(const std::vector<const Fix*>& fixes, const Analysis& before) {
  PlanCost cost;
  cost.count = fixes.size();
  for (const Fix* fix : fixes) {
    const auto price = epwise::fix::price_of(*fix, *before.recipe, before.vocabulary());
    const int tier = static_cast<int>(price.tier);
    cost.loss += price.loss;
    cost.size += price.size;
    cost.highest_tier = std::max(cost.highest_tier, tier);
    cost.tiers += tier * price.size;
    cost.distance += price.distance;
  }
  return cost;
}

/// The cheapest set of the errors' own fixes that leaves no errors but these and brings nothing
/// new; nullopt when there is none.
std::optional<PlanCost> brute_force(const Analysis& before, const std::set<const Rule*>& but_for) {
  std::vector<const Fix*> all;
  for (const Finding& finding : before.result.findings) {
    for (const Fix& fix : finding.fixes) {
      if (finding.severity == Severity::error && !fix.edits.empty()) {
        all.push_back(&fix);
      }
    }
  }
  constexpr std::size_t kMost = 6;
  if (all.size() > kMost) {
    return std::nullopt;
  }
  std::optional<PlanCost> best;
  for (unsigned bits = 0; bits < (1U << all.size()); ++bits) {
    std::vector<const Fix*> chosen;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((bits >> i & 1U) != 0) {
        chosen.push_back(all[i]);
      }
    }
    const auto draft = draft_with(before, chosen);
    const PlanCost cost = cost_of(chosen, before);
    if (!draft || (best && *best <= cost)) {
      continue;
    }
    const Analysis trial = before.with(*draft);
    const Verdict was = verdict_of(before);
    const Verdict is = verdict_of(trial);
    if (is_legal(trial, before, but_for) && !has_new_problem(was, is) && is.launch <= was.launch) {
      best = cost;
    }
  }
  return best;
}

std::size_t made_for_errors(const Plan& plan, const Analysis& before) {
  std::size_t count = 0;
  for (const auto& repair : plan.repairs) {
    const Rule* rule = all_rules().find(repair.rule);
    REQUIRE(rule != nullptr);
    const bool was_error = std::ranges::any_of(before.result.findings, [&](const Finding& finding) {
      return finding.rule == rule && finding.severity == Severity::error;
    });
    count += was_error ? 1 : 0;
  }
  return count;
}

/// Where the set takes something from the model, a plan that doesn't may be larger.
bool is_no_larger(const Plan& plan, const Analysis& before, const PlanCost& cheapest) {
  return made_for_errors(plan, before) <= cheapest.count || cheapest.loss > 0;
}

std::string fixed(const Analysis& before, Tier tier) {
  return epwise::fix::plan(before, tier).after.draft.bytes;
}

constexpr std::string_view kBatch = R"(# batch
model:
  expert_model_parallel_size: 8
  num_moe_experts: 64  # as it is
train:
  global_batch_size: 100  # tokens
  micro_batch_size: 1
)";

}  // namespace

TEST_CASE("a recipe becomes legal within the tier that is asked for, and keeps its layout") {
  const Analysis before = analysis_of(kBatch, "--hw h100 --gpus 16 --stack bridge=0.6.2");
  REQUIRE(errors_left(before) > 0);
  const std::string neutral = fixed(before, Tier::neutral);
  CHECK(neutral.find("num_moe_experts: 64 ") != std::string::npos);
  CHECK(neutral.find("\n  global_batch_size: 100 ") != std::string::npos);
  const Plan plan = epwise::fix::plan(before, Tier::training);
  CHECK(errors_left(plan.after) == 0);
  CHECK_FALSE(plan.repairs.empty());
  CHECK(plan.after.draft.bytes.find("# batch\nmodel:\n") == 0);
  CHECK(plan.after.draft.bytes.find("64  # as it is\n") != std::string::npos);
  CHECK(plan.after.draft.bytes.find("100  # tokens\n") == std::string::npos);
  CHECK(plan.after.draft.bytes.find("  # tokens\n") != std::string::npos);
  CHECK_FALSE(plan.bounded);
}

TEST_CASE("overrides change where they stand") {
  const Analysis before = analysis_of(kBatch,
                                      "--hw h100 --gpus 16 --stack bridge=0.6.2",
                                      {"model.num_moe_experts=64", "train.global_batch_size=99"});
  const Plan plan = epwise::fix::plan(before, Tier::training);
  CHECK(plan.after.draft.bytes == kBatch);
  CHECK(plan.after.draft.words.front() == "model.num_moe_experts=64");
  CHECK(plan.after.draft.words.back() != "train.global_batch_size=99");
  CHECK(errors_left(plan.after) == 0);
}

TEST_CASE("fixes that settle nothing or bring something new are dropped") {
  Analysis trial = analysis_of(kBatch, "--hw h100 --gpus 16 --stack bridge=0.6.2");
  const auto at = std::ranges::find_if(trial.result.findings, [](const Finding& each) {
    return each.rule->id == "batch/indivisible";
  });
  REQUIRE(at != trial.result.findings.end());
  Finding& finding = *at;
  const auto edit = [](const std::string& name, int value) {
    Fix::Edit change{name, std::to_string(value), {}};
    change.name = name;
    change.target = epwise::expr::Value::of(value);
    return change;
  };
  finding.fixes = {{"nothing", Tier::neutral, {edit("model.seq_length", 4096)}},
                   {"the same", Tier::neutral, {edit("train.micro_batch_size", 1)}},
                   {"words", Tier::neutral, {}},
                   {"new", Tier::training, {edit("model.tensor_model_parallel_size", 32)}},
                   {"batch", Tier::training, {edit("train.global_batch_size", 112)}}};
  epwise::fix::prove_fixes(trial);
  std::vector<std::string> titles;
  for (const Fix& fix : finding.fixes) {
    titles.push_back(fix.title);
  }
  CHECK(titles == std::vector<std::string>{"batch", "words"});
  REQUIRE(finding.fixes.front().patches.size() == 1);
  CHECK(finding.fixes.front().patches.front().text == "  global_batch_size: 112  # tokens\n");
  CHECK(finding.fixes.front().patches.front().mark.start() == epwise::text::Position{6, 1});
}

TEST_CASE(
    "on every example of a rule: nothing new, never more errors, and as few fixes as can be") {
  int compared = 0;
  int settled = 0;
  int number = 0;
  constexpr int kForced =
      5;  // brute force takes most of the time: on the examples of each fifth rule
  const int step = std::max(sanitized_share(5 * kForced), share(4 * kForced));
  for (const Rule& rule : all_rules().rules) {
    if (++number % step != 0) {
      continue;
    }
    for (const auto& example : rule.prose->examples) {
      if (example.verdict != epwise::lint::Example::Verdict::fails) {
        continue;
      }
      const std::string id(rule.id);
      CAPTURE(id);
      const Analysis before = analysis_of(example.recipe, example.arguments);
      const Plan plan = epwise::fix::plan(before, Tier::training);
      CHECK(errors_left(plan.after) <= errors_left(before));
      CHECK((offers_spelling(before) ||
             !has_new_problem(verdict_of(before), verdict_of(plan.after))));
      CHECK(verdict_of(plan.after).launch <= verdict_of(before).launch);
      CHECK_FALSE(plan.bounded);
      settled += errors_left(plan.after) < errors_left(before) ? 1 : 0;
      if (number % kForced != 0) {
        continue;
      }
      if (const auto best = brute_force(before, {})) {
        CHECK(errors_left(plan.after) == 0);
        CHECK(is_no_larger(plan, before, *best));
        ++compared;
      } else if (const auto partly = brute_force(before, stuck(before))) {
        CHECK(is_legal(plan.after, before, stuck(before)));
        CHECK((is_no_larger(plan, before, *partly) ||
               errors_left(plan.after) < stuck(before).size()));
        ++compared;
      }
    }
  }
  MESSAGE(settled, " examples end with fewer errors; ", compared, " held against brute force");
  CHECK(compared > 150 / std::max(sanitized_share(5), share(5)));
}

TEST_CASE("where a recipe would do as it is") {
  Analysis trial = analysis_of(R"(
model:
  num_moe_experts: 64
  expert_model_parallel_size: 8
  moe_token_dispatcher_type: flex
  moe_flex_dispatcher_backend: deepep
train: {global_batch_size: 64, micro_batch_size: 1}
)",
                               "--hw gb200 --gpus 12 --stack bridge=0.6.2");
  epwise::fix::find_elsewhere(trial);
  std::string all;
  for (const Finding& finding : trial.result.findings) {
    for (const std::string& place : finding.elsewhere) {
      all += std::string(finding.rule->id) + ": " + place + "; ";
    }
  }
  CHECK(all ==
        "shape/expert-world: 8 GPUs; dispatch/deepep-on-this-gpu: b200 or b300 or h100; "
        "batch/indivisible: 8 GPUs; ");
}
