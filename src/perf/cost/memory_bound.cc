#include "perf/cost/memory_bound.h"

namespace epwise::cost {

Cost memory_bound(
    const Table& table, const Chip& chip, MemoryKernel kernel, double bytes, double launch_us) {
  const MemoryParameters* law = &table.memory_bound.front();
  for (const MemoryParameters& each : table.memory_bound) {
    if (each.kernel == kernel) {
      law = &each;
    }
  }
  const bool measured = law->basis.is_measured_on(chip.name);
  const double time = launch_us + bytes / (law->share * chip.memory * 1e6);
  return {time * 1e-6,
          measured ? law->basis.relative_sd : table.doubt().memory_elsewhere,
          measured ? Status::fitted : Status::prior,
          &law->basis};
}

}  // namespace epwise::cost
