#pragma once

#include <string>
#include <vector>

#include "fit/step_rows.h"
#include "perf/sim/constants/constants.h"

namespace epwise::fit {

/// Which rows count in a fit, one flag a row.
using Chosen = std::vector<bool>;

/// The constants whose status is `fitted`, in the order of the file.
std::vector<std::string> fitted_names(const sim::ConstantTable& table);

/// Least squares on the logarithm of the step time over the chosen rows. The loss is Student's with
/// three degrees of freedom and a scale of 6 %, so that a row from a sick release pulls no harder
/// than a good one; each fitted constant is held by its prior as wide as `prior_log_sd` says.
/// All other constants stand at their priors.
sim::Constants fit_steps(const StepRows& rows,
                         const Chosen& chosen,
                         const sim::ConstantTable& table);

/// Logarithms of the predicted step times, one a row, in s.
std::vector<double> predict_steps(const StepRows& rows, const sim::Constants& constants);

/// Each row predicted by constants that were fitted without its cluster (or study): clusters go to
/// `folds` groups, drawn by `seed`. Beside it, the half width of its interval, which
/// knows of the other rows only, too.
struct LeftOut {
  std::vector<double> log_seconds;
  std::vector<double> half_widths;
};

LeftOut leave_out(const StepRows& rows,
                  const sim::ConstantTable& table,
                  std::string StepRow::*group,
                  int folds,
                  unsigned seed);

}  // namespace epwise::fit
