#include "calibrate/file/student.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace epwise::calibrate {

double student_t95(int degrees) {
  constexpr std::array<double, 12> kExact = {
      12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179};
  const int known = std::max(degrees, 1);
  if (known <= static_cast<int>(kExact.size())) {
    return kExact.at(static_cast<std::size_t>(known - 1));
  }
  // Cornish-Fisher expansion around the normal quantile; 1e-4 off at most from here on.
  constexpr double kNormal = 1.959964;
  const double n = known;
  const double z3 = kNormal * kNormal * kNormal;
  return kNormal + (z3 + kNormal) / (4 * n) +
         (5 * z3 * kNormal * kNormal + 16 * z3 + 3 * kNormal) / (96 * n * n);
}

}  // namespace epwise::calibrate
