#include "lint/launch_plan.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "expr/value.h"
#include "lint/rule.h"
#include "recipe/framework.h"
#include "recipe/trainers/trainer_facts.h"

namespace epwise::lint {

/// The rules that apply to one release and the stages that a trainer runs, by where they apply.
struct SortedRules {
  /// A check at its place.
  struct Check {
    std::int32_t order = 0;
    const Rule* rule = nullptr;
  };

  std::map<std::string_view, std::vector<Check>> checks;  // by stage
  std::vector<const Rule*> rest;
  std::vector<const Rule*> unsettled;
};

class SortedRulesCache {
 public:
  /// The rules (they may be a copy), framework, version, whether it is settled, and the stages.
  using Key = std::tuple<const Rule*, std::string, std::string, bool, std::string>;

  template <class Sort>
  std::shared_ptr<const SortedRules> get(const Key& key, const Sort& sort) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& known = known_[key];
    if (known == nullptr) {
      known = std::make_shared<const SortedRules>(sort());
    }
    return known;
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const SortedRules>> known_;
};

std::shared_ptr<SortedRulesCache> make_sorted_rules_cache() {
  return std::make_shared<SortedRulesCache>();
}

namespace {

using Check = SortedRules::Check;

class Planner {
 public:
  Planner(const Knowledge& knowledge,
          const recipe::Recipe& recipe,
          const recipe::Vocabulary& vocabulary,
          bool settled)
      : knowledge_(knowledge),
        recipe_(recipe),
        vocabulary_(vocabulary),
        settled_(settled),
        framework_(recipe::to_string(recipe.framework)),
        releases_(recipe::Vocabulary::versions(vocabulary.framework())) {}

  LaunchPlan run() {
    sorted_ = sorted_rules();
    plan_.rest = sorted_->rest;
    plan_.unsettled = sorted_->unsettled;
    const auto pipeline = std::ranges::find(knowledge_.pipelines, framework_, &Pipeline::framework);
    if (pipeline == knowledge_.pipelines.end()) {
      return std::move(plan_);
    }
    plan_.created = pipeline->created;
    for (const auto& stage : pipeline->stages) {
      if (!here(stage.versions) || !runs(stage.name)) {
        continue;
      }
      plan_.legs.push_back({&stage, &stage, steps(stage)});
      for (const auto again : stage.repeats) {
        const auto found = std::ranges::find(pipeline->stages, again, &Stage::name);
        if (found != pipeline->stages.end()) {
          plan_.legs.push_back({&*found, &stage, steps(*found)});
        }
      }
    }
    return std::move(plan_);
  }

 private:
  bool here(const std::vector<Range>& versions) const {
    return holds(versions, framework_, vocabulary_.version());
  }

  /// Whether something applies to every release, if any may run.
  bool everywhere(const std::vector<Range>& versions) const {
    return settled_ || std::ranges::all_of(releases_, [&](std::string_view version) {
             return holds(versions, framework_, version);
           });
  }

  bool somewhere(const std::vector<Range>& versions) const {
    return std::ranges::any_of(
        releases_, [&](std::string_view version) { return holds(versions, framework_, version); });
  }

  bool runs(std::string_view stage) const { return recipe::runs_stage(recipe_, stage); }

  /// Advice about sections of Megatron-Bridge's configuration, which other frameworks do not have.
  bool is_about_sections(const Rule& rule) const {
    const auto asks = [](const expr::Expression& expression) {
      return std::ranges::any_of(expression.nodes, [](const expr::Node& node) {
        return node.op == expr::Op::has_section;
      });
    };
    return recipe::has_trainer(recipe_) && (asks(rule.given) || asks(rule.assertion));
  }

  bool is_checked(const Rule& rule) const {
    return rule.places.empty() || std::ranges::any_of(rule.places, [&](const Place& place) {
             return place.framework == framework_ && runs(place.stage);
           });
  }

