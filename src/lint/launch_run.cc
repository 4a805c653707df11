#include "lint/launch_run.h"

#include <algorithm>

#include "lint/range.h"
#include "recipe/framework.h"

namespace epwise::lint {

namespace {

/// A check at its place.
struct Check {
  std::int32_t order = 0;
  const Rule* rule = nullptr;
};

class Run {
 public:
  Run(const Knowledge& knowledge,
      model::Facts& facts,
      const std::set<std::string_view>& reported,
      LaunchEvents& events)
      : knowledge_(knowledge),
        facts_(facts),
        reported_(reported),
        events_(events),
        framework_(recipe::to_string(facts.recipe().framework)),
        version_(facts.vocabulary().version()) {}

  Launch run(const Pipeline& pipeline) {
    created_ = pipeline.created;
    for (const auto& stage : pipeline.stages) {
      if (!holds(stage.versions, framework_, version_) || !enters(stage)) {
        continue;
      }
      if (stage.config) {
        facts_.enter_config();
      }
      steps(stage);
      for (const auto again : stage.repeats) {
        const auto found = std::ranges::find(pipeline.stages, again, &Stage::name);
        if (found != pipeline.stages.end()) {
          steps(*found);
        }
      }
    }
    announce(expr::Value::unset());
    if (launch_.verdict == Verdict::starts && !launch_.needs.empty()) {
      launch_.verdict = Verdict::undecided;
    }
    if (launch_.verdict == Verdict::rejects) {
      launch_.needs.clear();
    }
    return launch_;
  }

 private:
  bool enters(const Stage& stage) const {
    if (stage.when.empty()) {
      return true;
    }
    const auto when = expr::evaluate(stage.when, facts_);
    return !when.is_known() || when.truthy();
  }

  std::vector<Check> checks_of(const Stage& stage) const {
    std::vector<Check> checks;
    for (const auto& rule : knowledge_.rules) {
      for (const auto& place : rule.places) {
        if (place.framework == framework_ && place.stage == stage.name &&
            holds(rule.versions, framework_, version_)) {
          checks.push_back({place.order, &rule});
        }
      }
    }
    std::ranges::stable_sort(checks, {}, &Check::order);
    return checks;
  }

  /// Rules that stand in several stages may ask in which one they are (`stage`); null when all are
  /// over.
  void announce(expr::Value stage) {
    if (const int slot = facts_.names().find("stage"); slot >= 0) {
      facts_.assign(slot, std::move(stage), {});
    }
  }

  void steps(const Stage& stage) {
    announce(expr::Value::of(stage.name));
    const auto checks = checks_of(stage);
    auto check = checks.begin();
    for (const auto& rewrite : stage.rewrites) {
      for (; check != checks.end() && check->order <= rewrite.order; ++check) {
        apply(*check->rule, stage);
      }
      apply(rewrite);
    }
    for (; check != checks.end(); ++check) {
      apply(*check->rule, stage);
    }
  }

  void apply(const Rule& rule, const Stage& stage) {
    if (failed_.contains(rule.id)) {
      return;
    }
    auto outcome = rule.builtin ? Outcome{} : decide(rule, facts_);
    if (rule.builtin && reported_.contains(rule.id)) {
      outcome.kind = Outcome::Kind::fails;
    }
    switch (outcome.kind) {
      case Outcome::Kind::passes:
        break;
      case Outcome::Kind::open:
        add_needs(launch_.needs, outcome.needs);
        events_.open(rule, outcome.needs);
        break;
      case Outcome::Kind::fails:
      case Outcome::Kind::crashes:
        failed_.insert(rule.id);
        if (launch_.verdict != Verdict::rejects) {
          launch_.verdict = Verdict::rejects;
          launch_.rule = &rule;
          launch_.stage = stage.name;
          launch_.crash = outcome.crash;
        }
        events_.failed(rule, stage, outcome.crash);
        break;
    }
  }

  void apply(const RewriteStep& rewrite) {
    if (!holds(rewrite.versions, framework_, version_) || !known(rewrite)) {
      return;
    }
    auto when = rewrite.when.empty() ? expr::Value::of(true) : expr::evaluate(rewrite.when, facts_);
    if (when.is_crash() || (when.is_known() && !when.truthy())) {
      return;
    }
    auto value = when.is_unknown() ? std::move(when) : expr::evaluate(rewrite.value, facts_);
    if (value.is_crash()) {
      return;
    }
    if (rewrite.slot >= 0) {
      facts_.assign(rewrite.slot, std::move(value), rewrite.why);
    } else if (value.is_known()) {
      facts_.set_section(rewrite.section, value.truthy());
    }
  }

  /// Rewrites of fields that this version does not have are for others.
  bool known(const RewriteStep& rewrite) const {
    if (rewrite.slot < 0) {
      return true;
    }
    const auto name = facts_.names().name(rewrite.slot);
    return std::ranges::find(created_, rewrite.slot) != created_.end() ||
           facts_.vocabulary().find(name) != nullptr || facts_.recipe().find(name) != nullptr;
  }

  const Knowledge& knowledge_;
  model::Facts& facts_;
  const std::set<std::string_view>& reported_;
  LaunchEvents& events_;
  std::string_view framework_;
  std::string_view version_;
  std::set<std::string_view> failed_;
  std::vector<std::int32_t> created_;
  Launch launch_;
};

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::starts:
      return "starts";
    case Verdict::rejects:
      return "rejects";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

Launch run_launch(const Knowledge& knowledge,
                  model::Facts& facts,
                  const std::set<std::string_view>& reported,
                  LaunchEvents& events) {
  const auto framework = recipe::to_string(facts.recipe().framework);
  const auto pipeline = std::ranges::find(knowledge.pipelines, framework, &Pipeline::framework);
  if (pipeline == knowledge.pipelines.end()) {
    return {};
  }
  return Run(knowledge, facts, reported, events).run(*pipeline);
}

}  // namespace epwise::lint
