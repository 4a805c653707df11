#pragma once

#include <vector>

#include "calibrate/file/calibration.h"
#include "calibrate/sampling/sampler.h"
#include "model/workload.h"

namespace epwise::calibrate {

/// Sizes of a recipe that points are made of.
Subject subject_of(const model::Workload& job);

/// Without a recipe: a model of the size of DeepSeek-V3 on one sequence of 4096 tokens, 8 ranks.
Subject usual_subject();

/// The same shrunk until a CPU gets through it in seconds. What is measured of it says nothing of
/// the recipe itself.
Subject reduced(const Subject& subject);

struct PlanSettings {
  bool quick = false;
  int sms = 0;       // of the device
  int ranks = 1;     // of the run
  int domain = 1;    // ranks that reach each other
  double pace = 0;   // bytes/s that exchanges in loopback are held to beside compute; 0: none
  bool fp8 = false;  // the device has it
  std::uint64_t seed = 1;
};

/// What to measure, what decides most first: host time, compute beside exchanges (after the rate of
/// memory, in whose shares it is told), exchanges, grouped and dense GEMMs, NCCL across domains and
/// inside one, memory. A run that is cut short has lost the least.
std::vector<Sweep> make_plan(const Subject& subject, const PlanSettings& settings);

}  // namespace epwise::calibrate
