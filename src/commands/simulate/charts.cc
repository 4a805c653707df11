#include "commands/simulate/charts.h"

#include <cstddef>

#include "commands/simulate/page.h"
#include "commands/simulate/trace.h"

namespace epwise::cli {

namespace {

/// Chart data of the jobs: only if a format needs it.
struct Drawn {
  std::vector<sim::StepWork> works;  // of the jobs with a prediction
  std::vector<sim::StepRun> runs;
};

Drawn run_steps(const std::vector<SimulatedJob>& jobs, bool whole) {
  constexpr int kMostTasks = 400'000;  // a trace of about 60 MB
  Drawn drawn;
  for (const SimulatedJob& job : jobs) {
    if (job.workload != nullptr && job.report.prediction) {
      drawn.works.push_back(sim::lower(*job.workload, job.machine, job.constants, job.stated));
      drawn.runs.push_back(
          sim::run_events(drawn.works.back(), job.constants, {}, whole ? 0 : kMostTasks));
    }
  }
  return drawn;
}

}  // namespace

std::string trace_text(const std::vector<SimulatedJob>& jobs) {
  const Drawn drawn = run_steps(jobs, false);
  std::vector<report::TracedRecipe> traced;
  for (const SimulatedJob& job : jobs) {
    if (job.workload != nullptr && job.report.prediction) {
      traced.push_back({job.report.path,
                        job.report.target,
                        job.report.prediction->step_time.value,
                        job.workload.get(),
                        &drawn.runs[traced.size()]});
    }
  }
  return report::trace_json(traced);
}

std::string page_text(const std::vector<SimulatedJob>& jobs) {
  const Drawn drawn = run_steps(jobs, true);
  std::vector<report::PageRecipe> pages;
  std::size_t next = 0;
  for (const SimulatedJob& job : jobs) {
    report::PageRecipe& page = pages.emplace_back();
    page.simulated = job.report;
    if (job.workload != nullptr && job.report.prediction) {
      const sim::StepWork& work = drawn.works[next];
      page.layers = sim::steady_layers(work, job.constants);
      page.sweep = sim::sm_sweep(work, job.constants);
      if (job.workload->parallel.expert > 1) {
        page.dispatcher = workload::to_string(job.workload->exchange.dispatcher);
      }
      page.event_step = drawn.runs[next].timeline.seconds;
      ++next;
    }
  }
  return report::simulate_html(pages);
}

}  // namespace epwise::cli
