#pragma once

#include <vector>

#include "calibrate/file/calibration.h"
#include "calibrate/sampling/sampler.h"
#include "perf/workload/workload.h"

namespace epwise::calibrate {

/// Sizes of a recipe from which points are generated.
Subject subject_of(const workload::Workload& job);

/// Without a recipe: a model of DeepSeek-V3's size, one sequence of 4096 tokens, 8 ranks.
Subject usual_subject();

/// The same, shrunk until a CPU runs it in seconds. Such measurements say nothing about the recipe
/// itself.
Subject reduced(const Subject& subject);

struct PlanSettings {
  bool quick = false;
  int sms = 0;       // of the device
  int ranks = 1;     // of the run
  int domain = 1;    // ranks that reach each other
  double pace = 0;   // bytes/s limit for loopback exchanges concurrent with compute; 0: none
  bool fp8 = false;  // the device supports it
  std::uint64_t seed = 1;
};

/// The points to measure, most influential first: host time, compute concurrent with exchanges
/// (after the memory rate, to which it is relative), exchanges, grouped and dense GEMMs, NCCL
/// across domains and within one, memory. An interrupted run thus loses the least.
std::vector<Sweep> make_plan(const Subject& subject, const PlanSettings& settings);

}  // namespace epwise::calibrate
