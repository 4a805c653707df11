// The event tier against the closed form: equal within 1 % wherever that says it is exact, and near
// it elsewhere.

#include "perf/sim/step/step_nodes.h"

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/os/disk_files.h"
#include "perf/schedule/event_engine.h"
#include "perf/sim/step/step.h"
#include "support/evidence.h"
#include "support/lowered_step.h"

namespace epwise::sim {
namespace {

struct NodeCase {
  std::string name;
  std::string text;
  std::string hw;
  int gpus = 0;
};

/// What became of the cases.
struct Tally {
  int steps = 0;
  int exact = 0;
  double worst = 0;      // of the exact ones, logarithmic
  double elsewhere = 0;  // of the others
  double sum_elsewhere = 0;
};

StepWork lowered(const workload::Workload& job, const std::string& hw) {
  return lower(job, test::machine_for(hw, job), constants().values);
}

void meet(const StepWork& work, const Effects& effects, const std::string& name, Tally& tally) {
  const Constants& by = constants().values;
  const StepTimes closed = evaluate(work, by, effects);
  const double events = schedule::run_time(task_graph(step_nodes(work, by, effects)));
  const double apart = std::abs(std::log(events / closed.step));
  ++tally.steps;
  if (closed.exact) {
    ++tally.exact;
    tally.worst = std::max(tally.worst, apart);
    CHECK_MESSAGE(apart < 0.01, name, ": ", closed.step, " s, by events ", events);
  } else {
    tally.elsewhere = std::max(tally.elsewhere, apart);
    tally.sum_elsewhere += apart;
  }
}

/// With everything; without what the host and contention do.
void meet(const NodeCase& recipe, Tally& tally) {
  const auto read = test::workload_of(recipe.text, recipe.hw, recipe.gpus);
  if (!read.problems.empty() || read.workload.batch.microbatches > 600) {
    return;
  }
  const StepWork work = lowered(read.workload, recipe.hw);
  meet(work, {}, recipe.name, tally);
  Effects calm;
  calm.contention = calm.host_launches = calm.host_stalls = false;
  meet(work, calm, recipe.name + ", undisturbed", tally);
  calm.data_parallel = false;
  meet(work, calm, recipe.name + ", undisturbed and alone", tally);
}

constexpr const char* kModel = R"(model:
  hidden_size: 2048
  num_attention_heads: 32
  num_query_groups: 4
  kv_channels: 128
  num_moe_experts: 64
  moe_router_topk: 6
  moe_ffn_hidden_size: 1024
  ffn_hidden_size: 6144
  vocab_size: 32000
  gated_linear_unit: true
  seq_length: 4096
  bf16: true
  moe_router_force_load_balancing: true
  num_layers: )";

constexpr const char* kRun = R"(
mixed_precision: bf16_mixed
train: {global_batch_size: 256, micro_batch_size: 1}
ddp: {use_distributed_optimizer: true}
)";

constexpr const char* kKnobs[] = {
    "  moe_layer_freq: '([0]*2+[1]*14)'\n",
    "  recompute_granularity: selective\n  recompute_modules: [moe_act, layernorm]\n",
    "  moe_token_dispatcher_type: alltoall\n",
    "  mtp_num_layers: 1\n"};

std::vector<NodeCase> own_cases() {
  std::vector<NodeCase> cases;
  for (const char* const depth : {"16", "31"}) {
    const std::string layers = depth;
    for (const char* const split : {"1", "2", "4", "8"}) {
      for (const char* const knob : kKnobs) {
        const std::string more = knob;
        if (layers == "31" && more.find("freq") != std::string::npos) {
          continue;
        }
        const std::string rest =
            "  expert_model_parallel_size: 8\n  pipeline_model_parallel_size: " +
            std::string(split) + "\n";
        cases.push_back({layers + " layers on " + std::string(split) + " stages" + more,
                         kModel + layers + "\n" + rest + more + kRun,
                         "h100",
                         64});
      }
    }
  }
  return cases;
}

TEST_CASE("the event tier takes what the closed form does, where that is exact") {
  Tally tally;
  for (const NodeCase& each : own_cases()) {
    meet(each, tally);
  }
  MESSAGE(tally.exact,
          " of ",
          tally.steps,
          " exact, at most ",
          tally.worst,
          " apart; the others ",
          tally.elsewhere);
  CHECK(tally.steps > 60);
  CHECK(tally.exact > 15);
  CHECK(tally.elsewhere < 0.2);
}

TEST_CASE("the same on the library's recipes") {
  if (!support::has_evidence("corpus/bridge/head")) {
    return;
  }
  const std::string folder = support::evidence("corpus/bridge/head");
  const os::DiskFiles files;
  Tally tally;
  for (const std::string& name : files.list(folder)) {
    const auto count = name.find("_pretrain.");
    const auto dash = name.find("gpu-");
    if (!name.starts_with("perf.") || count == std::string::npos || dash == std::string::npos) {
      continue;
    }
    const std::string hw = name.substr(dash + 4, name.find('-', dash + 4) - dash - 4);
    if (test::laws().find_chip(hw) == nullptr) {
      continue;
    }
    meet({name, files.read(folder + "/" + name), hw, std::stoi(name.substr(count + 10))}, tally);
  }
  MESSAGE(tally.exact,
          " of ",
          tally.steps,
          " exact, at most ",
          tally.worst,
          " apart; the others ",
          tally.elsewhere,
          ", ",
          tally.sum_elsewhere / (tally.steps - tally.exact),
          " on average");
  CHECK(tally.exact > 10);
  CHECK(tally.sum_elsewhere < 0.04 * (tally.steps - tally.exact));
}

TEST_CASE("a shortened step is one that Megatron would run") {
  const auto read = test::workload_of(kModel +
                                          std::string("16\n  pipeline_model_parallel_size: 4\n"
                                                      "  virtual_pipeline_model_parallel_size: 2\n"
                                                      "  expert_model_parallel_size: 8\n") +
                                          kRun,
                                      "h100",
                                      64);
  REQUIRE(read.problems.empty());
  const StepWork work = lowered(read.workload, "h100");
  REQUIRE(work.pipeline.micro_batches == 16);
  const StepRun all = run_events(work, constants().values);
  const StepRun some = run_events(work, constants().values, {}, 5 * 16 * 20);
  CHECK(some.timeline.seconds < all.timeline.seconds);
  CHECK(all.micro_batches == 16);
  int most = 0;
  for (const schedule::TimelineEvent& event : some.timeline.events) {
    most = std::max(most, event.task.micro_batch + 1);
  }
  CHECK(most == some.micro_batches);
  CHECK(most >= 5);
  CHECK(most < 16);
}

}  // namespace
}  // namespace epwise::sim
