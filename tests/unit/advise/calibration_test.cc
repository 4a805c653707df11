// What a calibration file does to advice.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "advise/advisor.h"
#include "advise/decision.h"
#include "perf/cost/compiled_table.h"
#include "support/analyzed_recipe.h"

namespace epwise::advise {

namespace {

std::string read(const std::string& path) {
  std::ifstream in(path);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A seed recipe on 16 H100 with what somebody measured.
struct Job {
  explicit Job(std::vector<sim::MeasuredConstant> measured, std::vector<std::string> inputs = {})
      : table(sim::with_measured(sim::constants(), measured)),
        world{test::analysis_of(read("examples/seeds/q30-ep16-off.yaml"), "--hw h100 --gpus 16"),
              laws,
              table,
              std::move(inputs),
              lint::Tier::performance,
              std::move(measured)} {}

  Advice advice() {
    Request request;
    request.freedom.may_change = {"overlap"};
    request.calibration.emplace();
    return advise(world, knowledge(), request);
  }

  cost::Table laws = cost::compiled_table();
  sim::ConstantTable table;
  World world;
};

/// The table's own value, known to `log_sd`.
sim::MeasuredConstant same(const std::string& name, double log_sd) {
  return {name, sim::constants().values.*sim::constant_member(name), log_sd, "test"};
}

double width(const sim::Range& range) {
  return std::log(range.high / range.low);
}

}  // namespace

TEST_CASE("intervals of advice shrink by what a calibration measured, and values stay") {
  Job guessed({});
  Job known({same("host_x86", 0.02),
             same("gemm_hopper", 0.02),
             same("grouped_gemm", 0.02),
             same("alltoall_nic", 0.02)});
  const Advice before = guessed.advice();
  const Advice after = known.advice();
  REQUIRE(before.present);
  REQUIRE(after.present);
  CHECK(after.present->step_time.value == doctest::Approx(before.present->step_time.value));
  CHECK(width(after.present->step_time) < 0.95 * width(before.present->step_time));
  REQUIRE(after.dispatchers.size() == before.dispatchers.size());
  for (std::size_t i = 0; i < after.dispatchers.size(); ++i) {
    const DispatcherRow& row = after.dispatchers[i];
    CHECK(row.name == before.dispatchers[i].name);
    if (row.present) {
      CHECK(width(*row.step) == doctest::Approx(width(after.present->step_time)));
      CHECK(width(*row.step) < 0.95 * width(*before.dispatchers[i].step));
    }
  }
  CHECK(width(after.ladder_start) < 0.95 * width(before.ladder_start));
  REQUIRE_FALSE(after.plans.empty());
  REQUIRE_FALSE(before.plans.empty());
  CHECK(width(after.plans.front().step) < width(before.plans.front().step));
  REQUIRE(after.calibration);
  CHECK(after.calibration->half_width < after.calibration->half_width_before);
  CHECK(after.calibration->measured > after.calibration->bound_before);
  CHECK(before.calibration->half_width == doctest::Approx(before.calibration->half_width_before));
}

TEST_CASE("an assumed host yields to a measured one, a measured one to nobody") {
  const sim::MeasuredConstant host{"host_x86", 41e-6, 0.03, "test"};
  const auto step = [&](std::vector<sim::MeasuredConstant> measured,
                        std::vector<std::string> inputs) {
    Job job(std::move(measured), std::move(inputs));
    Assessor assessor(job.world, nullptr);
    return assessor.predicted(Edits{}).assessment.step;
  };
  const double measured = step({host}, {});
  CHECK(step({host}, {"host=assumed 140us"}) == doctest::Approx(measured));
  CHECK(step({}, {"host=assumed 140us"}) > 1.05 * measured);
  CHECK(step({host}, {"host=140us"}) > 1.05 * measured);
  CHECK(step({same("gemm_hopper", 0.02)}, {"host=assumed 140us"}) > 1.05 * measured);
}

TEST_CASE("inputs of advice tell which of them the calibration measured") {
  Job job({{"host_x86", 41e-6, 0.03, "test"}});
  const Advice advice = job.advice();
  const auto host = std::ranges::find(advice.inputs, "host", &workload::Input::key);
  REQUIRE(host != advice.inputs.end());
  CHECK(host->status == workload::InputStatus::written);
  CHECK(host->value == "41 us per operation");
}

}  // namespace epwise::advise
