#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "advise/space.h"
#include "advise/terrain.h"
#include "cost/table.h"
#include "sim/constants/constants.h"
#include "sim/constants/stated_inputs.h"
#include "sim/prediction/measured_constants.h"
#include "sim/work/step_work.h"

namespace epwise::advise {

/// Everything that an assessment rests on besides the recipe. All of it outlives who uses it.
struct World {
  const repair::Bench& bench;
  const cost::Table& laws;
  const sim::ConstantTable& constants;
  std::vector<std::string> inputs;               // "host=40us", as sim::state takes them
  lint::Tier highest = lint::Tier::performance;  // of what may be changed besides the moves
  std::vector<sim::MeasuredConstant> measured =
      {};  // by a calibration; `constants` hold them already
};

/// What had to change besides, because a rule asks for it.
struct Companion {
  const lint::Rule* rule = nullptr;
  Edits edits;
};

/// What became of a candidate.
struct Assessment {
  bool legal = false;                   // nothing new at or above warning, and the launch no worse
  const lint::Rule* blocked = nullptr;  // not legal: what forbids it; null pointer: `problem` tells
  std::string problem;
  Edits edits;  // the candidate's own and those of its companions
  std::vector<Companion> companions;
  double step = 0;           // s; 0: no prediction
  double needed_memory = 0;  // bytes of the fullest GPU
  double out_of_memory = 0;  // chance; 0 where the GPU's memory is not known

  bool fits = true;  // or needs no more memory than the recipe itself, which may well run

  bool usable() const { return legal && step > 0 && fits; }
};

/// A candidate with all that comparisons need.
struct Prospect {
  Assessment assessment;
  std::shared_ptr<const model::Workload> job;  // null pointer without a prediction
  std::shared_ptr<const sim::StepWork> work;
};

/// Judges and predicts candidates of one recipe. Not safe to share between threads.
class Assessor {
 public:
  Assessor(const World& world, const repair::Draft& draft, const Space* space);

  Assessment assess(const Candidate& candidate);

  /// Whether these edits, as they stand, bring nothing new at or above warning.
  bool is_legal(const Edits& edits);

  /// Whether arithmetic alone forbids the candidate.
  bool impossible(const Candidate& candidate, const std::vector<const lint::Rule*>& quick);

  Prospect prospect(const Candidate& candidate);
  Prospect prospect(Edits edits);

  /// Legal or not, with a prediction where the sizes give one.
  Prospect predicted(Edits edits);

  Terrain& terrain() { return terrain_; }

 private:
  Prospect predicted(Prospect prospect);

  /// Rules at or above warning that the recipe itself doesn't fail; what rejects stands first.
  std::vector<const lint::Rule*> news(const lint::Judgement& judgement) const;
  bool may_touch(const Edits& edits, const std::vector<std::string>& guarded) const;
  bool complete(const std::vector<std::string>& guarded, Assessment& assessment);
  bool add_companion(const std::vector<const lint::Rule*>& failing,
                     const std::vector<std::string>& guarded,
                     Assessment& assessment);
  std::shared_ptr<model::Workload> predict(Assessment& assessment, sim::StepWork& work);

  bool fits(const Assessment& assessment) const;

  const World& world_;
  double present_memory_ = 0;  // bytes that the recipe itself needs; 0: it can't run, or who knows
  const Space* space_;
  Terrain terrain_;
};

}  // namespace epwise::advise
