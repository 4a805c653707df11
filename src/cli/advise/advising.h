#pragma once

#include <memory>
#include <string>
#include <vector>

#include "advise/advisor.h"
#include "cli/arguments.h"
#include "cli/session.h"
#include "cli/simulate/simulation.h"
#include "cli/target/recipe_on_target.h"
#include "cost/table.h"
#include "hw/profile.h"
#include "repair/bench.h"

namespace epwise::cli {

/// One recipe with everything that advice about it rests on. Must stay where it is.
class AdvisedJob {
 public:
  /// Throws world::UsageError and world::MissingError; hardware and number of GPUs must be known.
  AdvisedJob(Session& session, const Arguments& arguments, const std::string& path);

  AdvisedJob(const AdvisedJob&) = delete;
  AdvisedJob& operator=(const AdvisedJob&) = delete;

  const advise::World& world() const { return world_; }

  const repair::Bench& bench() const { return bench_; }

  const recipe::Recipe& recipe() const { return *reading_.recipe; }

  std::string target_text() const;

  /// What a report says of --calibration; nullopt without.
  std::optional<sim::CalibrationEffect> calibration() const;

 private:
  RecipeOnTarget recipe_;
  RecipeOnTarget::Reading reading_;
  repair::Bench bench_;
  cost::Table laws_;
  Simulator simulator_;
  sim::ConstantTable constants_;  // those of --calibration among them
  advise::World world_;
};

/// `hw`: of the target, against which a profile is held. What --goal, --keep, --may-change, --top
/// and --profile say. Throws world::UsageError and world::MissingError.
advise::Request advise_request(const Session& session,
                               const Arguments& arguments,
                               const hw::Profile& hw);

/// "moe_router_topk=4" or "--moe-router-topk=4" → an edit of the recipe's field. Throws
/// world::UsageError for names that the framework doesn't have, with the nearest ones.
advise::Edit edit_of(const Setting& question, const AdvisedJob& job);

}  // namespace epwise::cli
