#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/file/calibration.h"
#include "calibrate/sampling/sampler.h"
#include "calibrate/work/backend.h"
#include "perf/cost/table.h"

namespace epwise::calibrate {

/// How a replay generates times, or modifies recorded ones. Stored in the file `epwise.replay/1`.
struct ReplayScript {
  std::string hw = "h100";         // chip whose laws give the times if nothing was recorded
  double noise = 0.02;             // of a round, relative
  double outliers = 0.02;          // share of rounds that take 1.5 to 4 times as long
  double drift = 0;                // relative slow-down of rounds after 60 s
  double throttle = 0;             // share of rounds with thermal throttling
  int lost_rank = -1;              // the rank whose device is lost …
  int dead_rank = -1;              // … or which ends silently …
  int hung_rank = -1;              // … or stops responding …
  int after_rounds = 50;           // … from this point on
  std::vector<std::string> wrong;  // kernels whose result fails its check
  /// Factors on the laws, by constant: "gemm", "grouped_gemm", "memory", "exchange", "collective";
  /// absolute: "host_operation_us", "launch_us", "start_delay_us" (of an exchange concurrent with
  /// compute); contention: "sm_weight", "memory_weight", "exchange_slowdown".
  std::map<std::string, double, std::less<>> truth;
  /// Recorded points; if one has the same work as a request, times are drawn around its time.
  std::optional<Calibration> recorded;
};

/// A description (epwise.replay/1) or a recorded calibration (epwise.calibration/1).
std::optional<ReplayScript> read_replay(const text::SourceFile& file,
                                        std::vector<text::Diagnostic>& problems);

/// Times from laws or records, with noise: everything above the backend runs as on a real device.
/// Time is virtual: `clock` advances by the duration of the rounds.
struct OpenedReplay {
  std::unique_ptr<Backend> backend;
  Clock clock;
  std::string reason;  // why there is none: "no cost laws for l40s"
};

OpenedReplay open_replay(const ReplayScript& script,
                         Ranks& ranks,
                         const cost::Table& laws,
                         std::uint64_t seed);

}  // namespace epwise::calibrate
