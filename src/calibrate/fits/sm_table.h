#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/file/calibration.h"
#include "calibrate/fits/laws.h"

namespace epwise::calibrate {

/// Times by the SMs that are left to a kernel, as parameters "t96_us", "t132_us", …: more SMs never
/// take longer (neighbours that say so are averaged). Waves of tiles make it a staircase, which no
/// smooth law follows. Nullopt for fewer than two counts of SMs.
std::optional<Fit> fit_sm_table(std::string id, const std::vector<Sample>& samples);

/// Seconds at `sms`, linear between knots; the end values beyond them.
double sm_table_value(const std::vector<std::string>& names,
                      const std::vector<double>& values,
                      double sms);

}  // namespace epwise::calibrate
