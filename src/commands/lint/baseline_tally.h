#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/os/files.h"
#include "commands/lint/linting.h"
#include "session/baseline.h"
#include "ui/findings/lint_report.h"

namespace epwise::cli {

/// Which entries of baselines a run has used.
class BaselineTally {
 public:
  void add(const LintOutcome& outcome);

  /// The totals of each baseline, by its path.
  std::vector<report::BaselineCount> counts(const os::Files& files) const;

 private:
  std::map<std::string, session::BaselineUse> uses_;  // by file
};

/// The command that removes what is resolved from a baseline: the target, the selection and the
/// paths of this run count there too.
///   "epwise baseline prune --hw h100 --gpus 16 known.yaml recipes/"
std::string prune_command(const Arguments& arguments, const std::string& path);

/// Adds a baseline to a report, which gives the sum of all of them.
void add_count(const report::BaselineCount& count, report::LintReport& report);

}  // namespace epwise::cli
