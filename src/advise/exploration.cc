#include "advise/exploration.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace epwise::advise {

namespace {

constexpr int kFullRecompute = 5;

bool is_layout(const Axis& axis) {
  const bool generated =
      std::ranges::any_of(axis.moves, [](const Move& move) { return move.loss_layers >= 0; });
  return axis.sets_sizes() && !generated;
}

/// Means of fitting, besides what can be switched off.
bool saves_memory(const Axis& axis) {
  return std::ranges::any_of(axis.moves, [](const Move& move) { return move.fit > 0; }) ||
         axis.group == "recompute" || axis.group == "memory" || axis.group == "mapping";
}

/// Rules that reject a candidate without a look at the rest. What the recipe violates itself, and the
/// user has accepted, rejects none.
std::vector<const lint::Rule*> quick_rules(const Study& study) {
  std::vector<const lint::Rule*> quick;
  const lint::Judgement& own = study.assessor.cache().plain().base();
  const auto holds = [](const std::vector<const lint::Rule*>& rules, const lint::Rule* rule) {
    return std::ranges::find(rules, rule) != rules.end();
  };
  for (const std::string& id : study.knowledge.quick) {
    const lint::Rule* rule = study.world.base.knowledge().find(id);
    if (rule != nullptr && !holds(own.failed, rule) && !holds(own.explained, rule)) {
      quick.push_back(rule);
    }
  }
  return quick;
}

/// Open axes other than SM counts, which plans choose by themselves.
bool only_counts_are_open(const Space& space) {
  return std::ranges::none_of(space.dimensions(), [](const Space::Dimension& dimension) {
    return dimension.open && !dimension.axis->sweep;
  });
}

constexpr Position kOff = 1;  // the first move of an axis that switches something on or off

bool can_be_off(const Space::Dimension& dimension) {
  const std::string_view group = dimension.axis->group;
  return (group == "overlap" || group == "graphs") && dimension.allows(kOff);
}

std::vector<Position> positions_of(const Space::Dimension& dimension,
                                   const Expedition& expedition,
                                   bool counts) {
  const Axis& axis = *dimension.axis;
  if (axis.sweep && !counts) {
    return {0};
  }
  if (expedition.with_speed || saves_memory(axis)) {
    return dimension.positions;
  }
  return can_be_off(dimension) ? std::vector<Position>{0, kOff} : std::vector<Position>{0};
}

std::vector<Position> own_or(Position other) {
  return other == 0 ? std::vector<Position>{0} : std::vector<Position>{0, other};
}

}  // namespace

SearchResult explore(const Study& study, const Request& request, Expedition expedition) {
  std::vector<std::unique_ptr<Assessor>> assessors;
  for (std::size_t i = 0; i < std::max<std::size_t>(request.workers, 1); ++i) {
    assessors.push_back(std::make_unique<Assessor>(study.world, &study.space));
  }
  const std::vector<const lint::Rule*> quick = quick_rules(study);
  const bool counts = only_counts_are_open(*expedition.space);
  Landscape landscape;
  const std::vector<Space::Dimension>& dimensions = expedition.space->dimensions();
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const Space::Dimension& dimension = dimensions[i];
    landscape.positions.push_back(expedition.others && !is_layout(*dimension.axis)
                                      ? own_or((*expedition.others)[i])
                                      : positions_of(dimension, expedition, counts));
    landscape.layout.push_back(is_layout(*dimension.axis));
    landscape.alone.push_back(dimension.axis->alone && expedition.with_speed);
    landscape.later.push_back(expedition.with_speed && dimension.open &&
                              dimension.axis->tier == lint::Tier::training);
  }
  landscape.canonical = [&](Candidate candidate) {
    return study.space.canonical(std::move(candidate));
  };
  landscape.impossible = [&](std::size_t worker, const Candidate& candidate) {
    return assessors[worker]->impossible(candidate, quick);
  };
  landscape.cost = [&](std::size_t worker, const Candidate& candidate) {
    return cost_of(assessors[worker]->assess(candidate),
                   candidate,
                   study.space,
                   expedition.goal,
                   study.present.assessment);
  };
  expedition.bounds.workers = assessors.size();
  expedition.bounds.seconds = request.seconds;
  expedition.bounds.stop = request.stop;
  expedition.bounds.progress = request.progress;
  return search(landscape, expedition.bounds);
}

