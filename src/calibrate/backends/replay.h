#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/file/calibration.h"
#include "calibrate/sampling/sampler.h"
#include "calibrate/work/backend.h"
#include "cost/table.h"

namespace epwise::calibrate {

/// What a replay makes up, or does to what was recorded. The file `epwise.replay/1` holds it.
struct ReplayScript {
  std::string hw = "h100";         // whose laws give the times where nothing was recorded
  double noise = 0.02;             // of a round, relative
  double outliers = 0.02;          // share of rounds that take 1.5 to 4 times as long
  double drift = 0;                // how much longer rounds take after 60 s, relative
  double throttle = 0;             // share of rounds under thermal slow-down
  int lost_rank = -1;              // whose device is lost …
  int dead_rank = -1;              // … or which ends without a word …
  int hung_rank = -1;              // … or answers no more …
  int after_rounds = 50;           // … from then on
  std::vector<std::string> wrong;  // kernels whose result fails its check
  /// Times over the laws, by constant: "gemm", "grouped_gemm", "memory", "exchange", "collective";
  /// absolute: "host_operation_us", "launch_us", "start_delay_us" (of an exchange beside compute);
  /// contention: "sm_weight", "memory_weight", "exchange_slowdown".
  std::map<std::string, double, std::less<>> truth;
  /// Recorded points; where one has the same work as a request, its times are drawn around it.
  std::optional<Calibration> recorded;
};

/// A description (epwise.replay/1) or a recorded calibration (epwise.calibration/1).
std::optional<ReplayScript> read_replay(const text::SourceFile& file,
                                        std::vector<text::Diagnostic>& problems);

/// Times from laws or records, with noise: everything above the backend runs as if there were a
/// device. Time is virtual: `clock` goes by what the rounds would have taken.
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
