#pragma once

#include <optional>
#include <vector>

#include "calibrate/import/import.h"

namespace epwise::calibrate {

/// Rows of the output of nccl-tests, DeepEP's tests or HybridEP's tests; nullopt and a problem for
/// any other text, or if it does not give the operation or the number of ranks.
std::optional<std::vector<ImportRow>> rows_of_log(const text::SourceFile& file,
                                                  const ImportSettings& settings,
                                                  std::vector<text::Diagnostic>& problems);

}  // namespace epwise::calibrate
