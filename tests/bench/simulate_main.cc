// What `sim` costs, once, `repeats` times: run by tests/bench/simulate.py under callgrind, which
// subtracts what preparation costs. Prints the result so that nothing is optimised away, and the
// seconds taken for whoever runs it by hand.
//
//   bench_simulate candidate|lower|predict|compare RECIPE REPEATS

#include <chrono>
#include <cstdlib>
#include <new>
#include <string>

#include <fmt/format.h>

#include "base/os/disk_files.h"
#include "perf/cost/compiled_table.h"
#include "perf/sim/prediction/comparison.h"
#include "perf/sim/prediction/prediction.h"
#include "perf/sim/step/candidates.h"
#include "support/workloads.h"

namespace epwise {

namespace {

/// Candidate `i` of a sweep over what changes neither layers nor split, and some of what does.
void vary(workload::Workload& job, int i) {
  job.exchange.dispatcher =
      i % 3 == 0 ? workload::Dispatcher::alltoall
                 : (i % 3 == 1 ? workload::Dispatcher::deepep : workload::Dispatcher::hybridep);
  job.exchange.sms = 8 + 4 * (i / 3 % 8);
  job.exchange.overlap = i / 24 % 2 == 1;
  job.exchange.delayed_wgrad = i / 24 % 4 == 3;
  job.recompute.norms = i / 96 % 2 == 1;
  job.recompute.expert_activation = i / 192 % 2 == 1;
  job.graphs.attention = i / 384 % 2 == 1;
  job.graphs.router = i / 768 % 2 == 1;
  job.batch.micro = 1 + i / 1536 % 2;
  job.parallel.expert = i / 3072 % 2 == 1 ? 8 : 16;
}

int bench(const std::string& tier, const std::string& path, int repeats) {
  const cost::Table laws = cost::compiled_table();
  const auto read = test::workload_of(os::DiskFiles().read(path), "h100", 16);
  if (!read.problems.empty()) {
    fmt::print("{}\n", read.problems.front().message);
    return 1;
  }
  workload::Workload job = read.workload;
  const sim::ConstantTable& table = sim::constants();
  const sim::Machine machine =
      sim::machine_of(*hw::find_profile("h100"), job.machine, laws, table).machine;
  sim::Candidates candidates(machine, table.values);
  constexpr int kKinds = 6144;
  double sum = 0;
  if (tier == "candidate") {
    for (int i = 0; i < kKinds; ++i) {
      vary(job, i);
      sum += candidates.price(job).step;
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) {
    vary(job, i % kKinds);
    if (tier == "candidate") {
      sum += candidates.price(job).step;
    } else if (tier == "lower") {
      sum += sim::lower(job, machine, table.values).exchange;
    } else if (tier == "predict") {
      sum += sim::predict(job, machine, table.values).step_time.value;
    } else {
      const sim::StepWork work = sim::lower(job, machine, table.values);
      sum += sim::compare(work, work, table).b_is_faster;
    }
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  fmt::print("{} {} rounds, {:.3f} us each, sum {:.6f}, {} kinds of layers, {} splits\n",
             tier,
             repeats,
             1e6 * taken.count() / (repeats > 0 ? repeats : 1),
             sum,
             candidates.layer_kinds(),
             candidates.splits());
  return 0;
}

}  // namespace

}  // namespace epwise

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print("bench_simulate candidate|lower|predict|compare RECIPE REPEATS\n");
    return 2;
  }
  return epwise::bench(argv[1], argv[2], std::atoi(argv[3]));
}
