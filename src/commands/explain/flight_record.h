#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "commands/explain/crash_log.h"
#include "ui/json.h"

namespace epwise::audit {

/// A dump that cannot be read, with the reason: "byte 12: …".
class DumpError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whether a file is a dump of PyTorch's NCCL flight recorder, as the pickle or as the JSON that it
/// writes.
bool is_flight_dump(std::string_view bytes);

/// The contents of a dump. Of a pickle only the opcodes for numbers, texts, lists and mappings are
/// read, which is all that PyTorch writes: nothing can be imported or executed. Throws DumpError.
report::Json read_flight_dump(std::string_view bytes);

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
