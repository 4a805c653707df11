#include "lint/variants.h"

#include <algorithm>
#include <map>
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

/// The results of one evaluation of all rules, before determining which of them explain each other.
struct Ledger {
  struct Entry {
    bool failed = false;
    bool rejects = false;  // reached by the launch, at `step`
    bool crashed = false;
    bool misread = false;  // crashed over a text that a reader reported
    bool open = false;
    bool unsettled = false;  // undecided when reached by the launch
    int step = 0;
  };

  std::vector<Entry> entries;  // indexed like the rule table
  Launch launch;
};

namespace {

/// Records the launch results of some of the rules in a ledger.
class Writer final : public LaunchEvents {
 public:
  Writer(const Knowledge& knowledge,
         const facts::Facts& facts,
         const std::vector<bool>& wanted,
         Ledger& ledger)
      : knowledge_(knowledge),
        facts_(facts),
        wanted_(wanted),
        ledger_(ledger) {}

  bool wants(const Rule& rule) const override { return wanted_[index(rule)]; }

  void failed(const Rule& rule, int step, const std::string& crash) override {
    auto& entry = ledger_.entries[index(rule)];
    entry.failed = true;
    entry.rejects = true;
    entry.crashed = !crash.empty();
    entry.misread = entry.crashed && misread_number(rule, knowledge_, facts_) != nullptr;
    entry.step = step;
  }

  void open(const Rule& rule, const std::vector<std::string>& /*needs*/) override {
    auto& entry = ledger_.entries[index(rule)];
    entry.open = true;
    entry.unsettled = true;
  }

  std::size_t index(const Rule& rule) const {
    return static_cast<std::size_t>(&rule - knowledge_.rules.data());
  }

 private:
  const Knowledge& knowledge_;
  const facts::Facts& facts_;
  const std::vector<bool>& wanted_;
  Ledger& ledger_;
};

}  // namespace

class Variants::State {
 public:
  State(const recipe::Recipe& recipe,
        const recipe::Vocabulary& vocabulary,
        const facts::Target& target,
        const Knowledge& knowledge)
      : knowledge_(knowledge),
        launch_plan_(plan(knowledge, recipe, vocabulary, target)),
        influence_(knowledge, recipe.framework, vocabulary.version(), {&vocabulary}),
        reads_(knowledge, vocabulary),
        facts_(recipe, vocabulary, target, knowledge.names, knowledge.derived),
        misspelt_(misspellings(recipe, vocabulary)),
        reported_(reported_by_readers(facts_, knowledge)) {
    base_.entries.resize(knowledge.rules.size());
    for (const auto& diagnostic : recipe.diagnostics) {
      const auto* rule = knowledge.find(diagnostic.rule);
      if (rule == nullptr) {
        continue;
      }
      auto& entry = base_.entries[static_cast<std::size_t>(rule - knowledge.rules.data())];
      (is_doubtful(*rule, facts_) ? entry.unsettled : entry.failed) = true;
    }
    evaluate(std::vector<bool>(knowledge.rules.size(), true), base_);
    judgement_ = judge(base_, remark_ != nullptr && failed(base_, *remark_, knowledge_));
    facts_.restore();
  }

  const Judgement& base() const { return judgement_; }

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
    facts_.restore();
    return judgement;
  }

  int readers(expr::NameSlot slot) const {
    return static_cast<int>(influence_.readers(slot).size());
  }

 private:
  void evaluate(const std::vector<bool>& wanted, Ledger& ledger) {
    Writer writer(knowledge_, facts_, wanted, ledger);
    run_launch(launch_plan_, facts_, reported_, writer);
    for (const auto* rule : launch_plan_.unsettled) {
      if (writer.wants(*rule)) {
        ledger.entries[writer.index(*rule)].open = true;
      }
    }
    for (const auto* rule : launch_plan_.rest) {
      if (!writer.wants(*rule)) {
        continue;
      }
      const auto outcome = decide(*rule, facts_);
      const bool fails = outcome.kind == Outcome::Kind::fails;
      const bool inherited = fails && is_inherited(*rule, facts_);
      auto& entry = ledger.entries[writer.index(*rule)];
      entry.failed = fails && !inherited;
      entry.open = inherited || outcome.kind == Outcome::Kind::open;
    }
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
  Judgement judgement_;
};

Variants::Variants(const recipe::Recipe& recipe,
                   const recipe::Vocabulary& vocabulary,
                   const facts::Target& target,
                   const Knowledge& knowledge)
    : state_(std::make_unique<State>(recipe, recipe.vocabulary_or(vocabulary), target, knowledge)) {
}

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
