#include "model/parallel_reading.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace epwise::model {

namespace {

constexpr int kMostMicrobatches = 1'000'000;

int positive(const FieldReader& reader, std::string_view name) {
  return std::max(1, reader.integer(name).value_or(1));
}

/// GPUs over the ranks of a replica. Lint refuses what doesn't divide; who insists gets the nearest
/// possible number, and is told.
int replicas(double ranks, std::string_view what, Workload& workload) {
  const int gpus = workload.parallel.gpus;
  const double found = gpus / ranks;
  const int result = std::max(1, clamped(std::floor(found)));
  if (gpus > 0 && found != result) {
    workload.inputs.push_back(
        {what,
         fmt::format("{}", result),
         InputStatus::assumed,
         fmt::format("{} GPUs don't divide into replicas of {} ranks", gpus, ranks)});
  }
  return result;
}

}  // namespace

void read_parallel(FieldReader& reader, Workload& workload) {
  Parallel& parallel = workload.parallel;
  parallel.gpus = reader.required("gpus", "the number of GPUs");
  parallel.tensor = positive(reader, "model.tensor_model_parallel_size");
  parallel.pipeline = positive(reader, "model.pipeline_model_parallel_size");
  parallel.virtual_stages = positive(reader, "d.VPP");
  parallel.context = positive(reader, "model.context_parallel_size");
  parallel.expert = positive(reader, "model.expert_model_parallel_size");
  parallel.expert_tensor = positive(reader, "d.ETP");
  parallel.chunk_group = std::max(1, reader.integer("d.vpp_group").value_or(parallel.pipeline));
  parallel.sequence = parallel.tensor > 1 && reader.flag("model.sequence_parallel");
  parallel.tensor_overlap = reader.flag("d.tp_overlap");
  const double dense = static_cast<double>(parallel.tensor) * parallel.pipeline * parallel.context;
  const double expert =
      static_cast<double>(parallel.expert_tensor) * parallel.expert * parallel.pipeline;
  parallel.data = replicas(dense, "data_parallel", workload);
  parallel.expert_data = replicas(expert, "expert_data_parallel", workload);
}

Batch read_batch(FieldReader& reader, const Parallel& parallel) {
  Batch batch;
  batch.micro = reader.required("train.micro_batch_size", "the micro-batch size");
  batch.global = reader.required("train.global_batch_size", "the global batch size");
  if (batch.micro > 0) {
    const double steps =
        static_cast<double>(batch.global) / (static_cast<double>(batch.micro) * parallel.data);
    batch.microbatches = std::max(1, clamped(std::round(steps)));
    if (batch.microbatches > kMostMicrobatches) {
      reader.problem(fmt::format("{} micro-batches in a step are more than can be predicted",
                                 batch.microbatches),
                     fmt::format("correct {}", reader.spelled("train.global_batch_size")));
    }
  }
  return batch;
}

void read_chunks(FieldReader& reader, Workload& workload) {
  Parallel& parallel = workload.parallel;
  SplitRequest request;
  request.layers = static_cast<int>(workload.architecture.layers.size());
  request.prediction_depths = workload.architecture.prediction_depths;
  request.stages = parallel.pipeline;
  request.virtual_stages = parallel.virtual_stages;
  request.in_first_stage = reader.integer("model.num_layers_in_first_pipeline_stage");
  request.in_last_stage = reader.integer("model.num_layers_in_last_pipeline_stage");
  request.embedding_counts = reader.flag("model.account_for_embedding_in_pipeline_split");
  request.loss_counts = reader.flag("model.account_for_loss_in_pipeline_split");
  if (const auto layers = reader.integer("d.layers_per_chunk"); layers && *layers > 0) {
    request.virtual_stages = std::max(1, request.layers / request.stages / *layers);
  }
  constexpr double kMostChunks = 100'000;
  if (static_cast<double>(request.stages) * request.virtual_stages > kMostChunks) {
    reader.problem(fmt::format("{} stages of {} chunks are more than can be predicted",
                               request.stages,
                               request.virtual_stages),
                   fmt::format("correct {}", reader.spelled("model.pipeline_model_parallel_size")));
    return;
  }
  Input input{"pipeline_layout", "", InputStatus::written, ""};
  Split split;
  if (const auto layout = expr::read_layout(reader.value("d.layout")); layout) {
    split = read_split(*layout, request);
    input.value = "written";
  } else {
    if (workload.exchange.overlap && request.stages > 1 && request.virtual_stages == 1) {
      request.virtual_stages = std::max(1, (request.layers + request.stages / 2) / request.stages);
      input.why = "overlap needs chunks, which the recipe doesn't have: one layer a chunk";
    }
    split = split_layers(request);
    input.value = split.assumed ? "as in published layouts" : "even";
    if (request.in_first_stage || request.in_last_stage) {
      input.value = "sizes of the end stages";
    } else if (parallel.pipeline * request.virtual_stages > 1) {
      input.status = InputStatus::standard;
    }
  }
  if (!split.problem.empty()) {
    reader.problem(split.problem, "write a layout that the layers fill");
    return;
  }
  if (split.assumed || !input.why.empty()) {
    input.status = InputStatus::assumed;
    input.why = input.why.empty() ? "layers don't divide over the chunks, and the recipe has no "
                                    "pipeline_model_parallel_layout"
                                  : input.why;
  }
  parallel.chunks = split.chunks;
  parallel.virtual_stages = static_cast<int>(split.chunks.size()) / parallel.pipeline;
  if (parallel.chunks.size() > 1) {
    workload.inputs.push_back(input);
  }
}

Machine read_machine(FieldReader& reader) {
  Machine machine;
  const auto* profile = reader.facts().target().hw;
  if (profile == nullptr) {
    reader.problem("the hardware is not known", "give --hw");
    return machine;
  }
  const auto figure = [&](std::string_view key) {
    const auto* number = profile->number(key);
    return number == nullptr ? 0.0 : number->value.value;
  };
  machine.gpus_per_node = profile->gpus_per_node;
  machine.nvlink_domain = profile->nvlink_domain == 72 ? 64 : profile->nvlink_domain;
  machine.nvlink_domain = std::max(1, machine.nvlink_domain);
  machine.memory = figure("memory");
  machine.nic_rate = figure("nic_bandwidth_per_gpu");
  machine.cpu = profile->cpu.starts_with("arm64") ? Cpu::grace : Cpu::x86;
  return machine;
}

}  // namespace epwise::model
