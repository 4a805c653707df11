#include <doctest/doctest.h>

#include "advise/measurement.h"

namespace epwise::advise {

TEST_CASE("measured figures are read with their units, and mistakes are told") {
  std::vector<text::Diagnostic> problems;
  const Measured good = read_measured(
      text::SourceFile("m.yaml", "step_time: 41.25 s\ndispatch_time: 2.7 ms\n"), problems);
  CHECK(problems.empty());
  CHECK(good.step == doctest::Approx(41.25));
  CHECK(good.dispatch == doctest::Approx(0.0027));
  CHECK(good.host == 0);
  read_measured(text::SourceFile("m.yaml", "step_time: 41.25 GiB\n"), problems);
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().message.find("must be a time") != std::string::npos);
  problems.clear();
  read_measured(text::SourceFile("m.yaml", "steptime: 41 s\n"), problems);
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().message.find("step_time") != std::string::npos);
}

TEST_CASE("a measured share of exposed communication is a share") {
  for (const char* text : {"exposed_share: 18 %\n", "exposed_share: 0.18\n"}) {
    std::vector<text::Diagnostic> problems;
    CHECK(read_measured(text::SourceFile("m.yaml", text), problems).exposed ==
          doctest::Approx(0.18));
    CHECK(problems.empty());
  }
  for (const char* text : {"exposed_share: 118 %\n",
                           "exposed_share: 18 ms\n",
                           "exposed_share: -0.1\n",
                           "exposed_share: much\n"}) {
    std::vector<text::Diagnostic> problems;
    read_measured(text::SourceFile("m.yaml", text), problems);
    CHECK_MESSAGE(problems.size() == 1, text);
  }
}

TEST_CASE("an advice is held to the measured step") {
  Advice advice;
  advice.present.emplace();
  advice.present->step_time = {40, 36, 44};
  DispatcherRow row;
  row.step = sim::Range{20, 18, 22};
  advice.dispatchers.push_back(row);
  Plan plan;
  plan.speedup = {2, 1.6, 2.5};
  plan.step = {20, 18, 22};
  advice.plans.push_back(plan);
  Measured measured;
  measured.step = 50;
  calibrate_to_measurement(advice, measured);
  REQUIRE(advice.anchor.has_value());
  CHECK(advice.anchor->predicted == 40);
  CHECK(advice.present->step_time.value == 50);
  CHECK(advice.dispatchers.front().step->value == doctest::Approx(25));
  CHECK(advice.plans.front().step.value == doctest::Approx(25));
  CHECK(advice.plans.front().step.low == doctest::Approx(20));
  CHECK(advice.plans.front().step.high == doctest::Approx(31.25));
}

}  // namespace epwise::advise
