#include "perf/sim/prediction/measured_constants.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "perf/cost/compiled_table.h"
#include "support/example_file.h"
#include "support/workloads.h"

namespace epwise::sim {
namespace {

/// A seed recipe without overlap on H100s.
struct Job {
  Job() : laws(cost::compiled_table()) {
    auto reading =
        test::workload_of(support::file_text("examples/seeds/q30-ep16-off.yaml"), "h100", 16);
    REQUIRE(reading.problems.empty());
    workload = std::make_unique<const workload::Workload>(std::move(reading.workload));
    machine = machine_of(*hw::find_profile("h100"), workload->machine, laws, constants()).machine;
  }

  cost::Table laws;
  std::unique_ptr<const workload::Workload> workload;
  Machine machine;
};

TEST_CASE("measured constants take the place of their own, and their notes say so") {
  const ConstantTable table = with_measured(
      constants(), {{"host_x86", 4e-5, 0.05, "host.host_operation"}, {"no_such", 1, 1, ""}});
  CHECK(table.values.host_x86 == 4e-5);
  const auto note = std::find_if(table.notes.begin(), table.notes.end(), [](const auto& each) {
    return each.name == "host_x86";
  });
  REQUIRE(note != table.notes.end());
  CHECK(note->log_sd == 0.05);
  CHECK(note->source == "calibration: host.host_operation");
  CHECK(constants().values.host_x86 != 4e-5);
}

TEST_CASE("what is measured as it was assumed leaves the step and narrows its interval") {
  const Job job;
  const Prediction before = predict(*job.workload, job.machine, constants().values);
  const auto same = [](const char* name, double log_sd) {
    return MeasuredConstant{name, constants().values.*constant_member(name), log_sd, "test"};
  };
  CalibrationEffect none;
  predict_measured(*job.workload, job.machine, constants(), {}, {}, none);
  CHECK(none.half_width == doctest::Approx(none.half_width_before));
  CHECK(none.measured == none.bound_before);
  CalibrationEffect effect;
  const Prediction after = predict_measured(*job.workload,
                                            job.machine,
                                            constants(),
                                            {same("host_x86", 0.05),
                                             same("overlap_exchange", 0.03),
                                             same("grouped_gemm", 0.03),
                                             same("gemm_hopper", 0.03)},
                                            {},
                                            effect);
  CHECK(after.step_time.value == doctest::Approx(before.step_time.value));
  CHECK(effect.half_width < effect.half_width_before);
  CHECK(after.step_time.high / after.step_time.low < before.step_time.high / before.step_time.low);
  CHECK(effect.measured >= effect.bound_before);
  CHECK(effect.mattering >= effect.measured);
  CHECK(effect.half_width > 0.04);  // no calibration makes a step certain
}

TEST_CASE("a worse measurement than the table's knowledge narrows nothing") {
  const Job job;
  CalibrationEffect effect;
  predict_measured(*job.workload,
                   job.machine,
                   constants(),
                   {{"host_x86", constants().values.host_x86, 0.9, "test"}},
                   {},
                   effect);
  CHECK(effect.half_width == doctest::Approx(effect.half_width_before));
}

TEST_CASE("a slow machine's constants make a slow step") {
  const Job job;
  CalibrationEffect effect;
  const Prediction before = predict(*job.workload, job.machine, constants().values);
  const Prediction after = predict_measured(
      *job.workload, job.machine, constants(), {{"gemm_hopper", 1.5, 0.02, "test"}}, {}, effect);
  CHECK(after.step_time.value > 1.02 * before.step_time.value);
}

}  // namespace
}  // namespace epwise::sim
