#pragma once

#include <string>
#include <vector>

#include "calibrate/file/calibration.h"

namespace epwise::calibrate {

/// What an import is told besides the file.
struct ImportSettings {
  std::string hw;  // rows of other devices are passed over; empty: the first row's counts
  int ranks = 0;   // of a test whose output doesn't say; 0: not known
};

/// Points of a file of timings, whatever wrote it:
///   nccl-tests' output (out-of-place times; the operation by "all_gather_perf" in the text or by
///   the file's name), DeepEP's test output ("[tuning] Best dispatch …", "> Testing with …"),
///   HybridEP's
///   ("HybridEP dispatch kernel(NVL) …"), CSV with a header, tables
///   of JSON lines. Columns of the last two: kind, hw, backend, ranks (or ep), nodes, tokens,
///   hidden, topk, experts, dtype, sms (or num_sms), us (or latency_us), bytes, m, n, k, groups.
/// Rows that no kernel of ours stands for, or without a time, are counted in `passed_over`; lines
/// that are broken are problems with their place.
struct Imported {
  std::vector<Point> points;
  std::string hw;
  int ranks = 1;
  int passed_over = 0;
};

Imported import_timings(const text::SourceFile& file,
                        const ImportSettings& settings,
                        std::vector<text::Diagnostic>& problems);

/// Adds points to a calibration; of several times for one piece of work the first stays.
void add_points(const std::vector<Point>& points, Calibration& calibration);

}  // namespace epwise::calibrate
