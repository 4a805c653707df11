#pragma once

#include <string>
#include <string_view>

#include "calibrate/file/calibration.h"
#include "calibrate/plan.h"
#include "cli/simulate/simulation.h"
#include "cost/table.h"

namespace epwise::cli {

/// The number that decides whether overlap can pay, of one expert layer in both directions:
///
///   communication to compute: 0.62 (exchanges 1.21 ms, compute 1.95 ms of one layer), by cost laws
///
/// `measured`: a null pointer before there is anything; then with its constants.
std::string recipe_ratio(const SimulatedJob& job,
                         const calibrate::Calibration* measured,
                         const cost::Table& laws);

/// The same without a recipe: exchanges to expert GEMMs of usual sizes. Empty where no cost laws
/// know the device.
std::string usual_ratio(const calibrate::Subject& subject,
                        std::string_view hw,
                        const cost::Table& laws);

}  // namespace epwise::cli
