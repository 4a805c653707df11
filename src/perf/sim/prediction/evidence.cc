#include "perf/sim/prediction/evidence.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "perf/sim/prediction/likeness.h"

namespace epwise::sim {

namespace {

std::string_view generation_of(const Machine& machine) {
  if (machine.blackwell) {
    return machine.grace ? "grace_blackwell" : "blackwell";
  }
  return machine.chip.architecture == cost::Architecture::hopper ? "hopper" : "ampere";
}

}  // namespace

std::string kind_of(const workload::Workload& job, const Machine& machine) {
  const Traits traits = traits_of(job);
  // Gathering tokens was measured no more than exchanging them by NCCL.
  const bool gathers = job.exchange.dispatcher == workload::Dispatcher::allgather;
  std::string kind(generation_of(machine));
  for (const std::string_view part : {std::string_view(traits.precision),
                                      gathers ? "alltoall" : std::string_view(traits.dispatcher),
                                      std::string_view(traits.graphs)}) {
    kind += ' ';
    kind += part;
  }
  return traits.overlap ? kind + " overlap" : kind;
}

Evidence evidence_of(const workload::Workload& job,
                     const Machine& machine,
                     const ConstantTable& table) {
  const std::string cell = kind_of(job, machine) + ' ';
  Evidence evidence;
  for (const std::string& known : table.measured_cells) {
    if (known.starts_with(cell)) {
      const char* const end = known.data() + known.size();
      const auto read = std::from_chars(known.data() + cell.size(), end, evidence.studies);
      if (read.ptr == end) {
        break;
      }
      evidence.studies = 0;  // the same kind with overlap
    }
  }
  evidence.model = std::ranges::count(table.measured_models, traits_of(job).model) > 0;
  return evidence;
}

}  // namespace epwise::sim
