/// bench_advise_random RECIPE HW GPUS [TIMES]: the search of `epwise advise` against a random one
/// with TIMES (10) as many evaluations on the same recipe. Exit 1 where the random one finds
/// something cheaper.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "advise/advisor.h"
#include "advise/plan_maker.h"
#include "perf/cost/compiled_table.h"
#include "support/analyzed_recipe.h"

namespace {

using namespace epwise;

/// One recipe as both searches see it.
struct Scene {
  explicit Scene(const advise::World& world)
      : bare(world, nullptr),
        space(advise::knowledge(), bare.cache().plain(), {}),
        assessor(world, &space),
        present(bare.predicted(advise::Edits{}).assessment) {
    for (const std::string& id : advise::knowledge().quick) {
      quick.push_back(world.base.knowledge().find(id));
    }
  }

  advise::Cost cost(const advise::Candidate& candidate) {
    return advise::cost_of(
        assessor.assess(candidate), candidate, space, advise::Goal::speed, present);
  }

  advise::Assessor bare;
  advise::Space space;
  advise::Assessor assessor;
  advise::Assessment present;
  std::vector<const lint::Rule*> quick;
};

/// The cheapest of so many random candidates that arithmetic allows.
advise::Cost best_of_random(Scene& scene, std::size_t evaluations, std::size_t& drawn) {
  constexpr std::size_t kMostDraws = 2'000'000;
  std::mt19937_64 random(20261122);
  advise::Cost best = scene.cost(scene.space.start());
  for (std::size_t looked_at = 0; looked_at < evaluations && drawn < kMostDraws; ++drawn) {
    advise::Candidate candidate = scene.space.start();
    for (std::size_t i = 0; i < candidate.size(); ++i) {
      const auto& positions = scene.space.dimensions()[i].positions;
      candidate[i] = positions[random() % positions.size()];
    }
    candidate = scene.space.canonical(std::move(candidate));
    if (scene.assessor.impossible(candidate, scene.quick)) {
      continue;
    }
    ++looked_at;
    best = std::min(best, scene.cost(candidate));
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: bench_advise_random RECIPE HW GPUS [TIMES]\n", stderr);
    return 2;
  }
  const std::size_t times = argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 10;
  std::ifstream in(argv[1]);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const session::Analysis recipe =
      test::analysis_of(text, std::string("--hw ") + argv[2] + " --gpus " + argv[3]);
  const cost::Table laws = cost::compiled_table();
  const advise::World world{recipe, laws, sim::constants(), {}};
  advise::Request request;
  request.workers = 2;
  const advise::Advice advice = advise::advise(world, advise::knowledge(), request);
  if (!advice.present) {
    std::fputs("the recipe can't be predicted\n", stderr);
    return 2;
  }
  advise::World mended = world;
  mended.base = recipe.with(advice.mended);
  Scene scene(mended);
  advise::Cost planned = scene.cost(scene.space.start());
  for (const auto* plans : {&advice.plans, &advice.close}) {
    for (const advise::Plan& plan : *plans) {
      planned = std::min(planned, scene.cost(plan.candidate));
    }
  }
  std::size_t drawn = 0;
  const advise::Cost best = best_of_random(scene, times * advice.tally.looked_at, drawn);
  std::printf(
      "%s: now %.4f s; best plan %.4f s after %zu evaluations; best of %zu random ones "
      "(%zu draws) %.4f s\n",
      argv[1],
      advice.present->step_time.value,
      planned,
      advice.tally.looked_at,
      times * advice.tally.looked_at,
      drawn,
      best);
  constexpr double kSame = 0.998;  // plans that gain less are simplified away
  return best < kSame * planned ? 1 : 0;
}
