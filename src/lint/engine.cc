#include "lint/engine.h"

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "expr/functions.h"
#include "lint/decision.h"
#include "lint/finding_builder.h"
#include "lint/illegal_values.h"
#include "lint/launch_plan.h"
#include "lint/launch_run.h"
#include "lint/premises.h"
#include "lint/renaming.h"
#include "lint/rule.h"
#include "lint/spelling_fixes.h"
#include "recipe/framework.h"
#include "recipe/trainers/trainer_facts.h"

namespace epwise::lint {

namespace {

bool has_node(const Rule& rule, bool (*is_it)(const expr::Node& node)) {
  return std::ranges::any_of(rule.given.nodes, is_it) ||
         std::ranges::any_of(rule.assertion.nodes, is_it);
}

/// Whether a rule looks at the recipe as written, before the framework processes it.
bool reads_as_written(const Rule& rule) {
  return has_node(rule, [](const expr::Node& node) { return node.op == expr::Op::written; });
}

/// Whether a rule is about values that are texts.
bool asks_for_text(const Rule& rule) {
  return has_node(rule, [](const expr::Node& node) {
    return node.op == expr::Op::call &&
           expr::functions()[static_cast<std::size_t>(node.slot)].name == "is_text";
  });
}

/// The state of every rule while a recipe is linted.
class Collector final : public LaunchEvents {
 public:
  Collector(const Knowledge& knowledge,
            const facts::Facts& facts,
            const Selection& selection,
            Result& result)
      : knowledge_(knowledge),
        facts_(facts),
        reads_(knowledge, facts.vocabulary()),
        selection_(selection),
        result_(result),
        ledger_(std::make_shared<Ledger>()),
        writer_(knowledge, facts, *ledger_) {}

  void failed(const Rule& rule, int step, const std::string& crash) override {
    writer_.failed(rule, step, crash);
    const bool later = std::exchange(rejected_, true);
    if (rule.builtin) {
      return;  // the reader's diagnostics are findings already
    }
    if (later && !crash.empty()) {
      // The framework never gets that far, and what would fail there may well be the defect that
      // stopped it before.
      fail_silently(rule);
      return;
    }
    const auto* cause = crash.empty() ? nullptr : misread_number(rule, knowledge_, facts_);
    if (cause != nullptr && blame(*cause, rule.severity)) {
      fail_silently(rule);
      return;
    }
    fail(rule, crash);
  }

  void open(const Rule& rule, const std::vector<std::string>& needs) override {
    writer_.open(rule);
    wait(rule, needs);
  }

  /// It applies to some of the releases that may run.
  void unsettled(const Rule& rule) {
    writer_.unsettled(rule);
    wait(rule, {"stack.mcore"});
  }

  /// A rule without a place in the launch. One that crashes gets values of other types than it
  /// expects; other rules report that.
  void decided(const Rule& rule, const Outcome& outcome) {
    const bool fails = outcome.kind == Outcome::Kind::fails;
    const bool inherited = fails && is_inherited(rule, facts_);
    writer_.decided(rule, outcome, inherited);
    if (inherited) {
      wait(rule, {"the base recipe"});
    } else if (fails) {
      fail(rule, {});
    } else if (outcome.kind == Outcome::Kind::open) {
      wait(rule, outcome.needs);
    }
  }

  void fail(const Rule& rule, const std::string& crash) {
    evaluation_.failed.insert(&rule);
    evaluation_.silent.erase(&rule);
    findings_.push_back(build_finding(rule, facts_, knowledge_, crash));
  }

  void report(const text::Diagnostic& diagnostic) {
    const auto* rule = knowledge_.find(diagnostic.rule);
    if (rule == nullptr) {
      result_.crashed_rules.push_back(diagnostic.rule +
                                      ": reported by a reader, but no such rule exists");
      return;
    }
    writer_.reported(*rule);
    evaluation_.failed.insert(rule);
    findings_.push_back(build_finding(*rule, diagnostic, facts_));
    if (is_doubtful(*rule, facts_)) {
      doubt(findings_.back());
    }
  }

