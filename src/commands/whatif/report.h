#pragma once

#include <string>
#include <vector>

#include "commands/whatif/answer.h"
#include "recipe/framework.h"
#include "session/host.h"
#include "ui/findings/writer.h"
#include "ui/style.h"

namespace epwise::report {

/// The result of `epwise whatif`.
struct WhatifReport {
  std::string path;
  recipe::Framework framework = recipe::Framework::bridge;
  std::string target;   // "h100 x 16, te 2.14.0 (--hw, --gpus, --stack)"
  std::string against;  // "Megatron-Bridge 0.6.2, h100 x 16, te 2.14.0 (--hw, --gpus, --stack)"
  const whatif::Question& question;
  const whatif::Answer& answer;
};

/// One table per axis: a column per range of points with the same result, a row per rule that
/// changes.
///
///   te: 2.6.0 to 2.14.1, 13 points, now 2.6.0 *
///                          2.6.0 *  2.7.0 to 2.14.1
///     launch               rejects  starts
///     wgrad/old-te         error    .
std::string whatif_text(const WhatifReport& report, const Style& style);

/// {"schema": "epwise.whatif/1", "axes": […], "sweeps": […], "clean": {…}}
std::string whatif_json(const WhatifReport& report,
                        const std::vector<session::NewerRelease>& newer = {});

}  // namespace epwise::report
