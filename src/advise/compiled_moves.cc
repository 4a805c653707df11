#include "advise/moves.h"
#include "base/embedded/embedded.h"

namespace epwise::advise {

const Knowledge& knowledge() {
  static const Knowledge table = unpack(embedded::compiled_advice());
  return table;
}

}  // namespace epwise::advise
