#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/report_builder.h"

namespace epwise::support {

/// A report that every format must be able to write, with the name that a failing test prints.
struct SampleReport {
  std::string_view name;
  void (*build)(ReportBuilder& builder);
};

/// No findings, one, many, letters beyond ASCII, a finding without a position, undecided rules, a
/// file that can't be parsed, inputs that can't be read, several documents, overrides.
const std::vector<SampleReport>& sample_reports();

}  // namespace epwise::support
