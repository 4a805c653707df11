// Recipes that break two rules at once: the failing example of one with the fields of another's.
// What one fix settles, the other must not break again.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "fix/change.h"
#include "fix/plan.h"
#include "lint/spelling_fixes.h"
#include "support/analyzed_recipe.h"
#include "support/sampling.h"

namespace {

using epwise::fix::Plan;
using epwise::lint::Example;
using epwise::lint::Finding;
using epwise::lint::Fix;
using epwise::lint::Rule;
using epwise::lint::Severity;
using epwise::lint::Tier;
using epwise::session::Analysis;
using epwise::test::all_rules;
using epwise::test::analysis_of;

struct Failing {
  const Rule* rule = nullptr;
  const Example* example = nullptr;
};

/// Of rules that trainers' launches and scripts do not dominate: a file of the recipe itself.
std::vector<Failing> failing_examples() {
  std::vector<Failing> all;
  for (const Rule& rule : all_rules().rules) {
    for (const Example& example : rule.prose->examples) {
      if (example.verdict == Example::Verdict::fails) {
        all.push_back({&rule, &example});
        break;
      }
    }
  }
  return all;
}

/// The first recipe with each field that the second sets; nothing where they do not fit together.
std::optional<Analysis> with_fields_of(const Analysis& first, const Analysis& second) {
  if (first.recipe->framework != second.recipe->framework || !first.recipe->readable ||
      !second.recipe->readable) {
    return std::nullopt;
  }
  Fix all;
  for (const auto& [name, field] : second.recipe->fields) {
    const bool known = first.vocabulary().find(name) != nullptr;
    if (field.key.nowhere() || field.value.is_unknown() || !known) {
      continue;
    }
    Fix::Edit edit{name, field.value.to_text(), {}};
    edit.name = name;
    edit.target = field.value;
    all.edits.push_back(std::move(edit));
  }
  const epwise::fix::Change change = epwise::fix::change_of(all, *first.recipe, first.vocabulary());
  std::string obstacle = change.obstacle;
  if (!obstacle.empty()) {
    return std::nullopt;
  }
  const auto draft = epwise::fix::changed(first, change, obstacle);
  return obstacle.empty() ? std::optional(first.with(draft)) : std::nullopt;
}

bool corrects_spelling(const Analysis& before) {
  return std::ranges::any_of(before.result.findings, [](const Finding& finding) {
    return std::ranges::any_of(
        finding.fixes, [&](const Fix& fix) { return epwise::lint::is_spelling(finding, fix); });
  });
}

/// Rules with a finding at least this severe.
std::set<std::string> found_rules(const Analysis& analysis, Severity least) {
  std::set<std::string> rules;
  for (const Finding& finding : analysis.result.findings) {
    if (finding.severity == Severity::error || finding.severity == least) {
      rules.emplace(finding.rule->id);
    }
  }
  return rules;
}

/// Errors, and what is as wrong but stays unsaid because another error explains it or is about the
/// value that it reads.
std::set<std::string> wrong_rules(const Analysis& analysis) {
  std::set<std::string> rules = found_rules(analysis, Severity::error);
  for (const auto& explained : analysis.result.explained) {
    rules.emplace(explained.rule->id);
  }
  for (const auto* waiting : analysis.result.waiting) {
    rules.emplace(waiting->id);
  }
  return rules;
}

/// What the second has and the first has not.
std::string only_in(const std::set<std::string>& second, const std::set<std::string>& first) {
  std::string text;
  for (const std::string& each : second) {
    text += first.contains(each) ? "" : each + " ";
  }
  return text;
}

/// The sizes of the model as the recipe states them.
std::string shapes(const Analysis& analysis) {
  constexpr std::array<std::string_view, 12> kShapes = {
      "model.num_layers",
      "model.hidden_size",
      "model.num_attention_heads",
      "model.num_query_groups",
      "model.kv_channels",
      "model.ffn_hidden_size",
      "model.num_moe_experts",
      "model.moe_router_topk",
      "model.moe_ffn_hidden_size",
      "model.moe_shared_expert_intermediate_size",
      "model.vocab_size",
      "model.seq_length",
  };
  std::string text;
  for (const std::string_view name : kShapes) {
    const auto* field = analysis.recipe->find(name);
    const std::string value = field == nullptr ? "null" : field->value.to_text();
    // no experts: a dense model, however it is said
    text += (value == "0" && name == "model.num_moe_experts" ? "null" : value) + " ";
  }
  return text;
}

void check_pair(const Analysis& before, Tier tier) {
  const Plan first = epwise::fix::plan(before, tier);
  if (first.bounded || first.repairs.empty()) {
    return;
  }
  const Plan second = epwise::fix::plan(first.after, tier);
  CHECK(second.after.draft.bytes == first.after.draft.bytes);
  if (corrects_spelling(before)) {
    return;  // what is wrong with the right word shows only when it stands there
  }
  if (tier != Tier::training) {
    CHECK(shapes(first.after) == shapes(before));
  }
  CHECK(only_in(found_rules(first.after, Severity::error), wrong_rules(before)) == "");
  const bool settles_error = only_in(found_rules(before, Severity::error),
                                     found_rules(first.after, Severity::error)) != "";
  if (!settles_error) {
    CHECK(only_in(found_rules(first.after, Severity::warning),
                  found_rules(before, Severity::warning)) == "");
  }
}

/// EPWISE_PAIRS=N: that many pairs; with EPWISE_COMPLETE=1 one for each rule.
std::size_t wanted_pairs(std::size_t rules) {
  const char* asked = std::getenv("EPWISE_PAIRS");  // NOLINT(concurrency-mt-unsafe)
  const std::size_t share = static_cast<std::size_t>(
      std::max(epwise::test::share(20), epwise::test::sanitized_share(20)));
  return asked != nullptr ? std::stoul(asked) : rules / share;
}

}  // namespace

TEST_CASE(
    "two broken rules: --fix twice changes nothing, nothing as bad appears, the model keeps its "
    "sizes") {
  const std::vector<Failing> all = failing_examples();
  const std::size_t wanted = wanted_pairs(all.size());
  std::mt19937 random(24);
  std::size_t checked = 0;
  for (std::size_t tried = 0; checked < wanted && tried < 20 * wanted; ++tried) {
    const Failing& one = all[random() % all.size()];
    const Failing& other = all[random() % all.size()];
    const auto tier = static_cast<Tier>(tried % 3);
    const auto before =
        with_fields_of(analysis_of(one.example->recipe, one.example->arguments),
                       analysis_of(other.example->recipe, other.example->arguments));
    if (!before) {
      continue;
    }
    const std::string pair = std::string(one.rule->id) + " with " + std::string(other.rule->id) +
                             ", " + std::string(to_string(tier));
    CAPTURE(pair);
    CAPTURE(one.example->arguments);
    CAPTURE(before->draft.bytes);
    check_pair(*before, tier);
    ++checked;
  }
  MESSAGE(checked, " pairs of ", all.size(), " failing examples");
  CHECK(checked >= wanted);
}
