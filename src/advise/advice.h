#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/assessor.h"
#include "advise/published.h"
#include "fix/plan.h"
#include "perf/sim/prediction/comparison.h"
#include "perf/sim/prediction/prediction.h"
#include "perf/sim/step/waterfall.h"

namespace epwise::advise {

/// The goal of the advice: the shortest step, the least memory without a slower step, or at most
/// two changes of little risk that are worth it.
enum class Goal : std::uint8_t { speed, memory, safe };

/// What limits the step: the wall that takes the largest part of it beside the model's arithmetic at
/// the GPU's peak rate, since that part can be removed. Others that take a share which the knowledge
/// states are worth a change too.
struct Diagnosis {
  struct Beside {
    std::string wall;
    double share = 0;  // of the step
    std::string advice;
  };

  std::string wall;    // "memory", "communication", "host", "compute"
  double share = 0;    // share of the step; for memory: share of the GPU's memory that is needed
  double sure = 0;     // probability that no other wall binds
  std::string advice;  // what usually helps
  std::vector<std::pair<std::string, double>> shares;  // of all walls except memory
  std::vector<Beside> beside;                          // other walls that are worth a change
  double arithmetic = 0;  // share of the step that the model's arithmetic takes at peak; 0: unknown
};

/// A change as it is shown.
struct PlanChange {
  std::string field;  // as the user's format spells it
  std::string from;   // "" if the recipe has none
  std::string to;     // "" if it is removed
  lint::Tier tier = lint::Tier::performance;
  std::string why;       // "dispatcher", or the rule that asks for it
  bool several = false;  // `to` is several words of a command
};

/// Whether a candidate is valid, and why not.
struct Legality {
  bool legal = false;
  const lint::Rule* rule = nullptr;  // not valid: the rule that forbids it
  std::string reason;                // in a few words
  std::vector<Companion> companions;
  std::vector<PlanChange> with;           // the changes of the companions
  std::vector<const lint::Rule*> warned;  // warnings that come with it
};

/// One dispatcher in place of the recipe's own, everything else equal.
struct DispatcherRow {
  std::string name;  // "hybridep"
  bool present = false;
  Legality legality;
  std::optional<sim::Range> step;  // s
  double needed_memory = 0;        // bytes
  double out_of_memory = 0;        // probability
  bool fits = true;
  int sms = 0;
  int rank = 0;             // from 1, among the valid ones with a prediction
  bool tie = false;         // too close to the first to call
  bool documented = false;  // first of a tie because documents recommend it, not by its step
  std::string measurement;  // if tied: what would decide
  std::string guidance;     // what documents say; may be empty
};

/// Step time against the SM count of one dispatcher.
struct SmSweep {
  struct Point {
    int sms = 0;
    double step = 0;  // s
  };

