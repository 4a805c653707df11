#include "lint/variants.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "lint/decision.h"
#include "lint/facts/facts.h"
#include "lint/illegal_values.h"
#include "lint/launch_plan.h"
#include "lint/launch_run.h"
#include "lint/premises.h"
#include "lint/renaming.h"
#include "lint/rule_dependencies.h"
#include "recipe/overrides/scalar_types.h"

namespace epwise::lint {

namespace {

/// Records the launch results of some of the rules in a ledger.
class Recorder final : public LaunchEvents {
 public:
  Recorder(const std::vector<bool>& wanted, const Knowledge& knowledge, LedgerWriter& writer)
      : wanted_(wanted),
        knowledge_(knowledge),
        writer_(writer) {}

  bool wants(const Rule& rule) const override {
    return wanted_[static_cast<std::size_t>(&rule - knowledge_.rules.data())];
  }

  void failed(const Rule& rule, int step, const std::string& crash) override {
    writer_.failed(rule, step, crash);
  }

  void open(const Rule& rule, const std::vector<std::string>& /*needs*/) override {
    writer_.open(rule);
  }

 private:
  const std::vector<bool>& wanted_;
  const Knowledge& knowledge_;
  LedgerWriter& writer_;
};

}  // namespace

class Variants::State {
 public:
  State(const recipe::Recipe& recipe,
        const recipe::Vocabulary& vocabulary,
        const facts::Target& target,
        const Knowledge& knowledge,
        const Ledger* known)
      : knowledge_(knowledge),
        launch_plan_(plan(knowledge, recipe, vocabulary, target)),
        influence_(knowledge, recipe.framework, vocabulary.version(), {&vocabulary}),
        reads_(knowledge, vocabulary),
        facts_(recipe, vocabulary, target, knowledge.names, knowledge.derived),
        misspelt_(misspellings(recipe, vocabulary)),
        reported_(reported_by_readers(facts_, knowledge)) {
    if (known != nullptr) {
      base_ = *known;
      return;
    }
    LedgerWriter writer(knowledge, facts_, base_);
    for (const auto& diagnostic : recipe.diagnostics) {
      if (const auto* rule = knowledge.find(diagnostic.rule)) {
        writer.reported(*rule);
      }
    }
    const std::vector<bool> all(knowledge.rules.size(), true);
    evaluate(all, base_);
    facts_.restore();
  }

  const Judgement& base() {
    if (!judgement_) {
      judgement_ = judge(std::vector<Change>());
      judgement_->assumed = assumed(std::vector<bool>(knowledge_.rules.size(), true));
    }
    return *judgement_;
  }

  Judgement judge(const std::vector<Change>& changes) {
    std::vector<bool> wanted(knowledge_.rules.size(), false);
    for (const auto& change : changes) {
      for (const int rule : influence_.readers(change.slot)) {
        wanted[static_cast<std::size_t>(rule)] = true;
      }
    }
    Ledger ledger = base_;
    for (std::size_t rule = 0; rule < wanted.size(); ++rule) {
      if (wanted[rule] && !knowledge_.rules[rule].builtin) {
        ledger.entries[rule] = {};
      }
    }
    for (const auto& change : changes) {
      facts_.vary(change.slot, change.value);
    }
    evaluate(wanted, ledger);
    auto judgement = judge(ledger, may_hold_unknown_words(changes));
    judgement.assumed = assumed(wanted);
    facts_.restore();
    return judgement;
  }

  int readers(expr::NameSlot slot) const {
    return static_cast<int>(influence_.readers(slot).size());
  }

 private:
  void evaluate(const std::vector<bool>& wanted, Ledger& ledger) {
    LedgerWriter writer(knowledge_, facts_, ledger);
    Recorder recorder(wanted, knowledge_, writer);
    run_launch(launch_plan_, facts_, reported_, recorder);
    for (const auto* rule : launch_plan_.unsettled) {
      if (recorder.wants(*rule)) {
        writer.unsettled(*rule);
      }
    }
    for (const auto* rule : launch_plan_.rest) {
      if (!recorder.wants(*rule)) {
        continue;
      }
      const auto outcome = decide_certainly(*rule, facts_);
      const bool fails = outcome.kind == Outcome::Kind::fails;
      writer.decided(*rule, outcome, fails && is_inherited(*rule, facts_));
    }
  }

  /// The errors of the assumed release among these rules whose conditions hold.
  std::vector<const Rule*> assumed(const std::vector<bool>& wanted) {
    std::vector<const Rule*> rules;
    const recipe::Vocabulary& vocabulary = facts_.vocabulary();
    std::ranges::copy_if(launch_plan_.unsettled, std::back_inserter(rules), [&](const Rule* rule) {
      return wanted[static_cast<std::size_t>(rule - knowledge_.rules.data())] &&
             rule->severity == Severity::error &&
             holds(
                 rule->versions, recipe::to_string(vocabulary.framework()), vocabulary.version()) &&
             decide_certainly(*rule, facts_).kind == Outcome::Kind::fails;
    });
    return rules;
  }

