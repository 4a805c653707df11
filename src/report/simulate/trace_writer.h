#pragma once

#include <string>
#include <vector>

#include "model/workload.h"
#include "sim/step/step_nodes.h"

namespace epwise::report {

/// One recipe's step as it ran.
struct TracedRecipe {
  std::string path;
  std::string target;    // "h100 x 16 (--hw, --gpus)"
  double predicted = 0;  // s, the step by closed form
  const model::Workload* job = nullptr;
  const sim::StepRun* run = nullptr;
};

/// Chrome's trace format, which Perfetto and chrome://tracing open: a process for each pipeline
/// stage, a track for each stream (host, compute, EP communication, pipeline sends, DP
/// communication), one slice a node, in microseconds. Slices of a track never overlap: sends, which
/// queue nowhere, get as many tracks as they need. `args` name micro-batch, chunk, layer and
/// whether the step would end later if the slice did.
///   {"name":"dispatch fwd","cat":"exchange","ph":"X","pid":0,"tid":3,"ts":812.400,"dur":413.070,
///    "args":{"micro_batch":0,"chunk":0,"layer":3,"critical":true}}
std::string trace_json(const std::vector<TracedRecipe>& recipes);

/// What a slice is called, in the field's terms: "attention fwd", "experts dgrad", "send grad".
/// `delayed`: weight gradients are nodes of their own; `experts`: the layer has them.
std::string_view slice_name(const schedule::Task& task, bool delayed, bool experts);

}  // namespace epwise::report
