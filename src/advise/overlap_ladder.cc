#include "advise/overlap_ladder.h"

#include <algorithm>

#include "advise/decision.h"

namespace epwise::advise {

namespace {

class Climb {
 public:
  explicit Climb(const Study& study) : study_(study) {}

  Ladder run() {
    Ladder ladder;
    bottom_ = study_.space.start();
    for (auto rung = study_.knowledge.ladder.rbegin(); rung != study_.knowledge.ladder.rend();
         ++rung) {
      const Axis* axis = study_.knowledge.axis(rung->axis);
      bottom_ = study_.space.with(bottom_, rung->axis, axis->moves.front().name);
    }
    below_ = study_.assessor.prospect(bottom_);
    if (below_.work == nullptr) {  // without any rung it may not run: then from the recipe itself
      bottom_ = study_.space.start();
      below_ = study_.present;
    }
    start_ = below_;
    at_ = bottom_;
    ladder.start = step_range(*start_.work, study_.world);
    for (const Rung& rung : study_.knowledge.ladder) {
      ladder.rungs.push_back(climb(rung));
    }
    return ladder;
  }

 private:
  struct Step {
    Candidate candidate;
    Prospect prospect;
    std::string move;
  };

  /// The fastest legal move of a rung on top of a candidate; the first where none is legal.
  Step best(const Rung& rung, const Candidate& from) {
    Step chosen;
    for (const std::string& move : rung.moves) {
      Step step;
      step.candidate = study_.space.with(from, rung.axis, move);
      step.move = move;
      if (!study_.space.possible(step.candidate)) {
        continue;
      }
      step.prospect = study_.assessor.prospect(step.candidate);
      const bool usable = step.prospect.assessment.usable();
      const bool better =
          usable && (!chosen.prospect.assessment.usable() ||
                     step.prospect.assessment.step < chosen.prospect.assessment.step);
      if (chosen.move.empty() || better) {
        chosen = std::move(step);
      }
    }
    return chosen;
  }

  RungState climb(const Rung& rung) {
    RungState state;
    state.name = rung.name;
    state.title = rung.title;
    const Step step = best(rung, at_);
    state.move = step.move;
    if (step.move.empty()) {
      state.legality.reason = "this version of the framework doesn't have it";
      return state;
    }
    const Move* present = study_.space.move(study_.space.start(), rung.axis);
    state.present =
        present != nullptr && std::ranges::find(rung.moves, present->name) != rung.moves.end();
    state.legality = legality_of(step.prospect);
    state.needs = needs_of(rung, step);
    if (step.prospect.work == nullptr) {
      return state;
    }
    const sim::ConstantTable& constants = study_.world.constants;
    state.fits = step.prospect.assessment.fits;
    state.step = step_range(*step.prospect.work, study_.world);
    const sim::Comparison added = sim::compare(*below_.work, *step.prospect.work, constants);
    state.added = added.speedup;
    state.verdict = added.verdict;
    state.together = sim::compare(*start_.work, *step.prospect.work, constants).speedup;
    if (rung.behind.empty()) {
      const Step alone = best(rung, bottom_);
      if (alone.prospect.work != nullptr) {
        state.alone = sim::compare(*start_.work, *alone.prospect.work, constants).speedup;
      }
    }
    if (state.fits) {
      below_ = step.prospect;
      at_ = step.candidate;
    }
    return state;
  }

  std::vector<NeedState> needs_of(const Rung& rung, const Step& step) {
    std::vector<NeedState> states;
    const Axis* axis = study_.knowledge.axis(rung.axis);
    const int move = axis->find(step.move);
    const Edits edits = study_.space.edits(step.candidate);
    Ground* ground = study_.assessor.terrain().ground(edits);
    if (move < 0 || ground == nullptr) {
      return states;
    }
    const lint::Judgement judgement = ground->judge(edits);
    for (const Need& need : axis->moves[static_cast<std::size_t>(move)].needs) {
      NeedState state;
      state.what = need.what;
      state.rule = study_.world.bench.knowledge.find(need.rule);
      const auto fails = [&](const std::vector<const lint::Rule*>& rules) {
        return std::ranges::find(rules, state.rule) != rules.end();
      };
      state.met = !fails(judgement.failed) && !fails(judgement.explained);
      state.arranged = std::ranges::any_of(
          step.prospect.assessment.companions,
          [&](const Companion& companion) { return companion.rule == state.rule; });
      states.push_back(std::move(state));
    }
    return states;
  }

  const Study& study_;
  Candidate bottom_;
  Candidate at_;
  Prospect start_;
  Prospect below_;
};

}  // namespace

Ladder overlap_ladder(const Study& study) {
  return Climb(study).run();
}

}  // namespace epwise::advise
