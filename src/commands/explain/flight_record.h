#pragma once

#include <string>
#include <vector>

#include "commands/explain/crash_log.h"
#include "ui/json.h"

namespace epwise::audit {

/// The flight recorder of one rank.
struct FlightDump {
  std::string name;  // of the file: "nccl_trace_rank_12"
  report::Json contents;
};

/// What the dumps of a job's ranks show about the collective that it waits in.
struct FlightStory {
  /// The collective that the others wait for, worded as the watchdog does: "collective operation timeout
  /// (EXPERT_MODEL_PARALLEL_GROUP) OpType=ALLTOALL, …"
  Crash crash;
  /// Who waits where, who is missing, and where that rank was last; the cause first.
  std::vector<std::string> facts;
};

/// Compares the works that each rank has recorded, group by group. The cause is the collective that a rank
/// has not reached although it waits in no other, then one that ranks entered with different operations
/// or sizes, then the oldest. Without an open collective the crash has no message.
FlightStory read_flight(const std::vector<FlightDump>& dumps);

}  // namespace epwise::audit
