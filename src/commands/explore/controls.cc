#include "commands/explore/controls.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "advise/evaluator.h"
#include "advise/moves.h"
#include "advise/plan_maker.h"
#include "advise/space.h"

namespace epwise::explore {

namespace {

using advise::Space;
using report::Json;

/// Everything may change, training too: the user decides.
Space space_of(const session::Analysis& analysis, const advise::EvaluatorCache& cache) {
  advise::Freedom freedom;
  for (const advise::Axis& axis : advise::knowledge().axes) {
    freedom.may_change.push_back(axis.name);
  }
  freedom.architecture = analysis.target->hw == nullptr ? "" : analysis.target->hw->architecture;
  return {advise::knowledge(), cache.plain(), freedom};
}

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

}  // namespace

Json controls_of(const session::Analysis& analysis) {
  const advise::EvaluatorCache cache(analysis);
  const Space space = space_of(analysis, cache);
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

std::string text_with(const session::Analysis& analysis,
                      std::string_view axis,
                      std::string_view move,
                      std::string& problem) {
  const advise::EvaluatorCache cache(analysis);
  const Space space = space_of(analysis, cache);
  const int number = space.index(axis);
  if (number < 0 || space.dimensions()[static_cast<std::size_t>(number)].axis->find(move) < 0) {
    problem = fmt::format("no control `{}` with the value `{}`", axis, move);
    return {};
  }
  const advise::Candidate candidate = space.with(space.start(), axis, move);
  return advise::draft_with(space.edits(candidate), cache, analysis, problem).bytes;
}

}  // namespace epwise::explore