  /// No selection hides why nothing that it selects could be checked.
  bool keeps_from_reading(const Finding& finding) const {
    return !facts_.recipe().readable && finding.severity == Severity::error;
  }

  /// Findings and undecided rules that are not explained by others, sorted.
  void finish() {
    auto misspelt = misspellings(facts_.recipe(), facts_.vocabulary());
    std::erase_if(misspelt, [this](const Misspelling& key) {
      const auto* rule = knowledge_.find(key.diagnostic->rule);
      return rule == nullptr || !selection_.takes(*rule);
    });
    evaluation_.ends_launch = result_.launch.rule;
    const Decisions decisions(evaluation_, knowledge_, reads_, facts_, misspelt);
    if (const Rule* stop = decisions.trainer_stop();
        stop != nullptr && result_.launch.verdict != Verdict::rejects) {
      result_.launch.verdict = Verdict::rejects;
      result_.launch.rule = stop;
    }
    weigh(decisions.illegal());
    std::vector<const Rule*> judges;  // before any finding is moved
    for (const auto& finding : findings_) {
      judges.push_back(judge_of(finding, decisions.illegal()));
    }
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      if (selection_.takes(*findings_[i].rule) || keeps_from_reading(findings_[i])) {
        settle(findings_[i], judges[i], decisions);
      }
    }
    for (const auto& [rule, needs] : evaluation_.open) {
      if (selection_.takes(*rule) && decisions.is_open(*rule)) {
        result_.open.push_back({rule, needs});
      }
    }
    const auto id = [](const Explained& each) { return each.rule->id; };
    std::ranges::stable_sort(result_.explained, {}, id);
    std::ranges::sort(result_.open, {}, [](const Open& open) { return open.rule->id; });
    std::ranges::stable_sort(result_.findings, before);
    find_root(decisions.illegal());
    result_.ledger = ledger_;
  }

 private:
  void wait(const Rule& rule, const std::vector<std::string>& needs) {
    add_needs(evaluation_.open[&rule], needs);
  }

  /// The tables of another release cannot say that this one does not know a flag, key or value.
  void doubt(Finding& finding) const {
    const auto framework = facts_.recipe().framework;
    const auto* stated = facts_.target().stack.find(recipe::to_string(framework));
    finding.severity = std::min(finding.severity, Severity::warning);
    const bool known = stated != nullptr && stated->version;
    finding.message += fmt::format("; the tables are those of {} {}, not of {}",
                                   recipe::title(framework),
                                   facts_.vocabulary().version(),
                                   known ? stated->version->text() : "the release that runs");
  }

  void fail_silently(const Rule& rule) {
    if (evaluation_.failed.insert(&rule).second) {
      evaluation_.silent.insert(&rule);
    }
  }

  /// Puts a finding where it belongs. `judge`: the rule in favour of which it is dropped; may be
  /// null.
  void settle(Finding& finding, const Rule* judge, const Decisions& decisions) {
    const Rule& rule = *finding.rule;
    const Decision decision = decisions.of_failed(rule);
    if (decision.kind == Decision::Kind::explained) {
      result_.explained.push_back({&rule, decision.by});
    } else if (decision.kind == Decision::Kind::waiting) {
      result_.waiting.push_back(&rule);
    } else if (judge != nullptr) {
      result_.explained.push_back({&rule, judge});
    } else if (decision.kind == Decision::Kind::open) {
      result_.open.push_back({&rule, evaluation_.open.at(decision.by)});
    } else {
      result_.findings.push_back(std::move(finding));
    }
  }

