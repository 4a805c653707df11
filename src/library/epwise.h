// epwise checks Megatron MoE recipes and predicts their step time before they reach the cluster.
// This is the whole C++ interface; it needs C++17 and the standard library.
//
// -------------------------------------------------------------------------------------------------
// A FIRST LOOK
//
//   #include <epwise/epwise.h>
//
//   epwise::Options options;
//   options.hw = "h100";
//   options.gpus = 64;
//   options.stack = {"nemo-26.06"};
//   const epwise::Session session(options);
//
//   const epwise::LintResult found = session.lint(epwise::Recipe::file("recipe.yaml"));
//   for (const epwise::Finding& each : found.findings) {
//     std::cout << each.path << ':' << each.line << ": " << each.code << ' ' << each.message << '\n';
//   }
//   // recipe.yaml:14: PAR019 global batch size 1000 is not divisible by …
//
//   const epwise::Prediction step = session.simulate(epwise::Recipe::file("recipe.yaml"));
//   if (step.step_time_s) {
//     std::cout << step.step_time_s->value << " s\n";  // 10.2 s
//   }
//
// In a CMakeLists.txt:
//
//   find_package(epwise REQUIRED)
//   target_link_libraries(my_tool PRIVATE epwise::epwise)
//
// -------------------------------------------------------------------------------------------------
// SESSIONS
//
// A session holds a target (hardware, number of GPUs, stack) and a selection of rules. Its methods
// give the results of the commands with the same names. A session reads each `.epwise.yaml`, each
// baseline and each folder of rules once, at the first recipe that needs it; a new session reads
// them again. EPWISE_* variables are ignored.
//
// The methods are const and may be called from several threads at once. Nothing is printed, and no
// recipe is written: `fix` and `advise` return changed texts.
//
// -------------------------------------------------------------------------------------------------
// RESULTS
//
// A result is a value. Names, units and order are those of the command's `-f json`, whose document
// each result holds as `json` (`epwise schema` prints its JSON Schema): times in seconds, memory in
// GiB (2^30 bytes), shares from 0 to 1. The document may hold more than the struct.
// `text` is what the command prints for people, without colours, in 100 columns.
//
// Lines and columns count from 1, and a column is a character; 0: nothing in the text corresponds
// to the finding.
//
// -------------------------------------------------------------------------------------------------
// ERRORS
//
// Problems of a recipe are findings, never exceptions; so is a text that is not YAML at all.
// Exceptions report what prevented the check:
//
//   UsageError     an option, a configuration or the header of a recipe is wrong: an unknown GPU, a
//                  rule that does not exist. The command ends with 2.
//   InternalError  a bug in epwise. The command ends with 70.
//   Error          anything else, and the base of both: a file that can't be read (3), nothing to
//                  check (4).

