#include "data/embedded.h"
#include "sim/constants/constants.h"

namespace epwise::sim {

const ConstantTable& constants() {
  static const ConstantTable table = unpack_constants(data::compiled_step_model());
  return table;
}

}  // namespace epwise::sim
