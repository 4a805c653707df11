#include "base/embedded/embedded.h"
#include "perf/sim/constants/constants.h"

namespace epwise::sim {

const ConstantTable& constants() {
  static const ConstantTable table = unpack_constants(embedded::compiled_step_model());
  return table;
}

}  // namespace epwise::sim
