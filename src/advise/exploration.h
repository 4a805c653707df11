#pragma once

#include <functional>
#include <optional>

#include "advise/advisor.h"
#include "advise/plan_maker.h"
#include "advise/search.h"

namespace epwise::advise {

/// A search over the positions of `space`, which may be narrower than that of the study.
struct Expedition {
  const Space* space = nullptr;
  Goal goal = Goal::speed;
  SearchBounds bounds;
  bool with_speed = true;  // otherwise dispatcher, overlap and graphs can only be switched off
  /// If given, only layouts are free; every other axis is as in the recipe or as here.
  std::optional<Candidate> others = {};
};

SearchResult explore(const Study& study, const Request& request, Expedition expedition);

/// Plans for a recipe that does not fit in memory.
struct Fitting {
  std::vector<Plan> plans;       // in the documents' order of means, each faster than those before
  std::vector<Candidate> seeds;  // that fit
  std::optional<Shortage> shortage;  // if nothing fits
};

/// The fastest candidates that fit, first with sizes of the layout only, then with selective
/// recompute, reduced states, offloading and full recompute. If none fits, how much memory is
/// missing and how many GPUs would do.
Fitting fit_first(const Study& study, const Request& request, PlanMaker& maker);

/// One change that lowers the memory of a recipe, everything else unchanged.
struct Relief {
  std::string what;   // "activation recompute: norms and expert activations"
  double needed = 0;  // bytes on the fullest GPU
  bool fits = false;
  double longer = 1;  // T(with it)/T(recipe)
  std::vector<PlanChange> changes;
};

/// What to try first against running out of memory, each alone.
struct Reliefs {
  double needed = 0;  // bytes of the recipe
  double limit = 0;   // bytes of a GPU
  std::vector<Relief> list;
};

/// For each means of fitting the fastest move that fits, or else the leanest, in the documents'
/// order: layout and micro-batch, selective recompute, optimizer states, offloading, full recompute;
/// what does not fit only where nothing of its kind does. Empty if the recipe cannot be predicted.
Reliefs reliefs_of(const World& world, const Knowledge& knowledge);

}  // namespace epwise::advise