namespace {

constexpr std::array<std::string_view, 6> kMeans = {"",
                                                    "another layout or a smaller micro-batch",
                                                    "selective recompute",
                                                    "reduced precision of optimizer states",
                                                    "offloading to host memory",
                                                    "full recompute"};

int means_of(const Candidate& candidate, const Space& space) {
  int rank = 1;
  for (const std::size_t axis : space.changed(candidate)) {
    rank = std::max(rank, space.move(candidate, axis)->fit);
  }
  return rank;
}

SearchBounds short_bounds(std::size_t looks) {
  SearchBounds bounds;
  bounds.exhaustive = looks;
  bounds.looks = looks;
  bounds.starts = 3;
  bounds.rounds = 2;
  return bounds;
}

/// What needs the least memory on the recipe's layout: overlap and graphs off, every other axis at its
/// leanest position, one after another.
Candidate leanest(const Study& study, const Space& space) {
  Assessor assessor(study.world, &space);
  const auto need = [&](const Candidate& candidate) {
    const double bytes = assessor.assess(candidate).needed_memory;
    return bytes > 0 ? bytes : std::numeric_limits<double>::infinity();  // not valid, or unknown
  };
  Candidate lean = space.start();
  const std::vector<Space::Dimension>& dimensions = space.dimensions();
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (can_be_off(dimensions[i])) {
      lean[i] = kOff;
    }
  }
  double least = need(lean);
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (is_layout(*dimensions[i].axis) || dimensions[i].axis->sweep) {
      continue;
    }
    for (const Position position : dimensions[i].positions) {
      Candidate tried = lean;
      tried[i] = position;
      const double bytes = need(tried);
      if (bytes < least) {
        least = bytes;
        lean = std::move(tried);
      }
    }
  }
  return lean;
}

/// The space of a recipe that does not fit, with the means of fitting up to a rank; 0: all.
Space fitting_space(const Study& study, const Request& request, const Evaluator& recipe, int rank) {
  Freedom freedom = request.freedom;
  freedom.to_fit = true;
  freedom.most_fit = rank;
  return Space(study.knowledge, recipe, freedom);
}

/// All layouts with what needs the least memory: whether anything fits at all.
SearchResult explore_leanest(const Study& study, const Request& request, const Space& space) {
  constexpr std::size_t kLooks = 2000;
  Expedition expedition{&space, Goal::speed, short_bounds(kLooks), false, leanest(study, space)};
  expedition.bounds.exhaustive = 0;
  expedition.bounds.rounds = 1;
  expedition.bounds.starts = 1;
  expedition.bounds.seeds = {*expedition.others};
  return explore(study, request, std::move(expedition));
}

/// Numbers of GPUs above the own one: powers of two, and the own one doubled.
std::set<int> larger_numbers(int own, int most) {
  std::set<int> numbers;
  for (const int first : {own, 1}) {
    for (int gpus = first; gpus <= most; gpus *= 2) {
      numbers.insert(gpus);
    }
  }
  numbers.erase(numbers.begin(), numbers.upper_bound(own));
  return numbers;
}

constexpr int kMostGpus = 16384;

/// The smallest of the larger numbers on which something fits; 0: none up to kMostGpus.
int enough_gpus(const Study& study, const Request& request) {
  const facts::Target& own = *study.world.base.target;
  for (const int gpus : larger_numbers(own.gpus.value_or(1), kMostGpus)) {
    facts::Target target = own;
    target.gpus = gpus;
    World larger = study.world;
    larger.base = study.world.base.on(target);
    Assessor assessor(larger, nullptr);
    const Space space = fitting_space(study, request, assessor.cache().plain(), 0);
    Assessor of_space(larger, &space);
    const Study other{larger, study.knowledge, space, of_space, study.present};
    if (!explore_leanest(other, request, space).visits.empty()) {
      return gpus;
    }
  }
  return 0;
}

}  // namespace

Fitting fit_first(const Study& study, const Request& request, PlanMaker& maker) {
  constexpr std::size_t kLooks = 500;
  constexpr double kFaster = 0.97;
  const Goal goal = request.goal == Goal::safe ? Goal::safe : Goal::speed;
  Fitting fitting;
  double least = study.present.assessment.needed_memory;
  const auto take = [&](const SearchResult& result) {
    if (result.least_unfit) {
      least = std::min(least, study.assessor.assess(result.least_unfit->candidate).needed_memory);
    }
    if (result.visits.empty()) {
      return;
    }
    fitting.seeds.push_back(result.visits.front().candidate);
    const std::optional<Plan> plan = maker.make(result.visits.front().candidate);
    const bool better = plan && (fitting.plans.empty() ||
                                 plan->step.value < kFaster * fitting.plans.back().step.value);
    if (better) {
      fitting.plans.push_back(*plan);
      const int means = means_of(plan->candidate, study.space);
      fitting.plans.back().means = kMeans[static_cast<std::size_t>(means)];
    }
  };
  for (int rank = 1; rank <= kFullRecompute; ++rank) {
    const Space space = fitting_space(study, request, study.assessor.cache().plain(), rank);
    Expedition expedition{&space, goal, short_bounds(kLooks), false};
    expedition.bounds.seeds = fitting.seeds;
    take(explore(study, request, std::move(expedition)));
  }
  if (fitting.seeds.empty()) {
    const auto leanest_with = [&](int rank) {
      const Space space = fitting_space(study, request, study.assessor.cache().plain(), rank);
      return explore_leanest(study, request, space);
    };
    const SearchResult all = leanest_with(kFullRecompute);
    for (int rank = 1; rank < kFullRecompute && !all.visits.empty() && fitting.seeds.empty();
         ++rank) {
      take(leanest_with(rank));
    }
    take(all);
  }
  if (fitting.seeds.empty()) {
    fitting.shortage =
        Shortage{least, study.present.job->machine.memory, enough_gpus(study, request), kMostGpus};
  }
  return fitting;
}

