/// bench_advise RECIPE HW GPUS: what one candidate of the search costs, part by part.

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "advise/assessor.h"
#include "perf/cost/compiled_table.h"
#include "perf/sim/prediction/comparison.h"
#include "perf/sim/step/step.h"
#include "perf/sim/work/machine.h"
#include "perf/workload/memory.h"
#include "support/analyzed_recipe.h"

namespace {

using Clock = std::chrono::steady_clock;

template <class Work>
void time(const char* what, int rounds, Work work) {
  const auto begin = Clock::now();
  for (int i = 0; i < rounds; ++i) {
    work(i);
  }
  const std::chrono::duration<double, std::micro> passed = Clock::now() - begin;
  std::printf("%-28s %9.1f us\n", what, passed.count() / rounds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: bench_advise RECIPE HW GPUS\n", stderr);
    return 2;
  }
  using namespace epwise;
  std::ifstream in(argv[1]);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const session::Analysis recipe =
      test::analysis_of(text, std::string("--hw ") + argv[2] + " --gpus " + argv[3]);
  const cost::Table laws = cost::compiled_table();
  const advise::World world{recipe, laws, sim::constants(), {}};
  time("full lint", 20, [&](int) { recipe.with(recipe.draft); });
  time("assessor", 5, [&](int) { const advise::Assessor made(world, nullptr); });
  advise::Assessor bare(world, nullptr);
  const advise::Space space(advise::knowledge(), bare.cache().plain(), {});
  advise::Assessor assessor(world, &space);
  std::printf("space %.3g\n", space.size());
  for (const auto& dimension : space.dimensions()) {
    std::printf("  %-14s present %d, %zu positions\n",
                dimension.axis->name.c_str(),
                dimension.present,
                dimension.positions.size());
  }
  std::vector<const lint::Rule*> quick;
  for (const std::string& id : advise::knowledge().quick) {
    quick.push_back(recipe.knowledge().find(id));
  }
  for (const char* axis : {"dispatcher", "overlap", "pipeline", "recompute"}) {
    advise::Candidate candidate = space.start();
    const int at = space.index(axis);
    const auto& positions = space.dimensions()[static_cast<std::size_t>(at)].positions;
    candidate[static_cast<std::size_t>(at)] = positions.back();
    const advise::Edits edits = space.edits(candidate);
    advise::Evaluator* ground = assessor.cache().evaluator(edits);
    if (ground == nullptr) {
      continue;
    }
    std::printf("%s\n", axis);
    time("  judge", 200, [&](int) { ground->judge(edits); });
    time("  quick", 200, [&](int) { ground->fails_any(quick, edits); });
    time("  workload", 200, [&](int) { ground->workload(edits); });
    const advise::Prospect prospect = assessor.predicted(edits);
    if (prospect.job != nullptr) {
      time("  memory", 200, [&](int) { (void)workload::estimate_memory(*prospect.job); });
      time("  lower", 200, [&](int) {
        sim::lower(*prospect.job, prospect.work->machine, world.constants.values);
      });
      time("  evaluate", 200, [&](int) {
        sim::evaluate(*prospect.work, world.constants.values, {});
      });
      time("  compare", 5, [&](int) {
        sim::compare(*prospect.work, *prospect.work, world.constants);
      });
    }
    time("  assess", 50, [&](int) { assessor.assess(candidate); });
    const auto got = assessor.assess(candidate);
    std::printf("  legal %d blocked %s step %.3f oom %.3f companions %zu %s\n",
                got.legal,
                got.blocked ? std::string(got.blocked->id).c_str() : "-",
                got.step,
                got.out_of_memory,
                got.companions.size(),
                got.problem.c_str());
  }
  return 0;
}