#ifndef EPWISE_EPWISE_H_
#define EPWISE_EPWISE_H_

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace epwise {

// -------------------------------------------------------------------------------------------------
// Inputs

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class UsageError : public Error {
 public:
  using Error::Error;
};

class InternalError : public Error {
 public:
  using Error::Error;
};

/// Settings for every recipe of a session. Each member is an option of the command line; an empty
/// member is not given, and a recipe's header or the configuration may give it.
struct Options {
  // The target. Values that are not given stay unknown, and rules that need them stay open.
  std::string hw;                  // "h100", or "auto" for this machine
  std::optional<int> gpus;         // of the whole job
  std::vector<std::string> stack;  // {"te=2.14.0", "torch=2.9.1"}, {"nemo-26.06"} or {"auto"}
  std::string framework;           // "bridge" or "mlm"; empty: detected from the recipe
  std::map<std::string, std::optional<std::string>> env;  // nullopt: known to be unset
  std::string purpose;                                    // "training", "benchmark", …
  std::vector<std::string> harness;                       // "key=value"
  std::string base;                                       // base recipe for override files

  // Which rules apply, and how they affect `exit_code`.
  std::vector<std::string> select;  // ids, codes, prefixes of either, confidences; empty: all
  std::vector<std::string> ignore;
  std::vector<std::string> extend_select;  // in addition to what the configuration selects
  std::vector<std::string> extend_ignore;
  std::string rules;  // a folder of additional rules
  std::string
      fail_on;  // "error" (default), "warning", "note", "never", "hang", "wrong", "memory", "slow"
  bool strict = false;  // an undecided rule fails too

  // What the user accepts.
  std::string configuration;  // a file instead of the nearest .epwise.yaml; "none": no file
  std::string target_entry;   // an entry of its `targets`; empty: by the recipe's path
  std::string baseline;       // a file; "none": not the configuration's either
  bool comments = true;       // false: `# epwise: ignore[…]` is disregarded
  std::string today;          // "2026-11-22", for comments that end on a day; empty: the day in UTC

  // Inputs of predictions.
  std::vector<std::string> inputs;  // "host=40us", "routing=natural", …
  std::string calibration;          // a file that `epwise calibrate` wrote

  std::string document;  // of a YAML stream: a number from 1, "merge", "all"

  /// A crash inside of a call (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) ends that call with an
  /// InternalError instead of the process. During a call its handlers replace those of the
  /// process, which are restored afterwards. Memory that the call held is leaked. Threads that
  /// `advise` starts are not covered.
  bool contain_crashes = false;
};

/// One recipe: a file, a text in memory, or a command line.
struct Recipe {
  /// A file: YAML of Megatron-Bridge, YAML or flags of Megatron-LM, a launch script.
  static Recipe file(std::string path) { return {std::move(path), std::nullopt, {}}; }

  /// A text. Messages call it `name`; if that is a path, the configuration is searched from there.
  static Recipe in_memory(std::string text, std::string name = "recipe") {
    return {std::move(name), std::move(text), {}};
  }

  /// The words of a launch: {"--num-layers", "4", …} or {"model.num_layers=4", …}.
  static Recipe launch(std::vector<std::string> words) {
    return {std::string(), std::nullopt, std::move(words)};
  }

  std::string name;                 // path or name; empty: the words alone
  std::optional<std::string> text;  // instead of the file's
  std::vector<std::string> words;   // overrides in the form of the recipe
};

// -------------------------------------------------------------------------------------------------
// lint

enum class Severity { note, warning, error };

/// What a change may affect: nothing, speed and memory, or the numerics as well.
enum class Tier { neutral, performance, training };

/// The outcome of the launch.
enum class Verdict { starts, rejects, undecided };

struct Edit {
  std::string action;                // "set", "add", "remove", "rename"
  std::string field;                 // as the recipe spells it
  std::optional<std::string> value;  // as the recipe would write it; nullopt: the key goes
  std::string path;
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;  // of the first character after it
};

struct Fix {
  std::string title;
  Tier tier = Tier::neutral;
  bool tried = false;       // the text with it was linted
  std::vector<Edit> edits;  // empty: advice in words
};

struct Finding {
  std::string rule;  // "batch/indivisible"
  std::string code;  // "PAR019"
  Severity severity = Severity::error;
  std::string confidence;  // "proven", "likely", "heuristic"
  std::string message;
  std::string path;
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;
  std::string pointer;   // JSON Pointer: "/train/global_batch_size"; may be empty
  std::string help;      // why it matters
  bool preview = false;  // never affects the exit code
  std::vector<Fix> fixes;
};

/// A finding that a comment or a baseline accepts.
struct Accepted {
  Finding finding;
  std::string by;      // "comment" or "baseline"
  std::string source;  // "recipe.yaml:12"
  std::string reason;
};

/// An undecided rule, and the names that would decide it.
struct OpenRule {
  std::string rule;
  std::string code;
  std::vector<std::string> needs;  // "gpus", "stack.te"
};

/// A value that the framework rewrites at start-up.
struct Rewrite {
  std::string field;
  std::string why;
};

/// The findings in a file; for a YAML stream with several recipes, in all of them (`json` separates
/// them).
struct LintResult {
  Verdict verdict = Verdict::starts;  // the worst
  std::string stage;                  // rejects: where the launch ends
  std::string stopped_by;             // rejects: the code of the check that fires; may be empty
  std::vector<std::string> needs;     // undecided: the names that would decide it
  std::vector<Finding> findings;      // by location; without those that another finding explains
  std::vector<Accepted> accepted;
  std::vector<OpenRule> open;
  std::vector<Rewrite> effective;
  std::string framework;          // "bridge", "mlm"
  std::string framework_version;  // whose defaults and checks apply
  std::string target;             // "h100 x 64, te 2.14.0 (--hw, --gpus, --stack)"
  bool readable = false;          // it is a recipe
  int exit_code = 0;              // 1: something at or above `fail_on`
  std::string source;             // the text as it was linted
  std::string json;               // epwise.lint/1
};

// -------------------------------------------------------------------------------------------------
// fix

struct FixedField {
  std::string field;
  std::optional<std::string> before;  // nullopt: it was not set
  std::optional<std::string> after;   // nullopt: it is removed
  std::string rule;                   // that requires it
  Tier tier = Tier::neutral;
};

struct UnsettledError {
  std::string rule;
  std::string code;
  std::optional<Tier> tier;  // of the least invasive fix; nullopt: there is none
};

struct FixResult {
  bool changed = false;
  std::string text;                // the recipe's text with the fixes
  std::vector<std::string> words;  // of a launch in words, with the fixes
  std::string diff;                // unified; empty: nothing changes
  std::vector<FixedField> changes;
  std::vector<UnsettledError> errors_left;
  bool bounded = false;  // the search was cut short: fewer changes may suffice
  LintResult after;      // of the changed text
  int exit_code = 0;     // of the changed text
  std::string json;      // epwise.lint/1 with `fix`
};

// -------------------------------------------------------------------------------------------------
// simulate, compare

/// A predicted figure with its 80 % interval.
struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct Term {
  std::string name;  // "compute", "dispatch", "combine", …
  double seconds = 0;
};

/// An input of a prediction.
struct Input {
  std::string name;    // "routing"
  std::string value;   // "forced"
  std::string status;  // "written", "default", "profile", "assumed"
  std::string why;
};

struct Memory {
  Interval peak_gib;                // of the GPU with the most, as the framework reports it
  Interval needed_gib;              // including what the framework does not report
  std::optional<double> limit_gib;  // per GPU
  double out_of_memory = 0;         // probability; only meaningful with a limit
  int fullest_stage = 0;            // of the pipeline, from 0
};

struct Prediction {
  std::string path;
  std::string framework;
  std::string target;
  int lint_errors = 0;
  std::optional<Interval> step_time_s;  // nullopt: no prediction, because of lint or `missing`
  Interval tokens_per_s_per_gpu;
  Interval tflops_per_gpu;  // of the model, without recomputation
  Memory memory;
  std::vector<Term> breakdown;  // sums to the step time
  std::vector<Input> inputs;
  std::vector<std::string> missing;  // facts without which nothing is predicted, a sentence each
  int exit_code = 0;                 // 1: there is no prediction
  std::string text;
  std::string json;  // epwise.simulate/1
};

enum class Faster { a, b, too_close };

struct ComparedRecipe {
  std::string path;
  int lint_errors = 0;
  std::optional<Interval> step_time_s;
  std::vector<std::string> missing;
};

struct Cause {
  std::string name;
  double a_seconds = 0;
  double b_seconds = 0;
  double saved_seconds = 0;  // positive: b saves it
};

struct Comparison {
  std::string target;
  ComparedRecipe a;
  ComparedRecipe b;
  std::optional<Interval> speedup;  // b's tokens per second over a's; nullopt: one is not predicted
  double b_is_faster = 0;           // probability
  Faster faster = Faster::too_close;
  std::vector<Cause> causes;  // largest first
  int exit_code = 0;          // 1: lint finds errors in one of them, or facts are missing
  std::string text;
  std::string json;  // epwise.compare/1
};

// -------------------------------------------------------------------------------------------------
// advise

struct AdviceOptions {
  std::string goal;                     // "speed" (default), "memory", "safe"
  std::vector<std::string> keep;        // groups, axes, fields that must not change
  std::vector<std::string> may_change;  // empty: all but precision
  std::optional<int> top;               // plans, 5 by default
  std::string profile;                  // a file of measured figures
  std::vector<std::string> among;       // files of recipes to rank next to the plans
};

struct PlanChange {
  std::string field;
  std::optional<std::string> from;
  std::optional<std::string> to;
  Tier tier = Tier::performance;
  std::string why;  // "dispatcher", or the rule that asks for it
};

struct Plan {
  std::vector<PlanChange> changes;
  Interval speedup;                   // T(before)/T(after)
  Faster faster = Faster::too_close;  // b: the plan is faster
  Interval step_time_s;
  double memory_gib = 0;  // that it needs
  std::optional<double> memory_limit_gib;
  std::string risk;                                // "low", "medium", "high"
  std::vector<std::string> risks;                  // why
  std::vector<std::string> bring_up;               // bring-up order: prerequisites first
  std::map<std::string, std::string> environment;  // of the launch
  std::vector<std::string> settles;                // codes of errors that no fix of lint settles
  std::string diff;                                // of the recipe, with `repairs`; may be empty
  std::string text;                                // the recipe's text with the plan
  std::string obstacle;                            // why there is no diff; usually empty
  std::string decides;                             // too close: the measurement that would decide
};

struct DispatcherChoice {
  std::string name;  // "hybridep"
  bool present = false;
  bool legal = false;
  std::string reason;  // not legal: why
  std::optional<Interval> step_time_s;
  int rank = 0;      // from 1, among the valid ones with a prediction
  bool tie = false;  // too close to the first to call
};

struct Advice {
  std::string path;
  std::string target;
  std::vector<FixedField> repairs;       // fixes applied before the analysis
  std::vector<std::string> errors_left;  // codes
  std::vector<std::string> missing;      // facts without which nothing is predicted
  std::optional<Interval> step_time_s;   // of the recipe; nullopt: no advice
  std::string wall;                      // what binds the step: "memory", "communication", …
  double wall_share = 0;                 // of the step; memory: of the GPU's memory
  double wall_sure = 0;                  // probability that no other limit binds
  std::string helps;                     // what usually helps
  std::vector<DispatcherChoice> dispatchers;
  std::vector<Plan> plans;      // better with certainty, best first
  std::vector<Plan> too_close;  // to call
  std::string repaired_text;    // the recipe's text with the repairs
  std::string repair_diff;
  int exit_code = 0;  // 1: facts are missing
  std::string text;
  std::string json;  // epwise.advise/1
};

// -------------------------------------------------------------------------------------------------
// explain, diff, gate

struct Suspect {
  std::string rule;
  std::string code;
  std::string what;
  std::string basis;  // "words", "code", "alike", "place"
  bool sure = false;
  bool found = false;  // the recipe violates it
  std::vector<std::string> grounds;
};

struct Crash {
  std::string exception;
  std::string message;
  int line = 0;         // of the log
  std::string trouble;  // a known one of running jobs: "out-of-memory"; may be empty
  std::string about_trouble;
  std::vector<Suspect> suspects;  // the best first
};

struct LogExplanation {
  bool known = false;          // a rule or a known trouble matches the first error
  std::vector<Crash> crashes;  // the cause first
  int exit_code = 0;           // 1: not known
  std::string text;
  std::string json;  // epwise.crash/1
};

struct ChangedField {
  std::string field;
  std::string before;  // as executed; "-" where it has no value
  std::string after;
  std::string effect;  // "neutral", "performance", "training-changing", "legality-changing"
  std::string about;
  std::vector<std::string> rules;
};

struct ToldFinding {
  std::string rule;
  Severity severity = Severity::note;
  std::string message;
};

struct Difference {
  std::string before;  // names
  std::string after;
  std::string target;
  std::vector<ChangedField> changed;
  std::vector<ToldFinding> introduced;
  std::vector<ToldFinding> removed;
  std::string stopped_before;  // why it does not start; empty: it does
  std::string stopped_after;
  std::optional<Interval> step_time_before_s;
  std::optional<Interval> step_time_after_s;
  int exit_code = 0;  // 1: an error is introduced
  std::string text;
  std::string json;  // epwise.diff/1
};

struct GateOptions {
  std::string max_exposed_comm;  // "8%"
  std::string min_headroom;      // "6GiB"
  std::string max_regression;    // "2%", with `against`
  std::string against;           // a revision
  std::string since;             // only files that differ from this revision
  bool staged = false;           // only what is staged
  bool skip_others = false;      // skip named files that are not recipes
  std::string receipt;           // a file: what was checked is written there
};

enum class BudgetState { kept, broken, undecided };

struct Budget {
  std::string path;
  std::string option;  // "--max-exposed-comm"
  std::string limit;
  BudgetState state = BudgetState::undecided;
  std::string text;
};

struct GateResult {
  bool passed = false;
  int exit_code = 0;  // as the command's: 3 and 4 too
  int files = 0;      // number of files checked
  std::vector<Finding> findings;
  std::vector<Budget> budgets;
  std::vector<std::string> problems;  // why something was not checked, or does not pass
  std::string json;                   // epwise.lint/1
};

// -------------------------------------------------------------------------------------------------

class Session {
 public:
  /// Throws UsageError for an invalid value of an option; the rest is checked at the first call.
  explicit Session(Options options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  const Options& options() const;

  /// What goes wrong when the recipe is launched.
  ///   lint(Recipe::file("broken.yaml")).findings.front().code → "PAR019"
  LintResult lint(const Recipe& recipe) const;

  /// The output of `epwise lint`: snippets, reasons, fixes. It tries more fixes than `lint`.
  std::string lint_text(const Recipe& recipe) const;

  /// The smallest set of changes that leaves no errors, then fixes for warnings; no change is above
  /// `highest`, and each set is linted before it is accepted.
  ///   fix(Recipe::file("broken.yaml"), Tier::training).diff
  ///   → "--- a/broken.yaml\n+++ b/broken.yaml\n…-  global_batch_size: 1000\n+  global_batch_size: 1008\n"
  FixResult fix(const Recipe& recipe, Tier highest = Tier::neutral) const;

  /// The time of a step and where it goes. Without `force`, a recipe with errors has no prediction.
  ///   simulate(Recipe::file("recipe.yaml")).breakdown.front() → {"compute", 20.1}
  Prediction simulate(const Recipe& recipe, bool force = false) const;

  /// Which of two is faster, by how much and why. `force` only affects `exit_code`; recipes with
  /// errors are compared in any case.
  ///   compare(off, on).speedup->value → 1.28, on is 1.28 times as fast
  Comparison compare(const Recipe& a, const Recipe& b, bool force = false) const;

  /// Faster or smaller variants that lint clean and fit; takes seconds. Hardware and number of GPUs
  /// must be known.
  ///   advise(recipe).plans.front().speedup.value → 1.14
  Advice advise(const Recipe& recipe, const AdviceOptions& how = {}) const;

  /// The rules that explain the errors of a log, and, with the recipe, the values that violate them.
  /// `name` is the log's, for messages.
  ///   explain_log(text).crashes.front().suspects.front().code → "PAR019"
  LogExplanation explain_log(const std::string& log, const std::string& name = "log") const;
  LogExplanation explain_log(const std::string& log,
                             const Recipe& recipe,
                             const std::string& name = "log") const;

  /// The effects of a change to a recipe.
  ///   diff(before, after).changed.front().effect → "performance"
  Difference diff(const Recipe& before, const Recipe& after) const;

  /// Lint and budgets together, of files, folders, texts or one launch in words. Revisions are asked
  /// of git.
  ///   GateOptions limits;
  ///   limits.max_exposed_comm = "8%";
  ///   gate({Recipe::file("recipes")}, limits).passed → true
  GateResult gate(const std::vector<Recipe>& recipes, const GateOptions& how = {}) const;

  /// What `epwise gate` prints about them.
  std::string gate_text(const std::vector<Recipe>& recipes, const GateOptions& how = {}) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// "0.1.0"
std::string version();

}  // namespace epwise

#endif  // EPWISE_EPWISE_H_
