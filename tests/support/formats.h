#pragma once

#include <string>
#include <string_view>

#include "ui/findings/writer.h"

namespace epwise::support {

/// A report in the format of that name, which is there.
inline std::string written(std::string_view format,
                           const report::LintReport& report,
                           const report::Style& style = {}) {
  return report::find_writer(format)->write(report, style);
}

}  // namespace epwise::support
