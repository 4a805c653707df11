#pragma once

#include "model/field_reader.h"
#include "model/workload.h"

namespace epwise::model {

/// Notes for every input that matters to the accuracy whether it is written or assumed, and decides
/// those that no field names (Kernels). Keys, in this order: "vocabulary", "routing",
/// "optimizer_states", "gradients", "dispatcher_sms", "graphs", "loss", "attention_path",
/// "fp8_attention", "fused_experts", "tensor_overlap", "nic_rate", "cpu", "nvlink_domain", and
/// "pipeline_layout" (read_chunks); in front of them "data_parallel" and "expert_data_parallel"
/// where the GPUs don't divide. Those that say nothing of a workload are left out.
void read_inputs(FieldReader& reader, Workload& workload);

}  // namespace epwise::model
