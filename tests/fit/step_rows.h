#pragma once

#include <deque>
#include <string>
#include <vector>

#include "perf/cost/table.h"
#include "perf/sim/work/step_work.h"
#include "perf/workload/workload.h"

namespace epwise::fit {

/// A published step.
struct StepRow {
  std::string id;
  std::string cluster;   // rows of one are left out together
  std::string study;     // … or rows of one of these
  double seconds = 0;    // measured
  double weight = 0;     // in the fit; 0: only scored
  std::size_t work = 0;  // of its recipe, in StepRows::works
};

/// Published steps and their recipes, lowered once each.
struct StepRows {
  std::vector<StepRow> rows;
  std::vector<sim::StepWork> works;
  std::deque<workload::Workload> jobs;  // what the works point to

  StepRows() = default;
  StepRows(const StepRows&) = delete;
  StepRows& operator=(const StepRows&) = delete;
  StepRows(StepRows&&) = default;
  StepRows& operator=(StepRows&&) = default;
};

/// Lines as tests/fit/steps.py writes them:
///   {"id": …, "cluster": …, "recipe": "model: …", "hw": "h100", "gpus": 16, "seconds": 41.25,
///    "study": …, "stack": {"container": "nemo-26.06", "te": "2.16"}, "inputs": ["nic_rate=…"],
///    "confidence": "high", "trained": true}
/// A row counts less where its recipe was measured more than once, or where its confidence is low.
/// Throws std::runtime_error for a recipe that can't be lowered.
StepRows read_step_rows(const std::string& lines,
                        const cost::Table& laws,
                        const sim::ConstantTable& constants);

}  // namespace epwise::fit
