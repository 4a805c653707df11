#pragma once

#include <optional>
#include <vector>

#include "calibrate/import/import.h"
#include "calibrate/import/row.h"

namespace epwise::calibrate {

/// A row for each best configuration that DeepEP's tests found; nullopt and why where nobody says
/// how many ranks there were.
std::optional<std::vector<ImportRow>> deepep_rows(const text::SourceFile& file,
                                                  const ImportSettings& settings,
                                                  std::vector<text::Diagnostic>& problems);

/// A row for each case and direction of DeepEP's newer test, of the slowest rank; it says its sizes
/// itself.
std::vector<ImportRow> elastic_rows(const text::SourceFile& file);

}  // namespace epwise::calibrate
