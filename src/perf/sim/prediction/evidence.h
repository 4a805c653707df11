#pragma once

#include <string>

#include "perf/sim/constants/constants.h"
#include "perf/sim/work/machine.h"
#include "perf/workload/workload.h"

namespace epwise::sim {

/// The published steps nearest to a run.
struct Evidence {
  int studies = 0;     // of its kind: GPUs, precision, dispatcher, CUDA graphs, overlap
  bool model = false;  // of its model
};

/// The kind of a run, as `ConstantTable::measured_cells` names it before the number of studies:
///   "grace_blackwell mxfp8 hybridep partial overlap"
std::string kind_of(const workload::Workload& job, const Machine& machine);

/// What `ConstantTable::measured_cells` and `measured_models` hold of a run:
///   "grace_blackwell mxfp8 hybridep partial overlap 5", "hidden 7168, 256 experts, top 8, …"
Evidence evidence_of(const workload::Workload& job,
                     const Machine& machine,
                     const ConstantTable& table);

}  // namespace epwise::sim