namespace {

constexpr double kWorthTrying = 0.97;  // of the recipe's memory

/// Whether one relief is to be shown rather than another of the same axis: one that fits, then a
/// fast one, or else a lean one.
bool is_better(const Relief& one, const Relief& other) {
  if (one.fits != other.fits) {
    return one.fits;
  }
  return one.fits ? one.longer < other.longer : one.needed < other.needed;
}

using Ranked = std::pair<int, Relief>;  // by rank of the means

/// Tries every position of one axis at a time.
class ReliefSearch {
 public:
  ReliefSearch(const Space& space, Assessor& assessor, const Prospect& present)
      : space_(space),
        assessor_(assessor),
        present_(present) {}

  /// The best relief of each rank on an axis.
  std::vector<Ranked> on(std::size_t dimension) const {
    std::array<std::optional<Relief>, kFullRecompute + 1> best;  // by rank
    for (const Position position : space_.dimensions()[dimension].positions) {
      Candidate candidate = space_.start();
      candidate[dimension] = position;
      const Move* move = position == 0 ? nullptr : space_.move(candidate, dimension);
      if (move == nullptr || move->fit == 0 || space_.canonical(candidate) == space_.start()) {
        continue;
      }
      std::optional<Relief> relief = relief_of(candidate, dimension, *move);
      auto& place = best[static_cast<std::size_t>(std::min(move->fit, kFullRecompute))];
      if (relief && (!place || is_better(*relief, *place))) {
        place = std::move(relief);
      }
    }
    std::vector<Ranked> found;
    for (std::size_t rank = 0; rank < best.size(); ++rank) {
      if (best[rank]) {
        found.emplace_back(static_cast<int>(rank), *std::move(best[rank]));
      }
    }
    return found;
  }

 private:
  /// nullopt: it is not valid, or saves too little.
  std::optional<Relief> relief_of(const Candidate& candidate,
                                  std::size_t dimension,
                                  const Move& move) const {
    const Prospect prospect = assessor_.prospect(candidate);
    const Assessment& after = prospect.assessment;
    const Assessment& before = present_.assessment;
    if (prospect.work == nullptr || !after.legal ||
        after.needed_memory > kWorthTrying * before.needed_memory) {
      return std::nullopt;
    }
    const Axis& axis = *space_.dimensions()[dimension].axis;
    Relief relief{title_of(axis, move),
                  after.needed_memory,
                  after.out_of_memory <= kMostMemoryRisk,
                  after.step / before.step,
                  {}};
    for (const Edit& edit : after.edits) {
      relief.changes.push_back(change_of(edit, axis.tier, axis.name, assessor_.cache().plain()));
    }
    return relief;
  }

  const Space& space_;
  Assessor& assessor_;
  const Prospect& present_;
};

}  // namespace

Reliefs reliefs_of(const World& world, const Knowledge& knowledge) {
  Reliefs reliefs;
  Assessor bare(world, nullptr);
  const Prospect present = bare.predicted(Edits{});
  if (present.work == nullptr || world.base.target->hw == nullptr) {
    return reliefs;
  }
  Freedom freedom;
  freedom.to_fit = true;
  freedom.architecture = world.base.target->hw->architecture;
  const Space space(knowledge, bare.cache().plain(), freedom);
  Assessor assessor(world, &space);
  reliefs.needed = present.assessment.needed_memory;
  reliefs.limit = present.job->machine.memory;
  const ReliefSearch search(space, assessor, present);
  std::vector<Ranked> found;
  for (std::size_t i = 0; i < space.dimensions().size(); ++i) {
    std::ranges::move(search.on(i), std::back_inserter(found));
  }
  std::ranges::stable_sort(found, [](const Ranked& a, const Ranked& b) {
    return a.first != b.first ? a.first < b.first : is_better(a.second, b.second);
  });
  for (const auto& [rank, relief] : found) {
    const auto first = std::ranges::find(found, rank, &Ranked::first);
    const bool spare = !relief.fits && first->second.fits;
    if (!spare) {
      reliefs.list.push_back(relief);
    }
  }
  return reliefs;
}

}  // namespace epwise::advise
