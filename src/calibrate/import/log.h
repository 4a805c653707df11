#pragma once

#include <optional>
#include <vector>

#include "calibrate/import/import.h"
#include "calibrate/import/row.h"

namespace epwise::calibrate {

/// Rows of the output of nccl-tests or of DeepEP's or HybridEP's tests; nullopt and a problem for a
/// text that is none of them, or doesn't say which operation it timed on how many ranks.
std::optional<std::vector<ImportRow>> rows_of_log(const text::SourceFile& file,
                                                  const ImportSettings& settings,
                                                  std::vector<text::Diagnostic>& problems);

}  // namespace epwise::calibrate
