#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lint/facts/facts.h"
#include "lint/knowledge.h"
#include "lint/launch_plan.h"
#include "lint/rule.h"

namespace epwise::lint {

/// The result of evaluating a rule.
struct Outcome {
  enum class Kind : std::uint8_t { passes, fails, open, crashes };
  Kind kind = Kind::passes;
  std::vector<std::string> needs = {};  // open
  std::string crash = {};               // crashes: the exception that upstream's Python would raise
};

/// given → assert in three-valued logic: passes if `given` is false or `assert` true, fails if
/// `given` is true and `assert` false.
Outcome decide(const Rule& rule, const expr::Environment& facts);

/// The same for one recipe. An error that an unread word of the command (`$EXTRA_ARGS`) may avert, by
/// an option that is missing, is open.
Outcome decide_certainly(const Rule& rule, facts::Facts& facts);

/// The union of two lists of names, sorted.
void add_needs(std::vector<std::string>& all, const std::vector<std::string>& more);

/// A rule that did not pass at its place in the launch. The finding must be created immediately,
/// while the facts are those of that moment; hence the callback. `step` counts the steps of the
/// whole launch from 0.
struct LaunchEvents {
  virtual ~LaunchEvents() = default;
  virtual void failed(const Rule& rule, int step, const std::string& crash) = 0;
  virtual void open(const Rule& rule, const std::vector<std::string>& needs) = 0;

  /// Whether to evaluate a check; the rewrites of a launch are always performed.
  virtual bool wants(const Rule& /*rule*/) const { return true; }

  /// Called after each rewrite, even if it changed nothing.
  virtual void rewrote(const RewriteStep& /*step*/, const Stage& /*stage*/) {}
};

/// Built-in rules that the readers have already found. `certain` ones reject at their place; those
/// in `doubtful` leave the launch undecided, which `needs` explains.
struct Reported {
  std::set<std::string_view> certain;
  std::set<std::string_view> doubtful;
  std::vector<std::string> needs;
};

/// What the readers of the recipe have found, with the tables of `facts`: those of another release
/// than the one stated make rules with `by_tables` doubtful.
Reported reported_by_readers(const facts::Facts& facts, const Knowledge& knowledge);

/// Whether a diagnostic of that rule may be an error of the tables: they are another release's.
bool is_doubtful(const Rule& rule, const facts::Facts& facts);

/// The state of every rule after one evaluation of all, before determining which of them explain each
/// other: what linting a recipe and judging its variants have in common.
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
};

/// Writes what a launch and the rules without a place in it tell into a ledger, while the facts are
/// those of that moment.
class LedgerWriter {
 public:
  /// The arguments outlive the object.
  LedgerWriter(const Knowledge& knowledge, const facts::Facts& facts, Ledger& ledger)
      : knowledge_(knowledge),
        facts_(facts),
        ledger_(ledger) {
    ledger_.entries.resize(knowledge.rules.size());
  }

  /// A reader's diagnostic of a built-in rule.
  void reported(const Rule& rule);

  /// At its place in the launch.
  void failed(const Rule& rule, int step, const std::string& crash);
  void open(const Rule& rule);

  /// It applies to some of the releases that may run.
  void unsettled(const Rule& rule) { entry(rule).open = true; }

  /// Without a place in the launch. `inherited`: it fails on what a base recipe may decide.
  void decided(const Rule& rule, const Outcome& outcome, bool inherited);

  Ledger::Entry& entry(const Rule& rule) {
    return ledger_.entries[static_cast<std::size_t>(&rule - knowledge_.rules.data())];
  }

 private:
  const Knowledge& knowledge_;
  const facts::Facts& facts_;
  Ledger& ledger_;
};

/// Walks through the stages on the facts, with rewrites and checks in the order of upstream's
/// lines. All stages run, also after a rejection, so that all problems of a recipe are found at
/// once.
Launch run_launch(const LaunchPlan& launch_plan,
                  facts::Facts& facts,
                  const Reported& reported,
                  LaunchEvents& events);

/// Lets the framework's launch rewrite the facts, so that they hold what would be executed; checks
/// are skipped, except those that the readers have made. For callers that need values, not findings:
///   facts::Facts facts(recipe, vocabulary, target, knowledge.names, knowledge.derived);
///   lint::settle(facts, knowledge);
///   workload::read_workload(facts);
Launch settle(facts::Facts& facts, const Knowledge& knowledge);

}  // namespace epwise::lint
