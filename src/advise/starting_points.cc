#include "advise/starting_points.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "recipe/named/named_recipe.h"

namespace epwise::advise {

namespace {

bool is_allowed(const Space::Dimension& dimension, Position position) {
  return std::ranges::find(dimension.positions, position) != dimension.positions.end();
}

/// Lines that a recipe of the same model contains.
std::vector<std::string> marks_of(const Evaluator& evaluator) {
  std::vector<std::string> marks;
  for (const std::string_view field :
       {"num_layers", "hidden_size", "num_moe_experts", "moe_router_topk"}) {
    const expr::Value value = evaluator.present(fmt::format("model.{}", field));
    if (value.is_known() && !value.is_unset()) {
      marks.push_back(fmt::format("\n  {}: {}\n", field, value.to_text()));
    }
  }
  return marks;
}

/// Positions of another recipe's own moves.
Candidate candidate_like(const session::Analysis& other,
                         const Study& study,
                         const Freedom& freedom) {
  const EvaluatorCache cache(other);
  const Space theirs(study.knowledge, cache.plain(), freedom);
  Candidate candidate = study.space.start();
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    const Space::Dimension& dimension = study.space.dimensions()[i];
    const auto position = static_cast<Position>(theirs.dimensions()[i].present + 1);
    if (position > 0 && !dimension.axis->sweep && is_allowed(dimension, position)) {
      candidate[i] = position;
    }
  }
  return study.space.canonical(std::move(candidate));
}

void add_library_recipes(const Study& study,
                         const Freedom& freedom,
                         std::vector<Candidate>& candidates) {
  constexpr std::size_t kMost = 4;
  constexpr std::string_view kRelease = "head";
  const session::Analysis& base = study.world.base;
  const std::vector<std::string> marks = marks_of(study.assessor.cache().plain());
  if (base.recipe->framework != recipe::Framework::bridge || marks.size() < 3) {
    return;
  }
  const recipe::RecipeBook& book = recipe::RecipeBook::embedded();
  std::size_t read = 0;
  for (const std::string_view name : book.names(kRelease)) {
    const auto selection = recipe::selection_of(name);
    if (!selection || selection->gpu != base.target->hw->name || read >= kMost) {
      continue;
    }
    std::string text = book.text(*book.find(kRelease, name));
    const bool same = std::ranges::all_of(
        marks, [&](const std::string& mark) { return text.find(mark) != std::string::npos; });
    if (!same) {
      continue;
    }
    const session::Analysis other = base.read(session::Draft{std::move(text), {}});
    if (other.recipe != nullptr && other.recipe->readable) {
      candidates.push_back(candidate_like(other, study, freedom));
      ++read;
    }
  }
}

/// The first of the moves that the space allows on an axis.
Candidate with_first(const Space& space,
                     Candidate candidate,
                     std::string_view axis,
                     const std::vector<std::string_view>& moves) {
  const int at = space.index(axis);
  for (const std::string_view move : moves) {
    Candidate tried = space.with(candidate, axis, move);
    if (at >= 0 && is_allowed(space.dimensions()[static_cast<std::size_t>(at)],
                              tried[static_cast<std::size_t>(at)])) {
      return tried;
    }
  }
  return candidate;
}

/// With a move, and the first allowed moves of the axes that it depends on.
Candidate with_needs(const Space& space,
                     Candidate candidate,
                     std::string_view axis,
                     std::string_view name) {
  const int at = space.index(axis);
  if (at < 0) {
    return candidate;
  }
  const Axis& chosen = *space.dimensions()[static_cast<std::size_t>(at)].axis;
  const int move = chosen.find(name);
  if (move < 0) {
    return candidate;
  }
  for (const Condition& needed : chosen.moves[static_cast<std::size_t>(move)].with) {
    candidate = with_first(
        space, std::move(candidate), needed.axis, {needed.moves.begin(), needed.moves.end()});
  }
  return with_first(space, std::move(candidate), axis, {name});
}

/// Dispatcher of the hardware, overlap, graphs; then a whole-iteration graph.
void add_documented(const Study& study, std::vector<Candidate>& candidates) {
  const Space& space = study.space;
  Candidate plain = space.start();
  const std::string first = documented_dispatcher(study);
  if (!first.empty()) {
    plain = with_first(space, plain, "dispatcher", {first});
  }
  const Candidate overlapped = with_first(space, plain, "overlap", {"on"});
  candidates.push_back(with_first(space, plain, "graphs", {"attention", "router"}));
  candidates.push_back(with_first(space, overlapped, "graphs", {"attention", "router"}));
  for (const Candidate& each : {plain, overlapped}) {
    Candidate whole = with_needs(space, each, "graphs", "full_iteration");
    candidates.push_back(whole);
    candidates.push_back(with_first(space, std::move(whole), "recompute", {"none"}));
  }
}

}  // namespace

std::vector<Candidate> starting_points(const Study& study, const Freedom& freedom) {
  std::vector<Candidate> candidates;
  add_documented(study, candidates);
  add_library_recipes(study, freedom, candidates);
  std::vector<Candidate> distinct;
  for (Candidate& candidate : candidates) {
    if (std::ranges::find(distinct, candidate) == distinct.end()) {
      distinct.push_back(std::move(candidate));
    }
  }
  return distinct;
}

}  // namespace epwise::advise
