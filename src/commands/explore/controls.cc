#include "commands/explore/controls.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "advise/assessor.h"
#include "advise/evaluator.h"
#include "advise/moves.h"
#include "advise/plan_maker.h"
#include "advise/space.h"
#include "base/text/count.h"
#include "perf/sim/constants/constants.h"

namespace epwise::explore {

namespace {

using advise::Space;
using report::Json;

/// The move that the recipe has.
std::optional<std::string> present_of(const Space& space, std::size_t number) {
  const std::vector<advise::Move>& moves = space.dimensions()[number].axis->moves;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (space.stands(number, i)) {
      return moves[i].name;
    }
  }
  return std::nullopt;
}

/// Whether the configuration of the recipe's trainer has a place for all edits.
bool has_places(const advise::Edits& edits, const advise::Evaluator& recipe) {
  return !recipe.has_trainer() || std::ranges::all_of(edits, [&](const advise::Edit& edit) {
    return recipe.knows(edit.field) || recipe.is_idle(edit);
  });
}

/// The moves of a dimension that make a difference here, and the present one.
std::vector<std::string> moves_of(const Space& space,
                                  const advise::Evaluator& recipe,
                                  std::size_t number) {
  const Space::Dimension& dimension = space.dimensions()[number];
  const std::optional<std::string> present = present_of(space, number);
  std::vector<std::string> moves;
  std::vector<advise::Edits> layouts;  // two of them may come to the same
  for (std::size_t i = 0; i < dimension.axis->moves.size(); ++i) {
    const auto position = static_cast<advise::Position>(i + 1);
    advise::Candidate candidate = space.start();
    candidate[number] = position;
    bool counts = dimension.allows(position) && space.canonical(candidate)[number] == position &&
                  has_places(space.edits(candidate), recipe);
    if (counts && dimension.axis->moves[i].loss_layers >= 0) {
      counts = std::ranges::find(layouts, space.edits(candidate)) == layouts.end();
      layouts.push_back(space.edits(candidate));
    }
    if (counts || present == dimension.axis->moves[i].name) {
      moves.push_back(dimension.axis->moves[i].name);
    }
  }
  return moves;
}

bool is_size(const std::string& move) {
  return !move.empty() && move.find_first_not_of("0123456789") == std::string::npos;
}

/// Everything may change, training too: the user decides.
advise::Freedom freedom_of(const session::Analysis& analysis) {
  advise::Freedom freedom;
  freedom.by_hand = true;
  for (const advise::Axis& axis : advise::knowledge().axes) {
    freedom.may_change.push_back(axis.name);
  }
  freedom.architecture = analysis.target->hw == nullptr ? "" : analysis.target->hw->architecture;
  return freedom;
}

Json controls_in(const Space& space, const advise::Evaluator& recipe) {
  Json controls = Json::array();
  for (std::size_t i = 0; i < space.dimensions().size(); ++i) {
    const Space::Dimension& dimension = space.dimensions()[i];
    const std::vector<std::string> moves = moves_of(space, recipe, i);
    const std::optional<std::string> present = present_of(space, i);
    if (moves.size() + (present ? 0U : 1U) < 2) {
      continue;
    }
    const bool sizes = std::ranges::all_of(moves, is_size);
    controls.push_back({{"axis", dimension.axis->name},
                        {"group", dimension.axis->group},
                        {"title", dimension.axis->what},
                        {"kind", sizes && moves.size() > 2 ? "slider" : "menu"},
                        {"moves", moves},
                        {"present", present ? Json(*present) : Json(nullptr)}});
  }
  return controls;
}

/// Judges each move of a recipe alone.
class MoveJudge {
 public:
  MoveJudge(const session::Analysis& analysis, const cost::Table& laws)
      : world_{.base = analysis,
               .laws = laws,
               .constants = sim::constants(),
               .inputs = {},
               .highest = lint::Tier::performance},
        assessor_(world_, nullptr),
        space_(advise::knowledge(), assessor_.cache().plain(), freedom_of(analysis)) {
    assessor_.use(space_);
  }

