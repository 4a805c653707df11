#include "advise/exploration.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace epwise::advise {

namespace {

constexpr int kFullRecompute = 5;

bool is_layout(const Axis& axis) {
  const bool generated =
      std::ranges::any_of(axis.moves, [](const Move& move) { return move.loss_layers >= 0; });
  return (axis.group == "mapping" || axis.group == "batch") && !generated;
}

/// Means of fitting, besides what can be switched off.
bool saves_memory(const Axis& axis) {
  return std::ranges::any_of(axis.moves, [](const Move& move) { return move.fit > 0; }) ||
         axis.group == "recompute" || axis.group == "memory" || axis.group == "mapping";
}

std::vector<const lint::Rule*> quick_rules(const Study& study) {
  std::vector<const lint::Rule*> quick;
  for (const std::string& id : study.knowledge.quick) {
    if (const lint::Rule* rule = study.world.base.knowledge().find(id)) {
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
  std::vector<Position> off{0};
  constexpr Position kFirst = 1;
  const bool can_be_off = axis.group == "overlap" || axis.group == "graphs";
  if (can_be_off && std::ranges::find(dimension.positions, kFirst) != dimension.positions.end()) {
    off.push_back(kFirst);
  }
  return off;
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
  for (const Space::Dimension& dimension : expedition.space->dimensions()) {
    landscape.positions.push_back(positions_of(dimension, expedition, counts));
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

/// The smallest number of GPUs, by doubling, on which something fits; 0: none up to the limit.
int enough_gpus(const Study& study, const Request& request) {
  constexpr int kMostGpus = 16384;
  constexpr std::size_t kLooks = 400;
  const facts::Target& own = *study.world.base.target;
  for (int gpus = own.gpus.value_or(1) * 2; gpus <= kMostGpus; gpus *= 2) {
    facts::Target target = own;
    target.gpus = gpus;
    World larger = study.world;
    larger.base = study.world.base.on(target);
    Freedom freedom = request.freedom;
    freedom.to_fit = true;
    Assessor assessor(larger, nullptr);
    const Space space(study.knowledge, assessor.cache().plain(), freedom);
    Assessor of_space(larger, &space);
    const Study other{larger, study.knowledge, space, of_space, study.present};
    Expedition expedition{&space, Goal::speed, short_bounds(kLooks), false};
    if (!explore(other, request, std::move(expedition)).visits.empty()) {
      return gpus;
    }
  }
  return 0;
}

}  // namespace

Fitting fit_first(const Study& study, const Request& request, PlanMaker& maker) {
  constexpr std::size_t kLooks = 500;
  constexpr double kFaster = 0.97;
  Fitting fitting;
  double least = study.present.assessment.needed_memory;
  for (int rank = 1; rank <= kFullRecompute; ++rank) {
    Freedom freedom = request.freedom;
    freedom.to_fit = true;
    freedom.most_fit = rank;
    const Space space(study.knowledge, study.assessor.cache().plain(), freedom);
    Expedition expedition{&space, Goal::speed, short_bounds(kLooks), false};
    expedition.bounds.seeds = fitting.seeds;
    const SearchResult result = explore(study, request, std::move(expedition));
    if (result.least_unfit) {
      least = std::min(least, study.assessor.assess(result.least_unfit->candidate).needed_memory);
    }
    if (result.visits.empty()) {
      continue;
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
  }
  if (fitting.seeds.empty()) {
    fitting.shortage =
        Shortage{least, study.present.job->machine.memory, enough_gpus(study, request)};
  }
  return fitting;
}

}  // namespace epwise::advise
