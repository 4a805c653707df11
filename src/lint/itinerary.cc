#include "lint/itinerary.h"

#include <algorithm>
#include <map>

#include "lint/range.h"
#include "recipe/framework.h"

namespace epwise::lint {

namespace {

/// A check at its place.
struct Check {
  std::int32_t order = 0;
  const Rule* rule = nullptr;
};

class Planner {
 public:
  Planner(const Knowledge& knowledge,
          const recipe::Recipe& recipe,
          const recipe::Vocabulary& vocabulary)
      : knowledge_(knowledge),
        recipe_(recipe),
        vocabulary_(vocabulary),
        framework_(recipe::to_string(recipe.framework)) {}

  Itinerary run() {
    sort_rules();
    const auto pipeline = std::ranges::find(knowledge_.pipelines, framework_, &Pipeline::framework);
    if (pipeline == knowledge_.pipelines.end()) {
      return std::move(plan_);
    }
    plan_.created = pipeline->created;
    for (const auto& stage : pipeline->stages) {
      if (!here(stage.versions)) {
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

  void sort_rules() {
    for (const auto& rule : knowledge_.rules) {
      if ((rule.builtin && rule.places.empty()) || !here(rule.versions)) {
        continue;
      }
      bool placed = false;
      for (const auto& place : rule.places) {
        if (place.framework == framework_) {
          checks_[place.stage].push_back({place.order, &rule});
          placed = true;
        }
      }
      if (!placed && !rule.builtin) {
        plan_.rest.push_back(&rule);  // this framework stumbles over it later, if at all
      }
    }
    for (auto& [stage, checks] : checks_) {
      std::ranges::stable_sort(checks, {}, &Check::order);
    }
  }

  /// A check stands before a rewrite of the same line.
  std::vector<Step> steps(const Stage& stage) const {
    std::vector<Step> all;
    const auto found = checks_.find(stage.name);
    const std::vector<Check> none;
    const auto& checks = found == checks_.end() ? none : found->second;
    auto check = checks.begin();
    for (const auto& rewrite : stage.rewrites) {
      for (; check != checks.end() && check->order <= rewrite.order; ++check) {
        all.push_back({check->rule, nullptr});
      }
      if (here(rewrite.versions) && known(rewrite)) {
        all.push_back({nullptr, &rewrite});
      }
    }
    for (; check != checks.end(); ++check) {
      all.push_back({check->rule, nullptr});
    }
    return all;
  }

  bool known(const RewriteStep& rewrite) const {
    if (rewrite.slot < 0) {
      return true;
    }
    const auto name = knowledge_.names.name(rewrite.slot);
    return std::ranges::find(plan_.created, rewrite.slot) != plan_.created.end() ||
           vocabulary_.find(name) != nullptr || recipe_.find(name) != nullptr;
  }

  const Knowledge& knowledge_;
  const recipe::Recipe& recipe_;
  const recipe::Vocabulary& vocabulary_;
  std::string_view framework_;
  std::map<std::string_view, std::vector<Check>> checks_;
  Itinerary plan_;
};

}  // namespace

Itinerary plan(const Knowledge& knowledge,
               const recipe::Recipe& recipe,
               const recipe::Vocabulary& vocabulary) {
  return Planner(knowledge, recipe, vocabulary).run();
}

}  // namespace epwise::lint
