#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "hw/profile.h"
#include "perf/cost/compiled_table.h"
#include "perf/sim/step/step.h"
#include "support/workloads.h"

namespace epwise::test {

/// The cost laws that the build compiled, read once a program.
inline const cost::Table& laws() {
  static const cost::Table table = cost::compiled_table();
  return table;
}

/// The machine of a profile, as a workload uses it. Throws where there are no laws for it.
inline sim::Machine machine_for(std::string_view hw, const workload::Workload& job) {
  auto reading = sim::machine_of(*hw::find_profile(hw), job.machine, laws(), sim::constants());
  if (!reading.problem.empty()) {
    throw std::logic_error(reading.problem);
  }
  return std::move(reading.machine);
}

/// A model of 24 layers with 64 experts each, 6 for a token. `model` holds further lines of its
/// section, `rest` further sections.
///   small_recipe("  expert_model_parallel_size: 16\n")
inline std::string small_recipe(const std::string& model = {}, const std::string& rest = {}) {
  return R"(model:
  num_layers: 24
  hidden_size: 2048
  num_attention_heads: 32
  num_query_groups: 4
  kv_channels: 128
  num_moe_experts: 64
  moe_router_topk: 6
  moe_ffn_hidden_size: 1024
  ffn_hidden_size: 6144
  vocab_size: 100352
  gated_linear_unit: true
  seq_length: 4096
  bf16: true
  moe_router_force_load_balancing: true
)" + model +
         R"(mixed_precision: bf16_mixed
train: {global_batch_size: 256, micro_batch_size: 1}
ddp: {use_distributed_optimizer: true}
)" + rest;
}

/// A recipe's step on `gpus` GPUs, with the constants that ship. Throws where the recipe lacks a
/// fact. Stays where it is: the work points into the job.
struct LoweredStep {
  LoweredStep(const std::string& text, std::string_view profile, int gpus) : hw(profile) {
    auto read = workload_of(text, profile, gpus);
    if (!read.problems.empty()) {
      throw std::logic_error(read.problems.front().message);
    }
    job = std::move(read.workload);
    lower_again();
  }

  LoweredStep(const LoweredStep&) = delete;
  LoweredStep& operator=(const LoweredStep&) = delete;

  /// After a change of the job or of what is stated.
  void lower_again() {
    work = sim::lower(job, machine_for(hw, job), sim::constants().values, stated);
  }

  /// Seconds.
  double step(const sim::Effects& effects = {},
              const sim::Constants& by = sim::constants().values) const {
    return sim::evaluate(work, by, effects).step;
  }

  std::string hw;
  workload::Workload job;
  sim::StatedInputs stated;
  sim::StepWork work;
};

}  // namespace epwise::test
