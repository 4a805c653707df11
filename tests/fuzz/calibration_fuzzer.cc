// Files of timings of any bytes: read or refused, never a crash; what was read is written and read
// again as it was.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "calibrate/backends/replay.h"
#include "calibrate/file/calibration.h"
#include "calibrate/fits/fits.h"
#include "calibrate/import/import.h"
#include "calibrate/ranks/launch.h"
#include "support/fuzz_target.h"

FUZZ_TARGET(calibration) {
  using namespace epwise;
  constexpr std::size_t kMost = 1U << 16;
  const std::string bytes(reinterpret_cast<const char*>(data), size < kMost ? size : kMost);
  const text::SourceFile file("fuzz", bytes);
  std::vector<text::Diagnostic> problems;
  const auto read = calibrate::read_calibration(file, problems);
  if (read.has_value() != problems.empty()) {
    std::abort();
  }
  if (read) {
    const std::string written = calibrate::to_yaml(*read);
    const text::SourceFile again("again", written);
    const auto second = calibrate::read_calibration(again, problems);
    if (!second || calibrate::to_yaml(*second) != written) {
      std::abort();
    }
    static_cast<void>(calibrate::fit_all(*read));
  }
  problems.clear();
  static_cast<void>(calibrate::read_replay(file, problems));
  problems.clear();
  static_cast<void>(calibrate::import_timings(file, {"h100", 8}, problems));
  static_cast<void>(calibrate::first_host(bytes));
  return 0;
}
