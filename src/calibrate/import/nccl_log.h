#pragma once

#include <optional>
#include <vector>

#include "calibrate/import/import.h"
#include "calibrate/import/row.h"

namespace epwise::calibrate {

/// A row for each size that nccl-tests timed; nullopt and why where the log does not say which
/// collective ran or on how many ranks.
///   "1048576 262144 float none -1 93.4 …" → {kind: alltoall, bytes: 1048576, us: 93.4, ranks: 8,
///   …}
std::optional<std::vector<ImportRow>> nccl_rows(const text::SourceFile& file,
                                                const ImportSettings& settings,
                                                std::vector<text::Diagnostic>& problems);

}  // namespace epwise::calibrate
