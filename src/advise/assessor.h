#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "advise/evaluator.h"
#include "advise/space.h"
#include "perf/cost/table.h"
#include "perf/sim/constants/constants.h"
#include "perf/sim/constants/stated_inputs.h"
#include "perf/sim/prediction/likeness.h"
#include "perf/sim/prediction/measured_constants.h"
#include "perf/sim/work/step_work.h"
#include "session/analysis.h"

namespace epwise::advise {

/// Everything that an assessment rests on. All of it outlives who uses it.
struct World {
  session::Analysis base;  // the recipe
  const cost::Table& laws;
  const sim::ConstantTable& constants;
  std::vector<std::string> inputs;               // "host=40us", as parsed by sim::state
  lint::Tier highest = lint::Tier::performance;  // fields that may change in addition to the moves
  // from a calibration; `constants` already include them
  std::vector<sim::MeasuredConstant> measured = {};
  // what measured steps of runs like the recipe say of its predicted step; counts for every candidate,
  // so that it changes no comparison
  sim::Level level = {};
};

/// The highest probability of running out of memory of what advice calls fitting, unless it needs no
/// more than the recipe itself.
constexpr double kMostMemoryRisk = 0.1;

/// A further change that a rule requires.
struct Companion {
  const lint::Rule* rule = nullptr;
  Edits edits;
};

/// What makes a candidate valid.
enum class Bar : std::uint8_t {
  clean,  // no new finding at or above warning, and the launch is no worse
  runs    // the same, but warnings are only told
};

/// The result for a candidate.
struct Assessment {
  bool legal = false;  // meets the bar
  // not valid: the rule that forbids it; null pointer: see `problem`
  const lint::Rule* blocked = nullptr;
  std::string problem;
  std::vector<text::Diagnostic> missing;  // no prediction: all facts that are missing
  Edits edits;                            // the candidate's own edits and those of its companions
  std::vector<Companion> companions;
  std::vector<const lint::Rule*> warned;   // warnings that come with it
  double step = 0;                         // s; 0: no prediction
  double needed_memory = 0;                // bytes on the fullest GPU
  double out_of_memory = 0;                // probability; 0 if the GPU's memory size is unknown
  std::vector<const lint::Rule*> settles;  // errors of the recipe itself that it does not have
  int left = 0;                            // errors of the recipe itself that it keeps

  bool fits = true;  // or needs no more memory than the recipe itself, which may well run

  bool usable() const { return legal && step > 0 && fits; }

  /// Whether the prediction is the same.
  bool costs_as(const Assessment& other) const {
    return step == other.step && needed_memory == other.needed_memory;
  }
};

/// A candidate with everything that comparisons need.
struct Prospect {
  Assessment assessment;
  std::shared_ptr<const workload::Workload> job;  // null pointer if there is no prediction
  std::shared_ptr<const sim::StepWork> work;      // keeps the job
};

/// Lints and predicts candidates of one recipe. Not thread-safe.
class Assessor {
 public:
  Assessor(const World& world, const Space* space, Bar bar = Bar::clean);

  /// Another space, of the same recipe.
  void use(const Space& space) { space_ = &space; }

  Assessment assess(const Candidate& candidate);

  /// The same by a bar of its own, without a prediction; the target may lack a GPU.
  Assessment judged(const Candidate& candidate, Bar bar);

  /// Its step and memory alone, without lint and the changes that rules require: several times as
  /// cheap.
  Assessment forecast(const Candidate& candidate);

  /// Whether these edits alone cause no new finding at or above warning.
  bool is_legal(const Edits& edits);

  /// Whether arithmetic rules alone forbid the candidate.
  bool impossible(const Candidate& candidate, const std::vector<const lint::Rule*>& quick);

  Prospect prospect(const Candidate& candidate);

  /// With the companions of another candidate, except those that set what this one sets itself. If it
  /// is not valid with them, as without.
  Prospect prospect(const Candidate& candidate, const std::vector<Companion>& kept);

  /// `guarded`: further fields that no companion may change.
  Prospect prospect(Edits edits, const std::vector<std::string>& guarded = {});

  /// Checks the candidate, and predicts it if its sizes allow a prediction.
  Prospect predicted(Edits edits);

  EvaluatorCache& cache() { return cache_; }

 private:
  Prospect predicted(Prospect prospect);

  bool is_new(const lint::Rule& rule, const Edits& edits);
  bool tolerates(const lint::Rule& rule) const;

  /// New findings that do not count against the candidate.
  std::vector<const lint::Rule*> tolerated(const lint::Judgement& judgement, const Edits& edits);

  /// New findings that do; those that reject the launch come first.
  std::vector<const lint::Rule*> news(const lint::Judgement& judgement, const Edits& edits);

  /// Which errors of the recipe itself the candidate settles, and how many it keeps.
  void count_errors(const lint::Judgement& judgement, Assessment& assessment);
  bool is_replaced(const lint::Rule& rule, const Edits& edits) const;
  bool may_touch(const Edits& edits, const std::vector<std::string>& guarded) const;
  bool complete(const std::vector<std::string>& guarded, Assessment& assessment);
  bool add_companion(const std::vector<const lint::Rule*>& failing,
                     const std::vector<std::string>& guarded,
                     Assessment& assessment);
  /// `unpriced` as in read_workload.
  std::shared_ptr<workload::Workload> predict(Assessment& assessment,
                                              sim::StepWork& work,
                                              bool unpriced = true);

  bool fits(const Assessment& assessment) const;

  const World& world_;
  double present_memory_ = 0;  // bytes that the recipe itself needs; 0: it cannot run, or unknown
  const Space* space_;
  Bar bar_;
  EvaluatorCache cache_;
};

}  // namespace epwise::advise