  /// A crash after the check that ends the launch, or one reported by the reader of the text.
  bool is_silent(const Ledger& ledger, const Rule* rule, int first) const {
    const auto& entry = ledger.entries[static_cast<std::size_t>(rule - knowledge_.rules.data())];
    return entry.misread || (entry.crashed && entry.step > first);
  }

  static bool failed(const Ledger& ledger, const Rule& rule, const Knowledge& knowledge) {
    return ledger.entries[static_cast<std::size_t>(&rule - knowledge.rules.data())].failed;
  }

  /// Words are looked up only if the recipe has unknown ones or a change adds one.
  bool may_hold_unknown_words(const std::vector<Change>& changes) const {
    return remark_ != nullptr &&
           (failed(base_, *remark_, knowledge_) ||
            std::ranges::any_of(changes, [&](const Change& change) {
              const auto* spec = facts_.vocabulary().find(knowledge_.names.name(change.slot));
              return spec != nullptr && !spec->choices.empty() &&
                     recipe::unknown_word(change.value, spec->choices);
            }));
  }

  /// `words`: whether some word may be unknown to its field.
  Judgement judge(const Ledger& ledger, bool words) const {
    Judgement judgement;
    const int first = judge_launch(ledger, judgement);
    const Evaluation evaluation = evaluation_of(ledger, words, first, judgement.first);
    const Decisions decisions(evaluation, knowledge_, reads_, facts_, misspelt_);
    for (const auto* rule : evaluation.failed) {
      if (!evaluation.silent.contains(rule)) {
        settle(*rule, decisions, judgement);
      }
    }
    for (const auto& [rule, needs] : evaluation.open) {
      if (decisions.is_open(*rule)) {
        judgement.open.push_back(rule);
      }
    }
    std::ranges::sort(judgement.open);
    if (const Rule* stop = decisions.trainer_stop();
        stop != nullptr && judgement.verdict != Verdict::rejects) {
      judgement.verdict = Verdict::rejects;
      judgement.first = stop;
    }
    return judgement;
  }

  Evaluation evaluation_of(const Ledger& ledger,
                           bool words,
                           int first,
                           const Rule* ends_launch) const {
    Evaluation evaluation;
    evaluation.ends_launch = ends_launch;
    for (std::size_t i = 0; i < ledger.entries.size(); ++i) {
      const auto* rule = &knowledge_.rules[i];
      if (ledger.entries[i].failed) {
        evaluation.failed.insert(rule);
        if (is_silent(ledger, rule, first)) {
          evaluation.silent.insert(rule);
        }
      }
      if (ledger.entries[i].open) {
        evaluation.open.emplace(rule, std::vector<std::string>());
      }
    }
    if (words && has_unknown_word(facts_)) {
      evaluation.failed.insert(remark_);
    } else {
      evaluation.failed.erase(remark_);
    }
    return evaluation;
  }

  void settle(const Rule& rule, const Decisions& decisions, Judgement& judgement) const {
    if (&rule == remark_ && !decisions.illegal().has_untold_word()) {
      judgement.explained.push_back(&rule);
      return;
    }
    switch (decisions.of_failed(rule).kind) {
      case Decision::Kind::reported:
        judgement.failed.push_back(&rule);
        break;
      case Decision::Kind::explained:
        judgement.explained.push_back(&rule);
        break;
      case Decision::Kind::waiting:
        judgement.waiting.push_back(&rule);
        break;
      case Decision::Kind::open:
        judgement.open.push_back(&rule);
        break;
    }
  }

  /// The step of the first rejection; -1 when there is none.
  int judge_launch(const Ledger& ledger, Judgement& judgement) const {
    int first = -1;
    for (std::size_t i = 0; i < ledger.entries.size(); ++i) {
      const auto& entry = ledger.entries[i];
      if (entry.rejects && (first < 0 || entry.step < first)) {
        first = entry.step;
        judgement.first = &knowledge_.rules[i];
        judgement.verdict = Verdict::rejects;
      } else if (entry.unsettled && judgement.verdict == Verdict::starts) {
        judgement.verdict = Verdict::undecided;
      }
    }
    return first;
  }

  const Knowledge& knowledge_;
  const Rule* remark_ = knowledge_.find("recipe/unknown-word");
  LaunchPlan launch_plan_;
  RuleDependencies influence_;
  FieldsRead reads_;
  facts::Facts facts_;
  std::vector<Misspelling> misspelt_;
  Reported reported_;
  Ledger base_;
  std::optional<Judgement> judgement_;  // of the recipe itself, once asked for
};

Variants::Variants(const recipe::Recipe& recipe,
                   const recipe::Vocabulary& vocabulary,
                   const facts::Target& target,
                   const Knowledge& knowledge,
                   const Ledger* known)
    : state_(std::make_unique<State>(
          recipe, recipe.vocabulary_or(vocabulary), target, knowledge, known)) {}

Variants::~Variants() = default;

const Judgement& Variants::base() const {
  return state_->base();
}

Judgement Variants::judge(const std::vector<Change>& changes) {
  return state_->judge(changes);
}

int Variants::readers(expr::NameSlot slot) const {
  return state_->readers(slot);
}

}  // namespace epwise::lint
