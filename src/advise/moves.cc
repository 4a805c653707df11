#include "advise/moves.h"

#include <algorithm>

namespace epwise::advise {

std::string_view to_string(Risk risk) {
  switch (risk) {
    case Risk::low:
      return "low";
    case Risk::medium:
      return "medium";
    case Risk::high:
      break;
  }
  return "high";
}

int Axis::find(std::string_view move) const {
  const auto found = std::ranges::find(moves, move, &Move::name);
  return found == moves.end() ? -1 : static_cast<int>(found - moves.begin());
}

const Axis* Knowledge::axis(std::string_view name) const {
  const auto found = std::ranges::find(axes, name, &Axis::name);
  return found == axes.end() ? nullptr : &*found;
}

}  // namespace epwise::advise
