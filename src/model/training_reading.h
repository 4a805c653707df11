#pragma once

#include "model/field_reader.h"
#include "model/workload.h"

/// The parts of a workload that are neither the model nor the layout of ranks.
namespace epwise::model {

Precision read_precision(const FieldReader& reader);
Exchange read_exchange(const FieldReader& reader);
Routing read_routing(const FieldReader& reader);
Graphs read_graphs(const FieldReader& reader);
Recompute read_recompute(const FieldReader& reader);
ActivationOffload read_offload(const FieldReader& reader);
Optimizer read_optimizer(const FieldReader& reader, Precision precision);
Sharding read_sharding(const FieldReader& reader);

}  // namespace epwise::model