  std::string dispatcher;
  std::vector<Point> points;
  int present = 0;  // the recipe's value, or the library's default
  /// The value that plans use: the present one unless another is certainly faster, or likely so where
  /// the recipe uses another dispatcher and has no value to keep.
  int chosen = 0;
  bool in_use = false;  // the dispatcher of the recipe as it is
  int flat_from = 0;    // within 0.5 % of the best
  int flat_to = 0;
  // upper bound on the share of the step lost by the choice, in nine of ten draws
  double regret = 0;
  bool of_plan = false;  // with the other changes of the first plan, not on the recipe alone
};

/// What a rung needs, and whether the recipe has it.
struct NeedState {
  std::string what;
  const lint::Rule* rule = nullptr;
  bool met = false;
  bool arranged = false;  // not met, but the changes listed with the rung satisfy it
};

struct RungState {
  std::string name;
  std::string title;
  std::string move;        // "attention"
  std::string move_title;  // "attention and router"
  Legality legality;
  std::vector<NeedState> needs;
  std::optional<sim::Range> step;                  // s, with all rungs below
  std::optional<sim::Range> alone;                 // T(without any)/T(with this one alone)
  std::optional<sim::Range> added;                 // T(rungs below)/T(with this one too)
  std::optional<sim::Range> together;              // T(without any)/T(with all up to this one)
  sim::Verdict verdict = sim::Verdict::too_close;  // of `added`: the gain is certain
  /// Companions that make the step shorter without the rung too: `added` and `alone` are without their
  /// gain, `together` with it.
  std::vector<PlanChange> gainers;
  std::optional<sim::Range> gainers_gain;  // T(rungs below)/T(with these changes too)
  double out_of_memory = 0;                // probability
  bool fits = true;
  bool present = false;  // the recipe has it
};

struct BringUp {
  int order = 0;
  std::string what;  // "token dispatcher: hybridep"
  std::string check;
};

/// One step from the recipe to a plan: a knob, and what to expect after it.
struct TuningStep {
  std::string what;   // "token dispatcher: deepep"
  std::string check;  // what to look at
  sim::Range step;    // s, with all knobs up to this one
  sim::Range added;   // T(knobs before)/T(with this one too)
  sim::Verdict verdict = sim::Verdict::too_close;
  std::string wall;  // that limits the step afterwards
  std::string keep;  // why it stays even if the step gets no shorter; empty: it does not
};

/// What is missing if no candidate fits in memory.
struct Shortage {
  double least = 0;   // bytes that the leanest candidate needs
  double limit = 0;   // bytes of a GPU
  int gpus = 0;       // on which something fits; 0: on none that was tried
  int most_gpus = 0;  // that were tried
};

/// What a plan would be with the dispatcher that documents recommend.
struct DocumentedInstead {
  std::string name;                                // "deepep"
  std::optional<sim::Range> step;                  // s
  sim::Verdict verdict = sim::Verdict::too_close;  // b: the plan is certainly faster than with it
  std::string lost;          // a change of the plan that goes with it; may be empty
  double needed_memory = 0;  // bytes
  bool fits = true;
  Legality legality;
};

/// A short list of edits with their effects.
struct Plan {
  std::string means;  // of fitting, if the recipe does not fit: "selective recompute"
  std::vector<PlanChange> changes;
  sim::Range speedup;                              // T(before)/T(after)
  sim::Verdict verdict = sim::Verdict::too_close;  // b: surely faster
  sim::Range step;                                 // s
  sim::Waterfall waterfall;                        // of that step
  double event_speedup = 0;                        // by the event simulation
  double needed_memory = 0;                        // bytes
  double memory_limit = 0;                         // bytes; 0: unknown
  double saved_memory = 0;                         // bytes; of goal memory
  double out_of_memory = 0;
  Risk risk = Risk::low;
  std::vector<std::string> risks;          // why
  std::vector<const lint::Rule*> settles;  // errors left by lint's own fixes that it settles
  std::vector<BringUp> bring_up;           // bring-up order: prerequisites first
  std::vector<std::pair<std::string, std::string>> environment;  // of the launch
  std::string diff;         // of the user's file, with the fixes; empty if only the launch changes
  std::string obstacle;     // why there is none
  std::string measurement;  // verdict too_close: what would decide
  std::optional<DocumentedInstead> documented;  // of a plan that takes another dispatcher
  session::Draft draft;                         // the recipe with it
  Candidate candidate;                          // for tests
};

/// A recipe given by the user to rank next to the advised one.
struct Rival {
  std::string name;
  sim::Range step;
  double tokens = 1;   // of its step, in those of the recipe's
  sim::Range speedup;  // by tokens per second
  sim::Verdict verdict = sim::Verdict::too_close;
  std::string warning;  // why it would not run as it is; may be empty
  int place = 0;        // among the recipe, the rivals and the plans, from 1
};

struct SearchTally {
  double space = 0;  // number of positions, ignoring conditions
  std::size_t looked_at = 0;
  std::size_t skipped = 0;
  bool exhaustive = false;
  bool stopped = false;
};

/// Measurements to which predictions are adjusted.
struct Anchor {
  double measured = 0;   // s, the recipe's step
  double predicted = 0;  // s, before the adjustment
  double exposed = 0;    // share of the step in which only communication runs; 0: not measured
  double products = 0;   // share in which GEMMs run; 0: not measured
  double idle = 0;       // share without any kernel; 0: not measured
  std::string source;    // "8 steps by NVTX ranges `iteration`"; empty: given by the user
  double dispatch = 0;   // s, one exchange of tokens; 0: not measured
  // NCCL's SendRecv kernels of a pipeline and of the exchange cannot be distinguished
  bool mixed = false;
};

/// Published runs next to this prediction.
struct PublishedRow {
  PublishedRuns runs;
  std::string likeness;  // "this model on this GPU", "this model", "this GPU"
  double measured = 0;   // how much faster (or smaller) the second run is than the first
  double predicted = 0;  // the same for this recipe; 0: one of both cannot be predicted
};

/// The answer to --which dispatcher.
struct Choice {
  std::string name;                     // the dispatcher to take; empty: none can be predicted
  std::string documented;               // the first choice of documents on this hardware
  std::string because;                  // in a sentence
  std::string family;                   // what documents say about the model; may be empty
  std::string memory;                   // its memory against all-to-all; may be empty
  std::vector<PublishedRow> published;  // the likest first
};

/// The complete result of an advice run.
struct Advice {
  std::optional<Choice> choice;      // of --which dispatcher: then without ladder and plans
  std::vector<fix::Repair> repairs;  // fixes applied before the analysis
  std::string repair_diff;
  std::vector<fix::Repair> settled;  // of the purpose: changes of what is measured, after the fixes
  session::Draft mended;             // the recipe with all of them
  std::optional<Anchor> anchor;
  std::vector<const lint::Rule*> left;    // errors without a fix: plans leave them unchanged
  std::vector<text::Diagnostic> missing;  // missing facts that prevent any prediction
  std::optional<sim::Prediction> present;
  std::vector<workload::Input> inputs;
  std::optional<sim::CalibrationEffect> calibration;  // on `present`, if there is one
  double fits_risk = 0;  // probability that the recipe itself does not fit
  std::optional<Shortage> shortage;
  std::vector<BringUp> next;           // one at a time after bring-up, with what to check
  std::string purpose;                 // of the run; empty: not given
  std::vector<TuningStep> tuning;      // of --purpose tuning: to the first plan, knob by knob
  std::vector<std::string> remarks;    // findings that count for this purpose only, and are left
  std::vector<std::string> procedure;  // how to measure, for the purpose
  std::vector<std::string> withheld;   // moves that no plan takes unasked, and why
  Diagnosis diagnosis;
  std::vector<DispatcherRow> dispatchers;  // by rank, then those without a prediction
  std::vector<SmSweep> sweeps;
  sim::Range ladder_start;  // s, without any rung
  std::vector<RungState> ladder;
  std::vector<Plan> plans;  // certainly better, best first
  std::vector<Plan> close;  // too close to call
  std::vector<Rival> rivals;
  SearchTally tally;
  int own_place = 0;  // of the recipe itself among rivals and plans
  Goal goal = Goal::speed;
  std::vector<std::string> fitted;  // what the constants were fitted to, besides the measured step
  bool doubtful_dispatch = false;   // a measured exchange contradicts the measured step: not used
  bool fitting = false;   // it does not fit: plans are for fitting, in the documents' order
  bool bring_up = false;  // of --purpose bring-up: the first plan is the plainest configuration
};

/// The answer to one --why-not FIELD=VALUE.
struct WhyNot {
  std::string field;  // as the user's format spells it
  std::string value;
  Legality legality;
  std::optional<sim::Range> step;
  double tokens = 1;                  // of its step, in those of the recipe's
  std::optional<sim::Range> speedup;  // by tokens per second
  sim::Verdict verdict = sim::Verdict::too_close;
  double needed_memory = 0;
  double memory_limit = 0;
  double out_of_memory = 0;
  bool fits = true;
  bool recipe_fits = true;  // as it is
  // terms of the step: s by which they grow, negative where they shrink; largest difference first
  std::vector<std::pair<std::string, double>> costs;
  std::vector<std::string> changed;          // fields, canonical, without the companions'
  std::optional<Plan> around;                // the best plan with the value fixed
  std::optional<sim::Range> around_speedup;  // of value and that plan over the recipe
  std::optional<Shortage> shortage;          // if no plan with the value fits
  bool other_model = false;                  // it makes another model: nothing to compare
};

}  // namespace epwise::advise
