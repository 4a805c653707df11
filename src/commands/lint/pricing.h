#pragma once

#include <string>
#include <vector>

#include "commands/simulate/simulation.h"
#include "lint/engine.h"
#include "perf/cost/table.h"
#include "session/options/arguments.h"
#include "session/settings/settings.h"
#include "session/workspace.h"
#include "ui/command.h"
#include "ui/console.h"

namespace epwise::cli {

/// --price, of lint.
Option price_option();

/// The predictions for `epwise lint --price`. Thread-safe.
class Pricing {
 public:
  /// Throws os::MissingError for a damaged --calibration.
  Pricing(Console& console, const Arguments& arguments, Workspace& workspace);

  /// Adds a note for every setting that costs more than the prediction's own uncertainty, the most
  /// expensive first, after what lint found. Returns why nothing can be priced, or nothing.
  std::string add(Analysis& analysis) const;

 private:
  Simulator simulator_;
  cost::Table laws_;
};

}  // namespace epwise::cli
