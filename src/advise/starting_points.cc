#include "advise/starting_points.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "recipe/named/named_recipe.h"

namespace epwise::advise {

namespace {

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

/// Another recipe's own moves.
Precedent precedent_like(const session::Analysis& other,
                         const Study& study,
                         const Freedom& freedom) {
  const EvaluatorCache cache(other);
  const Space theirs(study.knowledge, cache.plain(), freedom);
  Precedent precedent;
  precedent.candidate = study.space.start();
  for (std::size_t i = 0; i < precedent.candidate.size(); ++i) {
    const Space::Dimension& dimension = study.space.dimensions()[i];
    const int present = theirs.dimensions()[i].present;
    const auto position = static_cast<Position>(present + 1);
    const bool own = present == dimension.present;
    const bool known =
        present >= 0 && !dimension.axis->sweep && (own || dimension.allows(position));
    precedent.known.push_back(known);
    precedent.candidate[i] = known && !own ? position : static_cast<Position>(0);
    if (dimension.axis->name == "precision" && present >= 0) {
      precedent.precision = dimension.axis->moves[static_cast<std::size_t>(present)].name;
    }
  }
  precedent.candidate = study.space.canonical(std::move(precedent.candidate));
  return precedent;
}

/// GPUs to which documents give the same advice, this one included.
std::vector<std::string> like_hardware(const Study& study) {
  const std::string& own = study.world.base.target->hw->architecture;
  for (const Guideline& line : study.knowledge.by_hardware) {
    if (text::is_one_of(own, line.architectures)) {
      return line.architectures;
    }
  }
  return {own};
}

/// A precision of the harness as its move: "fp8_mx" → "mxfp8".
std::string_view move_of(std::string_view precision) {
  return precision == "fp8_mx" ? "mxfp8" : precision == "fp8_sc" ? "fp8_block" : precision;
}

/// 0: the recipe has this precision; 1: a plan may change to it; 2: neither.
int precision_rank(const Study& study, std::string_view precision) {
  if (precision == to_string(study.present.job->precision)) {
    return 0;
  }
  const int axis = study.space.index("precision");
  if (axis < 0) {
    return 2;
  }
  const Space::Dimension& dimension = study.space.dimensions()[static_cast<std::size_t>(axis)];
  const auto position = static_cast<Position>(dimension.axis->find(precision) + 1);
  return position > 0 && dimension.allows(position) ? 1 : 2;
}

/// A recipe of the table that may be worth reading.
struct Shelved {
  std::string_view name;
  bool same_gpu = false;
  bool special = false;  // of a variant: for development, for another purpose
  int precision = 0;     // rank
  double apart = 0;      // logarithm of the ratio of the numbers of GPUs
};

/// The likest first.
std::vector<Shelved> shelved(const Study& study, std::string_view release) {
  const facts::Target& target = *study.world.base.target;
  const std::vector<std::string> like = like_hardware(study);
  std::vector<Shelved> list;
  for (const std::string_view name : recipe::RecipeBook::embedded().names(release)) {
    const auto selection = recipe::selection_of(name);
    if (!selection || !std::ranges::any_of(like, [&](const std::string& gpu) {
          return selection->gpu == text::lower(gpu);
        })) {
      continue;
    }
    const auto gpus = static_cast<double>(selection->gpus.value_or(1));
    list.push_back({name,
                    selection->gpu == target.hw->name,
                    !selection->variant.empty(),
                    precision_rank(study, move_of(selection->precision)),
                    std::abs(std::log(gpus / std::max(target.gpus.value_or(1), 1)))});
  }
  std::ranges::stable_sort(list, {}, [](const Shelved& each) {
    return std::tuple(!each.same_gpu, each.precision, each.special, each.apart);
  });
  return list;
}

}  // namespace

std::vector<Precedent> precedents_of(const Study& study, const Freedom& freedom) {
  constexpr std::size_t kMost = 4;  // on the same GPU, and on others
  constexpr std::string_view kRelease = "head";
  const session::Analysis& base = study.world.base;
  const std::vector<std::string> marks = marks_of(study.assessor.cache().plain());
  std::vector<Precedent> precedents;
  if (base.recipe->framework != recipe::Framework::bridge || marks.size() < 3) {
    return precedents;
  }
  const recipe::RecipeBook& book = recipe::RecipeBook::embedded();
  std::map<bool, std::size_t> count;
  for (const Shelved& each : shelved(study, kRelease)) {
    if (count[each.same_gpu] >= kMost) {
      continue;
    }
    std::string text = book.text(*book.find(kRelease, each.name));
    const bool same = std::ranges::all_of(
        marks, [&](const std::string& mark) { return text.find(mark) != std::string::npos; });
    if (!same) {
      continue;
    }
    const session::Analysis other = base.read(session::Draft{std::move(text), {}});
    if (other.recipe != nullptr && other.recipe->readable) {
      precedents.push_back(precedent_like(other, study, freedom));
      precedents.back().name = each.name;
      precedents.back().same_gpu = each.same_gpu;
      precedents.back().special = each.special;
      ++count[each.same_gpu];
    }
  }
  return precedents;
}

namespace {

/// The first of the moves that the space allows on an axis.
Candidate with_first(const Space& space,
                     Candidate candidate,
                     std::string_view axis,
                     const std::vector<std::string_view>& moves) {
  const int at = space.index(axis);
  for (const std::string_view move : moves) {
    Candidate tried = space.with(candidate, axis, move);
    if (at >= 0 && space.dimensions()[static_cast<std::size_t>(at)].allows(
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
  const Move* move = space.dimensions()[static_cast<std::size_t>(at)].axis->move(name);
  if (move == nullptr) {
    return candidate;
  }
  for (const Condition& needed : move->with) {
    candidate = with_first(
        space, std::move(candidate), needed.axis, {needed.moves.begin(), needed.moves.end()});
  }
  return with_first(space, std::move(candidate), axis, {name});
}

/// Overlap needs virtual stages in a pipeline: with each number of them.
void add_chunked(const Space& space,
                 const Candidate& overlapped,
                 std::vector<Candidate>& candidates) {
  const int at = space.index("virtual");
  const Move* pipeline = space.move(overlapped, "pipeline");
  if (at < 0 || pipeline == nullptr || pipeline->name == "1") {
    return;
  }
  for (const Position position : space.dimensions()[static_cast<std::size_t>(at)].positions) {
    if (position != 0) {
      candidates.push_back(overlapped);
      candidates.back()[static_cast<std::size_t>(at)] = position;
    }
  }
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
  add_chunked(space, overlapped, candidates);
  for (const Candidate& each : {plain, overlapped}) {
    Candidate whole = with_needs(space, each, "graphs", "full_iteration");
    candidates.push_back(whole);
    candidates.push_back(with_first(space, std::move(whole), "recompute", {"none"}));
  }
}

}  // namespace

std::vector<Candidate> starting_points(const Study& study,
                                       const std::vector<Precedent>& precedents) {
  std::vector<Candidate> candidates;
  add_documented(study, candidates);
  for (const Precedent& precedent : precedents) {
    if (precedent.same_gpu) {
      candidates.push_back(precedent.candidate);
    }
  }
  std::vector<Candidate> distinct;
  for (Candidate& candidate : candidates) {
    if (std::ranges::find(distinct, candidate) == distinct.end()) {
      distinct.push_back(std::move(candidate));
    }
  }
  return distinct;
}

}  // namespace epwise::advise