  /// A reader's diagnostic about a value gives way to a rule that explains the consequence of the
  /// same written value.
  const Rule* judge_of(const Finding& remark, const IllegalValues& illegal) const {
    if (remark.rule->id == "recipe/unknown-word") {
      const auto* teller = illegal.teller(remark.primary.mark);
      return teller != nullptr && selection_.takes(*teller) ? teller : nullptr;
    }
    if (!remark.rule->builtin || remark.severity != Severity::warning) {
      return nullptr;
    }
    const auto judges_it = [&](const Finding& finding) {
      const bool outweighs = finding.severity > remark.severity ||
                             (finding.severity == remark.severity && asks_for_text(*finding.rule));
      return !finding.rule->builtin && outweighs && finding.primary.mark == remark.primary.mark &&
             selection_.takes(*finding.rule) &&
             explanation(*finding.rule, knowledge_, evaluation_.failed) == nullptr &&
             reads_as_written(*finding.rule);
    };
    const auto judge = std::ranges::find_if(findings_, judges_it);
    return judge == findings_.end() ? nullptr : judge->rule;
  }

  /// A misspelt key is as severe as its consequence. If the launch does not start, nothing ran with
  /// a misspelt name or word: correcting it does not change any run.
  void weigh(const IllegalValues& illegal) {
    for (const auto& finding : findings_) {
      const auto* key = illegal.behind_key(*finding.rule);
      if (key != nullptr && selection_.takes(*finding.rule) &&
          explanation(*finding.rule, knowledge_, evaluation_.failed) == nullptr) {
        blame(*key->diagnostic, finding.severity);
      }
    }
    if (result_.launch.verdict != Verdict::rejects) {
      return;
    }
    for (auto& finding : findings_) {
      for (Fix& fix : finding.fixes) {
        fix.tier = is_spelling(finding, fix) ? Tier::neutral : fix.tier;
      }
    }
  }

  void find_root(const IllegalValues& illegal) {
    constexpr int kLongestChain = 16;
    const auto* rule = result_.launch.rule;
    for (int i = 0; rule != nullptr && i < kLongestChain; ++i) {
      const auto* premise = explanation(*rule, knowledge_, evaluation_.failed);
      const auto* next = premise != nullptr ? premise : illegal.behind(*rule);
      if (next == nullptr) {
        result_.root = rule == result_.launch.rule ? nullptr : rule;
        result_.stop_selected = selection_.takes(*rule);
        return;
      }
      rule = next;
    }
  }

  /// A reader's diagnostic that stops the launch is as severe as the check that fails on it.
  bool blame(const text::Diagnostic& cause, Severity severity) {
    const auto finding = std::ranges::find_if(findings_, [&](const Finding& candidate) {
      return candidate.rule->id == cause.rule && candidate.primary.mark == cause.mark;
    });
    if (finding == findings_.end() || !selection_.takes(*finding->rule)) {
      return false;
    }
    finding->severity = std::max(finding->severity, severity);
    return true;
  }

  static bool before(const Finding& a, const Finding& b) {
    const auto key = [](const Finding& finding) {
      const auto& mark = finding.primary.mark;
      return std::tuple(mark.nowhere() ? 1 : 0,
                        mark.begin,
                        -static_cast<int>(finding.severity),
                        finding.rule->id);
    };
    return key(a) < key(b);
  }

  const Knowledge& knowledge_;
  const facts::Facts& facts_;
  FieldsRead reads_;
  const Selection& selection_;
  Result& result_;
  std::vector<Finding> findings_;
  bool rejected_ = false;
  Evaluation evaluation_;
  std::shared_ptr<Ledger> ledger_;
  LedgerWriter writer_;
};

/// Rules that were checked, including those checked by readers, and whose findings are shown.
int count_checked(const Knowledge& knowledge,
                  const recipe::Vocabulary& vocabulary,
                  const LaunchPlan& launch_plan,
                  const Selection& selection) {
  std::set<const Rule*> all(launch_plan.rest.begin(), launch_plan.rest.end());
  const auto framework = recipe::to_string(vocabulary.framework());
  for (const auto& rule : knowledge.rules) {
    if (rule.builtin && !is_priced(rule) && !is_predicted(rule) &&
        holds(rule.versions, framework, vocabulary.version())) {
      all.insert(&rule);
    }
  }
  for (const auto& leg : launch_plan.legs) {
    for (const auto& step : leg.steps) {
      if (step.check != nullptr) {
        all.insert(step.check);
      }
    }
  }
  return static_cast<int>(
      std::ranges::count_if(all, [&](const Rule* rule) { return selection.takes(*rule); }));
}

bool matches(const Rule& rule, const std::string& pattern) {
  const auto starts = [&](std::string_view text) {
    return !pattern.empty() && text.starts_with(pattern);
  };
  const bool prefix = pattern.ends_with('/') || pattern.find('/') == std::string::npos;
  return rule.id == pattern || rule.code == pattern ||
         std::ranges::find(rule.aliases, pattern) != rule.aliases.end() ||
         pattern == to_string(rule.confidence) ||
         (prefix && (starts(rule.id) || starts(rule.code)));
}

}  // namespace

