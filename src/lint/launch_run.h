#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lint/itinerary.h"
#include "lint/launch.h"
#include "lint/outcome.h"
#include "lint/rule.h"
#include "model/facts.h"

namespace epwise::lint {

/// A rule that did not pass at its place in the launch. The finding must be built at once, while
/// the facts are those of that moment; hence the callback. `step` counts the steps of the whole
/// launch from 0.
struct LaunchEvents {
  virtual ~LaunchEvents() = default;
  virtual void failed(const Rule& rule, int step, const std::string& crash) = 0;
  virtual void open(const Rule& rule, const std::vector<std::string>& needs) = 0;

  /// Whether a check is worth evaluating; the rewrites of a launch are always made.
  virtual bool wants(const Rule& /*rule*/) const { return true; }

  /// A rewrite was carried out, though it may have changed nothing.
  virtual void rewrote(const RewriteStep& /*step*/, const Stage& /*stage*/) {}
};

/// Walks through the legs on the facts, rewrites and checks in the order of upstream's lines.
/// `reported` names built-in rules that the readers have already found: they reject at their place.
/// All stages run, also after a rejection, so that every problem of a recipe is found in one go.
Launch run_launch(const Itinerary& itinerary,
                  model::Facts& facts,
                  const std::set<std::string_view>& reported,
                  LaunchEvents& events);

}  // namespace epwise::lint
