#pragma once

#include <string>

#include "audit/drift.h"
#include "report/lint/writer.h"
#include "report/style.h"

namespace epwise::report {

/// Rules whose upstream lines changed, are gone, moved; how many stand where they stood. -v names
/// those that moved too.
std::string drift_text(const audit::DriftReport& report, const Style& style);

/// {"schema": "epwise.drift/1", "repository", "references": [{"rule", "ground", …}]}
std::string drift_json(const audit::DriftReport& report);

}  // namespace epwise::report
