#include "advise/moves.h"
#include "data/embedded.h"

namespace epwise::advise {

const Knowledge& knowledge() {
  static const Knowledge table = unpack(data::compiled_advice());
  return table;
}

}  // namespace epwise::advise
