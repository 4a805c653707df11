#pragma once

#include <string>
#include <vector>

#include "perf/sim/step/step_nodes.h"
#include "perf/workload/workload.h"

namespace epwise::report {

/// One recipe's step as simulated.
struct TracedRecipe {
  std::string path;
  std::string target;    // "h100 x 16 (--hw, --gpus)"
  double predicted = 0;  // s, the step by closed form
  const workload::Workload* job = nullptr;
  const sim::StepRun* run = nullptr;
};

/// Chrome's trace format, for Perfetto and chrome://tracing: a process per pipeline stage, a track
/// per stream (host, compute, EP communication, pipeline sends, DP communication), one slice per
/// node, in microseconds. Slices of a track never overlap: sends, which do not queue, get as many
/// tracks as they need. `args` contain micro-batch, chunk, layer and whether the slice is critical
/// for the end of the step, `undisturbed_us` the duration without contention. Flows lead from each
/// send to the computation that waited for it; a counter per stage says how many chunks hold
/// activations. Of a long step, the first and the last micro-batches, each whole, so that a trace
/// stays below 10 MB.
///   {"name":"dispatch fwd","cat":"exchange","ph":"X","pid":0,"tid":3,"ts":812.400,"dur":413.070,
///    "args":{"micro_batch":0,"chunk":0,"layer":3,"critical":true}}
std::string trace_json(const std::vector<TracedRecipe>& recipes);

/// The name of a slice: "attention fwd", "experts dgrad", "send grad". `delayed`: weight gradients
/// are separate nodes; `experts`: the layer has experts.
std::string_view slice_name(const schedule::Task& task, bool delayed, bool experts);

}  // namespace epwise::report
