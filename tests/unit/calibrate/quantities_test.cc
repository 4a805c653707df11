// What a machine is made of comes out of its calibration.

#include "calibrate/quantities.h"

#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "calibrate/backends/replay.h"
#include "calibrate/fits/fits.h"
#include "calibrate/merge.h"
#include "calibrate/plan.h"
#include "calibrate/run.h"
#include "perf/cost/compiled_table.h"

namespace epwise::calibrate {

namespace {

Calibration calibrated(const ReplayScript& script, const cost::Table& laws) {
  OneRank ranks;
  const OpenedReplay replay = open_replay(script, ranks, laws, 7);
  PlanSettings planned;
  planned.quick = true;
  planned.sms = replay.backend->environment().device.sms;
  RunSettings settings;
  settings.sampler.clock = replay.clock;
  settings.sampler.stopping = stopping_rule(true);
  Calibration start;
  start.environment = replay.backend->environment();
  start.hw = script.hw;
  start.host = "x86";
  start.subject = usual_subject();
  return run_plan(make_plan(start.subject, planned), start, *replay.backend, ranks, settings)
      .calibration;
}

const Quantity* find(const std::vector<Quantity>& quantities, const std::string& name) {
  for (const Quantity& quantity : quantities) {
    if (quantity.constant == name) {
      return &quantity;
    }
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a made-up machine's constants come back") {
  const cost::Table laws = cost::compiled_table();
  ReplayScript script;
  script.hw = "h200";
  script.noise = 0.05;
  script.truth = {{"gemm", 1.12},
                  {"grouped_gemm", 1.34},
                  {"memory", 0.9},
                  {"host_operation_us", 43},
                  {"sm_weight", 1.4},
                  {"exchange_slowdown", 1.3},
                  {"start_delay_us", 0}};
  const Calibration calibration = calibrated(script, laws);
  const std::vector<Quantity> quantities = quantities_of(calibration, laws, "h200");
  const std::vector<std::pair<std::string, double>> truths = {{"gemm_hopper", 1.12},
                                                              {"grouped_gemm", 1.34 / 1.12},
                                                              {"memory_kernels", 0.9},
                                                              {"host_x86", 43e-6},
                                                              {"overlap_sms", 1.4},
                                                              {"overlap_exchange", 1.3}};
  for (const auto& truth : truths) {
    CAPTURE(truth.first);
    const Quantity* const quantity = find(quantities, truth.first);
    REQUIRE(quantity != nullptr);
    REQUIRE(quantity->measured);
    CHECK(std::abs(std::log(quantity->value / truth.second)) < 2 * quantity->log_sd);
    CHECK(std::abs(std::log(quantity->value / truth.second)) < 0.06);
  }
  const Quantity* const link = find(quantities, "flex_nvlink");
  REQUIRE(link != nullptr);
  CHECK(!link->measured);  // one GPU
  CHECK(link->basis.find("no exchange between GPUs") != std::string::npos);
}

TEST_CASE("the wait for SMs counts to what an exchange takes beside compute") {
  const cost::Table laws = cost::compiled_table();
  ReplayScript script;
  script.hw = "h200";
  script.truth = {{"exchange_slowdown", 1.2}, {"start_delay_us", 0}};
  const Calibration at_once = calibrated(script, laws);
  script.truth["start_delay_us"] = 150;
  const Calibration late = calibrated(script, laws);
  const Point* const point = late.point("contention.experts.delay.k24");
  const Point* const alone = late.point("contention.experts.exchange.k24");
  REQUIRE(point != nullptr);
  REQUIRE(alone != nullptr);
  CHECK(is_exchange(point->request.work.kernel));
  REQUIRE(point->start_delay);
  CHECK(point->start_delay->low <= 150e-6);
  CHECK(point->start_delay->high >= 150e-6);
  CHECK(!at_once.point("contention.experts.delay.k24")->start_delay);
  const double before = find(quantities_of(at_once, laws, "h200"), "overlap_exchange")->value;
  const auto quantities = quantities_of(late, laws, "h200");
  const Quantity* const after = find(quantities, "overlap_exchange");
  CHECK(before == doctest::Approx(1.2).epsilon(0.02));
  // Three boxes: two combines and a dispatch of other lengths, so about and not exactly.
  CHECK(after->value - before == doctest::Approx(150e-6 / alone->time.median).epsilon(0.5));
  CHECK(after->basis.find("the wait for SMs") != std::string::npos);
  // The file keeps it, and a replay of the file brings it back.
  const text::SourceFile file("late.yaml", to_yaml(late));
  std::vector<text::Diagnostic> problems;
  const auto read = read_calibration(file, problems);
  REQUIRE(read);
  CHECK(read->point("contention.experts.delay.k24")->start_delay->median ==
        doctest::Approx(point->start_delay->median).epsilon(1e-5));
}

TEST_CASE("another device's file tells of the host alone") {
  const cost::Table laws = cost::compiled_table();
  ReplayScript script;
  script.hw = "h200";
  const Calibration calibration = calibrated(script, laws);
  for (const Quantity& quantity : quantities_of(calibration, laws, "b200")) {
    CAPTURE(quantity.constant);
    CHECK(quantity.measured == quantity.constant.starts_with("host_"));
  }
  Calibration small = calibration;
  small.subject.reduced = true;
  CHECK(!device_mismatch(small, "h200").empty());
}

TEST_CASE("step constants count before kernels") {
  const cost::Table laws = cost::compiled_table();
  Calibration calibration = calibrated(ReplayScript{}, laws);
  calibration.constants.push_back({"host_x86", 9e-5, 0.04, "3 measured steps"});
  const std::vector<Quantity> quantities = quantities_of(calibration, laws, "h100");
  CHECK(find(quantities, "host_x86")->value == 9e-5);
  CHECK(find(quantities, "host_x86")->basis == "3 measured steps");
}

TEST_CASE("files are merged, held against each other and against the machine of today") {
  const cost::Table laws = cost::compiled_table();
  Calibration whole = calibrated(ReplayScript{}, laws);
  Calibration part = whole;
  part.created = "2026-11-21";
  part.points.resize(10);
  part.points[3].status = PointStatus::not_measured;
  part.points[3].reason = "the budget was spent";
  std::string problem;
  const auto merged = merge(part, whole, problem);
  REQUIRE(merged);
  CHECK(merged->points.size() == whole.points.size());
  CHECK(merged->points[3].has_time());
  CHECK(weaknesses(part)[0].find("did not finish") == std::string::npos);  // an older file
  part.planned = 60;
  Calibration planned = whole;
  planned.planned = 60;
  CHECK(weaknesses(part)[0] ==
        "the run did not finish: it came to 10 of 60 points; the same `epwise calibrate` command "
        "measures the others");
  CHECK(merge(part, planned, problem)->planned == 60);
  planned.mode = "of another plan";
  CHECK(merge(part, planned, problem)->unreached() == part.unreached() + planned.unreached());
  CHECK(merge(part, whole, problem)->unreached() == part.unreached());
  CHECK(merge(whole, whole, problem)->planned == 0);
  Calibration slower = whole;
  slower.points[5].time.median *= 2;
  slower.points[5].time.low *= 2;
  slower.points[5].time.high *= 2;
  const Difference found = difference(whole, slower);
  int notable = 0;
  for (const PointChange& change : found.points) {
    notable += change.notable ? 1 : 0;
  }
  CHECK(notable == 1);
  CHECK(found.points[5].notable);
  CHECK(found.median_ratio == 1);
  Calibration elsewhere = whole;
  elsewhere.hw = "b200";
  CHECK(!merge(whole, elsewhere, problem));
  CHECK(problem.find("different devices") != std::string::npos);
  Calibration made_up = whole;
  made_up.backend = "replay";
  CHECK(!merge(whole, made_up, problem));
  CHECK(problem.find("generated") != std::string::npos);
  Calibration unnamed = whole;
  unnamed.hw.clear();
  Calibration other = unnamed;
  other.environment.device.name = "another";
  CHECK(merge(unnamed, unnamed, problem));
  CHECK(!merge(unnamed, other, problem));
  whole.environment.software = {{"driver", "570.1"}, {"nccl", "2.28"}};
  whole.ranks = 8;
  const auto notes = staleness(whole, "h200", {{"driver", "580.2", ""}, {"nccl", "2.28", ""}}, 16);
  REQUIRE(notes.size() == 3);
  CHECK(notes[1] == "driver was 570.1 then and is 580.2 now");
}

TEST_CASE("a recorded file replays itself") {
  const cost::Table laws = cost::compiled_table();
  ReplayScript script;
  script.hw = "h200";
  const Calibration first = calibrated(script, laws);
  ReplayScript recorded;
  recorded.hw = "h200";
  recorded.recorded = first;
  const Difference found = difference(first, calibrated(recorded, laws));
  CHECK(found.median_ratio == doctest::Approx(1).epsilon(0.01));
}

}  // namespace epwise::calibrate