bool Selection::takes(const Rule& rule) const {
  const auto fits = [&](const std::string& pattern) { return matches(rule, pattern); };
  bool taken =
      (select.empty() || std::ranges::any_of(select, fits)) && std::ranges::none_of(ignore, fits);
  for (const Extension& extension : extensions) {
    taken = fits(extension.pattern) ? extension.takes : taken;
  }
  return taken;
}

Waiver waiver_of(const Result& result) {
  if (result.launch.verdict != Verdict::rejects || result.launch.rule == nullptr) {
    return {};
  }
  const auto stops = [&result](const Finding& finding) {
    return finding.rule == result.launch.rule || finding.rule == result.root;
  };
  const auto accepted = std::ranges::find_if(result.accepted, stops, &Accepted::finding);
  if (accepted != result.accepted.end()) {
    return {.kind = Waiver::Kind::accepted, .source = accepted->source};
  }
  const auto reported = std::ranges::find_if(result.findings, stops);
  if (reported != result.findings.end()) {
    return reported->severity == Severity::error
               ? Waiver{}
               : Waiver{.kind = Waiver::Kind::lowered, .severity = reported->severity};
  }
  return {.kind = result.stop_selected ? Waiver::Kind::none : Waiver::Kind::deselected};
}

Result lint(const recipe::Recipe& recipe,
            const recipe::Vocabulary& defaults,
            const facts::Target& target,
            const Knowledge& knowledge,
            const Selection& selection) {
  const auto& vocabulary = recipe.vocabulary_or(defaults);
  Result result;
  result.recipe = &recipe;
  const auto framework = recipe::to_string(recipe.framework);
  result.framework_version = vocabulary.version();
  const auto* given = target.stack.find(framework);
  result.version_assumed =
      (!recipe::has_trainer(recipe) ? given == nullptr : !is_settled(recipe, target)) ||
      !vocabulary.exact();
  if (given != nullptr && given->version && result.version_assumed) {
    result.version_unknown = given->version->text();
  }

  facts::Facts facts(recipe, vocabulary, target, knowledge.names, knowledge.derived);
  Collector collector(knowledge, facts, selection, result);
  for (const auto& diagnostic : recipe.diagnostics) {
    collector.report(diagnostic);
  }
  if (!recipe.readable) {
    result.launch.verdict = Verdict::undecided;
    result.launch.needs = {"a readable recipe"};
    collector.finish();
    return result;
  }
  for (const auto& diagnostic : misspelt_variables(facts, knowledge)) {
    collector.report(diagnostic);
  }
  const auto launch_plan = plan(knowledge, recipe, vocabulary, target);
  result.rules_checked = count_checked(knowledge, vocabulary, launch_plan, selection);
  result.launch = run_launch(launch_plan, facts, reported_by_readers(facts, knowledge), collector);
  result.effective = facts.rewrites();
  for (const auto* rule : launch_plan.unsettled) {
    collector.unsettled(*rule);
  }
  for (const auto* rule : launch_plan.rest) {
    try {
      collector.decided(*rule, decide_certainly(*rule, facts));
    } catch (const std::exception& error) {
      result.crashed_rules.push_back(std::string(rule->id) + ": " + error.what());
    }
  }
  collector.finish();
  return result;
}

}  // namespace epwise::lint
