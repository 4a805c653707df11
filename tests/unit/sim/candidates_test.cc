#include "perf/sim/step/candidates.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "support/lowered_step.h"

namespace epwise::sim {
namespace {

/// One thing after another that a candidate may differ in.
void vary(workload::Workload& job, int which) {
  switch (which) {
    case 0:
      job.exchange.dispatcher = job.exchange.dispatcher == workload::Dispatcher::alltoall
                                    ? workload::Dispatcher::deepep
                                    : workload::Dispatcher::alltoall;
      break;
    case 1:
      job.exchange.sms = job.exchange.sms == 20 ? 32 : 20;
      break;
    case 2:
      job.exchange.overlap = !job.exchange.overlap;
      break;
    case 3:
      job.batch.micro = 3 - job.batch.micro;
      break;
    case 4:
      job.parallel.tensor = 3 - job.parallel.tensor;
      break;
    case 5:
      job.parallel.expert = job.parallel.expert == 8 ? 16 : 8;
      break;
    case 6:
      job.recompute.norms = !job.recompute.norms;
      break;
    case 7:
      job.precision = job.precision == workload::Precision::bf16 ? workload::Precision::fp8_block
                                                                 : workload::Precision::bf16;
      break;
    case 8:
      job.machine.nvlink_domain = job.machine.nvlink_domain == 8 ? 16 : 8;
      break;
    case 9:
      job.kernels.fused_experts = !job.kernels.fused_experts;
      break;
    case 10:
      job.architecture.experts.topk = 14 - job.architecture.experts.topk;
      break;
    case 11:
      job.offload.expert_input = !job.offload.expert_input;
      break;
    case 12:
      job.machine.cpu =
          job.machine.cpu == workload::Cpu::x86 ? workload::Cpu::grace : workload::Cpu::x86;
      break;
    case 13:
      job.parallel.chunks[0].layers = 48 - job.parallel.chunks[0].layers;
      break;
    case 14:
      job.parallel.expert_data = 5 - job.parallel.expert_data;
      break;
    default:
      job.graphs.attention = !job.graphs.attention;
  }
}

TEST_CASE("a candidate is priced to the bit as it is alone, whatever came before it") {
  workload::Workload job = test::LoweredStep(test::small_recipe(), "h100", 16).job;
  job.parallel.tensor = 1;
  job.batch.micro = 1;
  job.parallel.expert = 8;
  job.parallel.expert_data = 2;
  const Constants& by = constants().values;
  const Machine machine = test::machine_for("h100", job);
  Candidates candidates(machine, by);
  std::vector<double> seen;
  for (int i = 0; i < 400; ++i) {
    vary(job, (i * i + i / 16) % 16);
    Machine alone = machine;
    alone.domain = job.machine.nvlink_domain;
    alone.grace = job.machine.cpu == workload::Cpu::grace;
    const double step = evaluate(lower(job, alone, by), by, {}).step;
    CHECK(candidates.price(job).step == step);
    seen.push_back(step);
  }
  std::ranges::sort(seen);
  CHECK(seen.front() < 0.8 * seen.back());
  CHECK(candidates.layer_kinds() > 20);
  CHECK(candidates.splits() > 4);
}

TEST_CASE("a recipe met again asks no law") {
  workload::Workload job = test::LoweredStep(test::small_recipe(), "h100", 16).job;
  const Machine machine = test::machine_for("h100", job);
  Candidates candidates(machine, constants().values);
  for (const int sms : {16, 20, 24, 16, 20}) {
    job.exchange.dispatcher = workload::Dispatcher::deepep;
    job.exchange.sms = sms;
    for (const bool overlap : {false, true}) {
      job.exchange.overlap = overlap;
      CHECK(candidates.price(job).step > 0);
    }
  }
  CHECK(candidates.layer_kinds() == 3);
  CHECK(candidates.splits() == 1);
}

}  // namespace
}  // namespace epwise::sim
