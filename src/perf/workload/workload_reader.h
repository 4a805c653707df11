#pragma once

#include "perf/workload/architecture.h"
#include "perf/workload/field_reader.h"
#include "perf/workload/workload.h"

namespace epwise::workload {

/// Notes for every input that affects the accuracy whether it is written or assumed, and determines
/// those without a field (Kernels). Keys, in this order: "vocabulary", "routing",
/// "optimizer_states", "gradients", "dispatcher_sms", "graphs", "loss", "attention_path",
/// "fp8_attention", "fused_experts", "tensor_overlap", "nic_rate", "cpu", "nvlink_domain", and
/// "pipeline_layout" (read_chunks); before them "data_parallel" and "expert_data_parallel" if the
/// GPUs do not divide. Keys that do not apply to a workload are omitted.
void read_inputs(FieldReader& reader, Workload& workload);

/// Sizes of all groups. If the GPUs do not divide into them, the number of replicas is rounded down
/// and noted as assumed. Does not set chunks.
void read_parallel(FieldReader& reader, Workload& workload);

/// Batch sizes, and the micro-batches per step: rounded, at least 1.
Batch read_batch(FieldReader& reader, const Parallel& parallel);

/// The layers of each chunk, and the assumptions about them. Needs the architecture, the parallel
/// sizes and whether communication is overlapped: overlap in a pipeline without virtual stages is
/// not valid, and is predicted with chunks of one layer.
void read_chunks(FieldReader& reader, Workload& workload);

/// The figures of the profile. An NVLink domain of 72 GPUs counts as 64, because published jobs run
/// in segments of that size.
Machine read_machine(FieldReader& reader);

}  // namespace epwise::workload

/// The parts of a workload other than the model and the rank layout.

namespace epwise::workload {

Precision read_precision(const FieldReader& reader);
Exchange read_exchange(const FieldReader& reader);
Routing read_routing(const FieldReader& reader);
Graphs read_graphs(const FieldReader& reader);
Recompute read_recompute(const FieldReader& reader);
ActivationOffload read_offload(const FieldReader& reader);
Optimizer read_optimizer(const FieldReader& reader, Precision precision, int hidden);
Sharding read_sharding(const FieldReader& reader);

/// The architecture of the recipe's model. Missing values become problems of the reader. `tensor`
/// is the tensor-parallel size, to which the vocabulary is padded.
Architecture read_architecture(FieldReader& reader, int tensor);

}  // namespace epwise::workload