  /// Thousands of recipes, and of variants of one, share the release.
  std::shared_ptr<const SortedRules> sorted_rules() const {
    const auto stages = recipe_.raw.find("raw.trainer_stages");
    return knowledge_.sorted->get(
        {knowledge_.rules.data(),
         std::string(framework_),
         std::string(vocabulary_.version()),
         settled_,
         (recipe::has_trainer(recipe_) ? "trainer " : "") +
             (stages == recipe_.raw.end() ? "" : stages->second.to_text())},
        [this] { return sort_rules(); });
  }

  SortedRules sort_rules() const {
    SortedRules sorted;
    for (const auto& rule : knowledge_.rules) {
      if (rule.builtin && rule.places.empty()) {
        continue;
      }
      if (!everywhere(rule.versions)) {
        if (!rule.builtin && is_checked(rule) && somewhere(rule.versions)) {
          sorted.unsettled.push_back(&rule);
        }
        continue;
      }
      if (!here(rule.versions)) {
        continue;
      }
      bool placed = false;
      for (const auto& place : rule.places) {
        if (place.framework == framework_ &&
            (place.versions.framework.empty() || here({place.versions}))) {
          sorted.checks[place.stage].push_back({place.order, &rule});
          placed = true;
        }
      }
      if (!placed && !rule.builtin && !is_about_sections(rule)) {
        sorted.rest.push_back(&rule);  // this framework fails on it later, if at all
      }
    }
    for (auto& [stage, checks] : sorted.checks) {
      std::ranges::stable_sort(checks, {}, &Check::order);
    }
    return sorted;
  }

  /// A check is before a rewrite of the same line.
  std::vector<Step> steps(const Stage& stage) const {
    std::vector<Step> all;
    const auto found = sorted_->checks.find(stage.name);
    const std::vector<Check> none;
    const auto& checks = found == sorted_->checks.end() ? none : found->second;
    auto check = checks.begin();
    for (const auto& rewrite : stage.rewrites) {
      for (; check != checks.end() && check->order <= rewrite.order; ++check) {
        all.push_back({check->rule, nullptr});
      }
      if (here(rewrite.versions) && everywhere(rewrite.versions) && known(rewrite)) {
        all.push_back({nullptr, &rewrite});
      }
    }
    for (; check != checks.end(); ++check) {
      all.push_back({check->rule, nullptr});
    }
    return all;
  }

  bool known(const RewriteStep& rewrite) const {
    if (!rewrite.slot) {
      return true;
    }
    const auto name = knowledge_.names.name(*rewrite.slot);
    return std::ranges::find(plan_.created, *rewrite.slot) != plan_.created.end() ||
           vocabulary_.find(name) != nullptr || recipe_.find(name) != nullptr;
  }

  const Knowledge& knowledge_;
  const recipe::Recipe& recipe_;
  const recipe::Vocabulary& vocabulary_;
  bool settled_;
  std::string_view framework_;
  std::vector<std::string_view> releases_;  // of which any may run unless settled
  std::shared_ptr<const SortedRules> sorted_;
  LaunchPlan plan_;
};

}  // namespace

bool is_settled(const recipe::Recipe& recipe, const facts::Target& target) {
  const auto given = [&](std::string_view name) {
    const auto* component = target.stack.find(name);
    return component != nullptr && component->version.has_value();
  };
  return !recipe::has_trainer(recipe) || given(recipe::to_string(recipe.framework)) ||
         (recipe.framework == recipe::Framework::mlm && given("mcore"));
}

LaunchPlan plan(const Knowledge& knowledge,
                const recipe::Recipe& recipe,
                const recipe::Vocabulary& vocabulary,
                const facts::Target& target) {
  return Planner(knowledge, recipe, vocabulary, is_settled(recipe, target)).run();
}

LaunchPlan plan_for_release(const Knowledge& knowledge,
                            const recipe::Recipe& recipe,
                            const recipe::Vocabulary& vocabulary) {
  return Planner(knowledge, recipe, vocabulary, true).run();
}

}  // namespace epwise::lint
