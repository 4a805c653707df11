#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/file/calibration.h"

namespace epwise::calibrate {

/// One row of a timing table, by column: {"kind": "dispatch", "us": "492", …}.
using ImportRow = std::map<std::string, std::string, std::less<>>;

/// Nullopt for a row without a matching kernel, time or size.
std::optional<Point> point_of_row(const ImportRow& row, const std::string& source);

/// Import options.
struct ImportSettings {
  std::string hw;  // rows of other devices are skipped; empty: the device of the first row is used
  int ranks = 0;   // for a test whose output does not give it; 0: unknown
};

/// Points of a timing file from any of these sources: nccl-tests (out-of-place times; the operation
/// from "all_gather_perf" in the text or from the file name), DeepEP's tests ("[tuning] Best
/// dispatch …", "> Testing with …"), HybridEP's ("HybridEP dispatch kernel(NVL) …"), CSV with a
/// header, JSON lines. Columns of the last two:
///   kind, hw, backend, ranks (or ep), nodes, tokens, hidden, topk, experts, dtype, sms (or num_sms),
///   us (or latency_us), bytes, m, n, k, groups.
/// Rows without a matching kernel or without a time are counted in `passed_over`; malformed lines
/// are reported as problems with their location.
struct Imported {
  std::vector<Point> points;
  std::string hw;
  int ranks = 1;
  int passed_over = 0;
};

Imported import_timings(const text::SourceFile& file,
                        const ImportSettings& settings,
                        std::vector<text::Diagnostic>& problems);

/// Adds points to a calibration; of several times for the same work, the first is kept.
void add_points(const std::vector<Point>& points, Calibration& calibration);

}  // namespace epwise::calibrate
