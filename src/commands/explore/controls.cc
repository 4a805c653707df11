#include "commands/explore/controls.h"

#include <algorithm>
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

/// The moves of a dimension that make a difference here, and the present one.
std::vector<std::string> moves_of(const Space& space, std::size_t number) {
  const Space::Dimension& dimension = space.dimensions()[number];
  std::vector<std::string> moves;
  for (std::size_t i = 0; i < dimension.axis->moves.size(); ++i) {
    const auto position = static_cast<advise::Position>(i + 1);
    advise::Candidate candidate = space.start();
    candidate[number] = position;
    const bool open = std::ranges::find(dimension.positions, position) != dimension.positions.end();
    const bool counts = open && space.canonical(candidate)[number] == position;
    if (counts || dimension.present == static_cast<int>(i)) {
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

Json controls_in(const Space& space) {
  Json controls = Json::array();
  for (std::size_t i = 0; i < space.dimensions().size(); ++i) {
    const Space::Dimension& dimension = space.dimensions()[i];
    const std::vector<std::string> moves = moves_of(space, i);
    const bool set = dimension.present >= 0;
    if (moves.size() + (set ? 0U : 1U) < 2) {
      continue;
    }
    const bool sizes = std::ranges::all_of(moves, is_size);
    controls.push_back(
        {{"axis", dimension.axis->name},
         {"group", dimension.axis->group},
         {"title", dimension.axis->what},
         {"kind", sizes && moves.size() > 2 ? "slider" : "menu"},
         {"moves", moves},
         {"present",
          set ? Json(dimension.axis->moves[static_cast<std::size_t>(dimension.present)].name)
              : Json(nullptr)}});
  }
  return controls;
}

/// A recipe and its moves, of which each is judged alone.
class Desk {
 public:
  Desk(const session::Analysis& analysis, const cost::Table& laws)
      : world_{.base = analysis,
               .laws = laws,
               .constants = sim::constants(),
               .inputs = {},
               .highest = lint::Tier::performance},
        assessor_(world_, nullptr),
        space_(advise::knowledge(), assessor_.cache().plain(), freedom_of(analysis)) {
    assessor_.use(space_);
  }

  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  const Space& space() const { return space_; }

  /// A move as plans make it: without new warnings, with the changes that it needs; if there is no
  /// such way, without new errors. `why`: what forbids it; empty if nothing does.
  advise::Assessment judge(const advise::Candidate& candidate, std::string& why) {
    advise::Assessment assessment = assessor_.judged(candidate, advise::Bar::clean);
    if (!assessment.legal) {
      assessment = assessor_.judged(candidate, advise::Bar::runs);
    }
    if (assessment.legal) {
      why = undone(assessment);
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
  std::string undone(const advise::Assessment& assessment) {
    advise::Evaluator* evaluator = assessor_.cache().evaluator(assessment.edits);
    const std::vector<std::string> fields =
        evaluator == nullptr ? std::vector<std::string>() : evaluator->overruled(assessment.edits);
    return fields.empty()
               ? ""
               : fmt::format("the launch sets {} to another value", text::listed(fields));
  }

  advise::World world_;
  advise::Assessor assessor_;
  Space space_;
};

}  // namespace

Json controls_of(const session::Analysis& analysis) {
  const advise::EvaluatorCache cache(analysis);
  return controls_in({advise::knowledge(), cache.plain(), freedom_of(analysis)});
}

Json judged_controls_of(const session::Analysis& analysis, const cost::Table& laws) {
  Desk desk(analysis, laws);
  const Space& space = desk.space();
  Json controls = controls_in(space);
  for (Json& control : controls) {
    control["refused"] = Json::array();
    for (const Json& move : control["moves"]) {
      std::string why;
      const advise::Candidate candidate =
          space.with(space.start(), control["axis"].get<std::string>(), move.get<std::string>());
      if (candidate != space.start()) {
        desk.judge(candidate, why);
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
  Desk desk(analysis, laws);
  const Space& space = desk.space();
  const int number = space.index(axis);
  if (number < 0 || space.dimensions()[static_cast<std::size_t>(number)].axis->find(move) < 0) {
    result.problem = fmt::format("no control `{}` with the value `{}`", axis, move);
    return result;
  }
  const advise::Candidate candidate = space.with(space.start(), axis, move);
  const advise::Assessment assessment = desk.judge(candidate, result.problem);
  if (result.problem.empty()) {
    result.text = desk.draft(assessment.edits, result.problem).bytes;
    for (const advise::Companion& companion : assessment.companions) {
      for (const advise::Edit& edit : companion.edits) {
        result.with.push_back(desk.spelled(edit));
      }
    }
  }
  return result;
}

}  // namespace epwise::explore
