#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "advise/advisor.h"
#include "commands/advise/report.h"
#include "commands/simulate/simulation.h"
#include "hw/profile.h"
#include "perf/cost/table.h"
#include "session/options/arguments.h"
#include "session/workspace.h"
#include "ui/console.h"
#include "ui/progress.h"

namespace epwise::cli {

/// One recipe with all inputs of its advice. Must not be moved.
class AdvisedJob {
 public:
  /// The recipe of `source`. Throws os::UsageError and os::MissingError; hardware and number of GPUs must be known.
  AdvisedJob(Console& console, const Arguments& arguments, const Source& source);

  AdvisedJob(const AdvisedJob&) = delete;
  AdvisedJob& operator=(const AdvisedJob&) = delete;

  const advise::World& world() const { return world_; }

  const Analysis& base() const { return world_.base; }

  const recipe::Recipe& recipe() const { return *base().recipe; }

  std::string target_text() const;

  /// The report's statement about --calibration; nullopt without it.
  std::optional<sim::CalibrationEffect> calibration() const;

 private:
  Workspace workspace_;
  Analysis recipe_;
  cost::Table laws_;
  Simulator simulator_;
  sim::ConstantTable constants_;  // including those of --calibration
  advise::World world_;
};

/// `hw`: of the target, against which a profile is held. What --goal, --keep, --may-change, --top
/// and --profile say. Throws os::UsageError and os::MissingError.
advise::Request advise_request(const Console& console,
                               const Arguments& arguments,
                               const hw::Profile& hw);

/// The recipe without advice.
report::AdvisedRecipe advised_recipe(const AdvisedJob& job);

/// The advice, by those options and --among. Throws os::UsageError and os::MissingError.
report::AdvisedRecipe advice_on(const AdvisedJob& job,
                                Console& console,
                                const Arguments& arguments);

/// "moe_router_topk=4" or "--moe-router-topk=4" → an edit of the recipe's field. Throws
/// os::UsageError for names that the framework doesn't have, with the nearest ones.
advise::Edit edit_of(const Setting& question, const AdvisedJob& job);

/// (1500, 3000, 3 s) → "searching [##########..........] 1500 of at most 3000 combinations, at most
/// 3 s left".
std::string search_text(std::size_t done, std::size_t most, double left);

/// A progress line on a terminal, shown after half a second and removed at the end of the search.
class SearchProgress {
 public:
  /// `out` is a terminal; null pointer: show nothing. `most`: upper bound on the number of
  /// combinations.
  explicit SearchProgress(std::ostream* out, std::size_t most = 3000, Clock clock = steady_clock());
  SearchProgress(const SearchProgress&) = delete;
  SearchProgress& operator=(const SearchProgress&) = delete;

  ~SearchProgress() { end(); }

  void tell(std::size_t done);
  void end();

 private:
  std::ostream* out_;
  std::size_t most_;
  Clock clock_;
  double begin_;
  double shown_at_ = 0;
  bool shown_ = false;
};

}  // namespace epwise::cli
