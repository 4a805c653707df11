#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/session.h"
#include "cli/settings/settings.h"
#include "cli/simulate/simulation.h"
#include "cost/table.h"
#include "lint/engine.h"
#include "repair/bench.h"

namespace epwise::cli {

/// --price, of lint.
Option price_option();

/// What `epwise lint --price` asks of predictions. Safe to use from several threads.
class Pricing {
 public:
  /// Throws world::MissingError for a damaged --calibration.
  Pricing(Session& session, const Arguments& arguments);

  /// Adds a note for every setting that costs more than the prediction's own uncertainty, the most
  /// expensive first, behind what lint found. `inputs`: what is known of the run, the weakest
  /// source first. Returns why nothing can be priced, or nothing.
  std::string add(const repair::Bench& bench,
                  const std::vector<Setting>& inputs,
                  lint::Result& result) const;

 private:
  Simulator simulator_;
  cost::Table laws_;
};

}  // namespace epwise::cli
