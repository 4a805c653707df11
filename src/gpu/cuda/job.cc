#include "gpu/cuda/job.h"

#include <fmt/format.h>

namespace epwise::cuda {

using calibrate::Check;

Check bitwise(std::uint64_t wrong, const std::string& where) {
  Check check;
  check.kind = "bitwise";
  check.error = static_cast<double>(wrong);
  check.result = wrong == 0 ? Check::Result::passed : Check::Result::failed;
  if (wrong != 0) {
    check.what = fmt::format("{} wrong, {}", wrong, where);
  }
  return check;
}

Check within(const std::string& kind, double error, double tolerance) {
  Check check;
  check.kind = kind;
  check.error = error;
  check.tolerance = tolerance;
  check.result = error <= tolerance ? Check::Result::passed : Check::Result::failed;
  if (check.result == Check::Result::failed) {
    check.what = fmt::format("{:.3g}, allowed {:.3g}", error, tolerance);
  }
  return check;
}

}  // namespace epwise::cuda
