#pragma once

#include <optional>
#include <vector>

#include "calibrate/import/import.h"
#include "calibrate/import/row.h"

namespace epwise::calibrate {

/// A row for each direction and format that HybridEP's test timed, of the slowest rank; nullopt and
/// why for a log without times of kernels, or whose sizes do not explain the bytes received.
std::optional<std::vector<ImportRow>> hybridep_rows(const text::SourceFile& file,
                                                    std::vector<text::Diagnostic>& problems);

}  // namespace epwise::calibrate