  MoveJudge(const MoveJudge&) = delete;
  MoveJudge& operator=(const MoveJudge&) = delete;

  const Space& space() const { return space_; }

  const advise::Evaluator& recipe() { return assessor_.cache().plain(); }

  /// A move as plans make it: without new warnings, with the changes that it needs; if there is no
  /// such way, without new errors. `why`: what forbids it; empty if nothing does.
  advise::Assessment judge(std::string_view axis, std::string_view move, std::string& why) {
    const advise::Candidate candidate = space_.with(space_.start(), axis, move);
    advise::Assessment assessment = assessor_.judged(candidate, advise::Bar::clean);
    if (!assessment.legal) {
      assessment = assessor_.judged(candidate, advise::Bar::runs);
    }
    if (assessment.legal) {
      const advise::Move* made = space_.move(candidate, axis);
      why = made == nullptr ? "" : undone(*made, assessment);
    } else if (assessment.blocked != nullptr) {
      why = fmt::format("{} ({})", assessment.blocked->what, assessment.blocked->code);
    } else {
      why = assessment.problem;
    }
    return assessment;
  }

  /// The field as the text spells it.
  std::string spelled(const advise::Edit& edit) {
    return assessor_.cache().plain().spelled(edit).field;
  }

  session::Draft draft(const advise::Edits& edits, std::string& problem) {
    return advise::draft_with(edits, assessor_.cache(), world_.base, problem);
  }

 private:
  /// Which setting of the move itself the launch undoes; empty if none.
  std::string undone(const advise::Move& move, const advise::Assessment& assessment) {
    advise::Evaluator* evaluator = assessor_.cache().evaluator(assessment.edits);
    std::string why;
    for (const advise::Setting& setting : move.sets) {
      for (const std::string& field : setting.fields) {
        if (evaluator != nullptr && evaluator->overrules(assessment.edits, field)) {
          why = fmt::format("the launch sets {} to another value", field);
        }
      }
    }
    return why;
  }

  advise::World world_;
  advise::Assessor assessor_;
  Space space_;
};

}  // namespace

Json controls_of(const session::Analysis& analysis) {
  const advise::EvaluatorCache cache(analysis);
  return controls_in({advise::knowledge(), cache.plain(), freedom_of(analysis)}, cache.plain());
}

Json judged_controls_of(const session::Analysis& analysis, const cost::Table& laws) {
  MoveJudge moves(analysis, laws);
  const Space& space = moves.space();
  Json controls = controls_in(space, moves.recipe());
  for (Json& control : controls) {
    control["refused"] = Json::array();
    for (const Json& move : control["moves"]) {
      std::string why;
      const std::string axis = control["axis"];
      if (move != control["present"]) {
        moves.judge(axis, move.get<std::string>(), why);
      }
      if (!why.empty()) {
        control["refused"].push_back({{"move", move}, {"why", why}});
      }
    }
  }
  return controls;
}

Moved moved(const session::Analysis& analysis,
            const cost::Table& laws,
            std::string_view axis,
            std::string_view move) {
  Moved result;
  MoveJudge moves(analysis, laws);
  const Space& space = moves.space();
  const int number = space.index(axis);
  if (number < 0 || space.dimensions()[static_cast<std::size_t>(number)].axis->find(move) < 0) {
    result.problem = fmt::format("no control `{}` with the value `{}`", axis, move);
    return result;
  }
  const advise::Assessment assessment = moves.judge(axis, move, result.problem);
  if (result.problem.empty()) {
    result.text = moves.draft(assessment.edits, result.problem).bytes;
    for (const advise::Companion& companion : assessment.companions) {
      for (const advise::Edit& edit : companion.edits) {
        result.with.push_back(moves.spelled(edit));
      }
    }
  }
  return result;
}

}  // namespace epwise::explore
