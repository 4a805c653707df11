#include "lint/launch_run.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lint/launch_plan.h"
#include "lint/premises.h"

namespace epwise::lint {

void add_needs(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

void LedgerWriter::reported(const Rule& rule) {
  (is_doubtful(rule, facts_) ? entry(rule).unsettled : entry(rule).failed) = true;
}

void LedgerWriter::failed(const Rule& rule, int step, const std::string& crash) {
  auto& state = entry(rule);
  state.failed = true;
  state.rejects = true;
  state.crashed = !crash.empty();
  state.misread = state.crashed && misread_number(rule, knowledge_, facts_) != nullptr;
  state.step = step;
}

void LedgerWriter::open(const Rule& rule) {
  entry(rule).open = true;
  entry(rule).unsettled = true;
}

void LedgerWriter::decided(const Rule& rule, const Outcome& outcome, bool inherited) {
  entry(rule).failed = outcome.kind == Outcome::Kind::fails && !inherited;
  entry(rule).open = inherited || outcome.kind == Outcome::Kind::open;
}

Outcome decide(const Rule& rule, const expr::Environment& facts) {
  const auto given = rule.given.empty() ? expr::Value::of(true) : expr::evaluate(rule.given, facts);
  if (const auto* crash = given.crashed()) {
    return {Outcome::Kind::crashes, {}, crash->what};
  }
  if (given.is_known() && !given.truthy()) {
    return {};
  }
  const auto holds = expr::evaluate(rule.assertion, facts);
  if (const auto* crash = holds.crashed()) {
    if (const auto* unknown = given.unknown()) {
      return {Outcome::Kind::open, unknown->needs, {}};
    }
    return {Outcome::Kind::crashes, {}, crash->what};
  }
  if (holds.is_known() && holds.truthy()) {
    return {};
  }
  Outcome outcome{
      given.is_unknown() || holds.is_unknown() ? Outcome::Kind::open : Outcome::Kind::fails,
      {},
      {}};
  if (const auto* unknown = given.unknown()) {
    add_needs(outcome.needs, unknown->needs);
  }
  if (const auto* unknown = holds.unknown()) {
    add_needs(outcome.needs, unknown->needs);
  }
  return outcome;
}

Outcome decide_certainly(const Rule& rule, facts::Facts& facts) {
  Outcome outcome = decide(rule, facts);
  const bool fails = outcome.kind == Outcome::Kind::fails || outcome.kind == Outcome::Kind::crashes;
  if (!fails || rule.severity != Severity::error || facts.recipe().unread_words() == nullptr) {
    return outcome;
  }
  facts.doubt_unwritten(true);
  Outcome doubted = decide(rule, facts);
  facts.doubt_unwritten(false);
  return doubted.kind == Outcome::Kind::open ? doubted : outcome;
}

namespace {

class Run {
 public:
  Run(facts::Facts& facts, const Reported& reported, LaunchEvents& events)
      : facts_(facts),
        reported_(reported),
        events_(events) {}

  Launch run(const LaunchPlan& launch_plan) {
    bool entered = false;
    for (const auto& leg : launch_plan.legs) {
      if (leg.stage == leg.within) {
        entered = enters(*leg.stage);
        if (entered && leg.stage->config) {
          facts_.enter_config();
        }
      }
      if (entered) {
        walk(leg);
      } else {
        step_ += static_cast<int>(leg.steps.size());
      }
    }
    announce(expr::Value::unset());
    // Words of unknown text may hold any option.
    if (const auto* needs = facts_.recipe().unread_words()) {
      add_needs(launch_.needs, *needs);
    }
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

  /// Rules in several stages may read the current one (`stage`); null after all of them.
  void announce(expr::Value stage) {
    if (const auto slot = facts_.names().find("stage")) {
      facts_.assign(*slot, std::move(stage), {});
    }
  }

  void walk(const LaunchLeg& leg) {
    announce(expr::Value::of(leg.stage->name));
    for (const auto& step : leg.steps) {
      if (step.rewrite != nullptr) {
        apply(*step.rewrite, *leg.stage);
      } else if (events_.wants(*step.check)) {
        apply(*step.check, *leg.stage);
      }
      ++step_;
    }
  }

  void apply(const Rule& rule, const Stage& stage) {
    if (failed_.contains(rule.id)) {
      return;
    }
    auto outcome = rule.builtin ? Outcome{} : decide_certainly(rule, facts_);
    if (rule.builtin && reported_.certain.contains(rule.id)) {
      outcome.kind = Outcome::Kind::fails;
    } else if (rule.builtin && reported_.doubtful.contains(rule.id)) {
      add_needs(launch_.needs, reported_.needs);
    }
    if (outcome.kind == Outcome::Kind::fails && is_doubtful(rule, facts_)) {
      outcome = {Outcome::Kind::open, {std::string(recipe::kTablesOfRelease)}, {}};
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
        events_.failed(rule, step_, outcome.crash);
        break;
    }
  }

  void apply(const RewriteStep& rewrite, const Stage& stage) {
    auto when = rewrite.when.empty() ? expr::Value::of(true) : expr::evaluate(rewrite.when, facts_);
    if (when.is_crash() || (when.is_known() && !when.truthy())) {
      return;
    }
    auto value = expr::evaluate(rewrite.value, facts_);
    if (when.is_unknown() && !stands_already(rewrite, value)) {
      value = std::move(when);
    } else if (when.is_unknown() || value.is_crash()) {
      return;
    }
    if (rewrite.parses) {
      facts_.parse_into(*rewrite.slot, value, rewrite.why);
      return;
    }
    if (rewrite.slot) {
      facts_.assign(*rewrite.slot, std::move(value), rewrite.why);
    } else if (value.is_known()) {
      facts_.set_section(rewrite.section, value.truthy());
    }
    events_.rewrote(rewrite, stage);
  }

  /// Then the rewrite changes nothing, whether it happens or not.
  bool stands_already(const RewriteStep& rewrite, const expr::Value& value) const {
    return rewrite.slot && value.is_known() && facts_.value(*rewrite.slot) == value;
  }

  facts::Facts& facts_;
  const Reported& reported_;
  LaunchEvents& events_;
  std::set<std::string_view> failed_;
  int step_ = 0;
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

bool is_doubtful(const Rule& rule, const facts::Facts& facts) {
  return rule.by_tables && !facts.vocabulary().of_release();
}

Reported reported_by_readers(const facts::Facts& facts, const Knowledge& knowledge) {
  Reported reported;
  for (const auto& diagnostic : facts.recipe().diagnostics) {
    const auto* rule = knowledge.find(diagnostic.rule);
    const bool doubtful = rule != nullptr && is_doubtful(*rule, facts);
    (doubtful ? reported.doubtful : reported.certain).insert(diagnostic.rule);
  }
  if (!reported.doubtful.empty()) {
    reported.needs.emplace_back(recipe::kTablesOfRelease);
  }
  return reported;
}

Launch run_launch(const LaunchPlan& launch_plan,
                  facts::Facts& facts,
                  const Reported& reported,
                  LaunchEvents& events) {
  return Run(facts, reported, events).run(launch_plan);
}

namespace {

class Silence final : public LaunchEvents {
 public:
  void failed(const Rule& /*rule*/, int /*step*/, const std::string& /*crash*/) override {}

  void open(const Rule& /*rule*/, const std::vector<std::string>& /*needs*/) override {}

  bool wants(const Rule& /*rule*/) const override { return false; }
};

}  // namespace

Launch settle(facts::Facts& facts, const Knowledge& knowledge) {
  Silence silence;
  return run_launch(plan_for_release(knowledge, facts.recipe(), facts.vocabulary()),
                    facts,
                    reported_by_readers(facts, knowledge),
                    silence);
}

}  // namespace epwise::lint
