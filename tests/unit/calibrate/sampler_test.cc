// Plans, sampling and runs on made-up machines.

#include "calibrate/sampling/sampler.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "calibrate/backends/replay.h"
#include "calibrate/plan.h"
#include "calibrate/run.h"
#include "perf/cost/compiled_table.h"

namespace epwise::calibrate {

namespace {

/// A replay with everything that a run needs.
struct Stand {
  explicit Stand(const ReplayScript& script, std::uint64_t seed = 1)
      : laws(cost::compiled_table()),
        replay(open_replay(script, ranks, laws, seed)) {
    settings.clock = replay.clock;
    settings.stopping = stopping_rule(true);
  }

  std::vector<Point> measure(const std::vector<Request>& requests) {
    Sampler sampler(*replay.backend, ranks, settings);
    std::vector<Point> points = sampler.measure({"sweep", requests});
    fatal = sampler.fatal_reason();
    return points;
  }

  OneRank ranks;
  cost::Table laws;
  OpenedReplay replay;
  SamplerSettings settings;
  std::string fatal;
};

Request gemm(std::string id, std::int64_t m) {
  Request request;
  request.id = std::move(id);
  request.work.kernel = Kernel::gemm;
  request.work.shape.m = m;
  request.work.shape.n = 4096;
  request.work.shape.k = 4096;
  return request;
}

bool has_flag(const Point& point, const std::string& flag) {
  return std::find(point.flags.begin(), point.flags.end(), flag) != point.flags.end();
}

}  // namespace

TEST_CASE("rounds go on until the median is tight, and no longer") {
  ReplayScript calm;
  calm.noise = 0.001;
  calm.outliers = 0;
  Stand quiet(calm);
  CHECK(quiet.measure({gemm("a", 4096)}).front().time.rounds == 10);
  ReplayScript wild;
  wild.noise = 0.2;
  Stand loud(wild);
  const Point noisy = loud.measure({gemm("a", 4096)}).front();
  CHECK(noisy.time.rounds == 30);
  CHECK(has_flag(noisy, "noisy"));
}

TEST_CASE("the law's time is inside the interval") {
  Stand stand(ReplayScript{});
  const std::vector<Point> points = stand.measure({gemm("a", 1024), gemm("b", 8192)});
  REQUIRE(points.size() == 2);
  CHECK(points[0].request.id == "a");
  CHECK(points[1].time.median > 4 * points[0].time.median);
  CHECK(points[0].status == PointStatus::measured);
  CHECK(points[0].check.result == Check::Result::passed);
}

TEST_CASE("drift, heat and outliers are told") {
  ReplayScript script;
  script.noise = 0.003;
  script.drift = 1500;  // in these few milliseconds
  Stand drifting(script);
  drifting.settings.stopping.least_rounds = 30;
  CHECK(has_flag(drifting.measure({gemm("a", 4096)}).front(), "drift"));
  ReplayScript hot;
  hot.throttle = 0.2;
  Stand heated(hot);
  const Point point = heated.measure({gemm("a", 4096)}).front();
  CHECK(has_flag(point, "throttled"));
  CHECK(point.time.discarded > 0);
  hot.throttle = 1;
  Stand burning(hot);
  const Point lost = burning.measure({gemm("a", 4096)}).front();
  CHECK(lost.status == PointStatus::not_measured);
  CHECK(lost.reason.find("thermal or hardware throttling") != std::string::npos);
}

TEST_CASE("a wrong result is never timed") {
  ReplayScript script;
  script.wrong = {"gemm"};
  Stand stand(script);
  const Point point = stand.measure({gemm("a", 4096)}).front();
  CHECK(point.status == PointStatus::not_measured);
  CHECK(point.reason == "wrong result: row 0 differs");
}

TEST_CASE("a lost device ends the rest with its reason") {
  ReplayScript script;
  script.lost_rank = 0;
  script.after_rounds = 20;
  Stand stand(script);
  const std::vector<Point> points = stand.measure({gemm("a", 4096), gemm("b", 2048)});
  CHECK(stand.fatal == "the device was lost");
  CHECK(std::count_if(points.begin(), points.end(), [](const Point& point) {
          return point.reason == "the device was lost";
        }) >= 1);
}

TEST_CASE("the budget and Ctrl-C end it, and what bounds a median is kept") {
  Stand stand(ReplayScript{});
  stand.settings.deadline = stand.settings.clock() + 1e-9;
  const Point late = stand.measure({gemm("a", 4096)}).front();
  CHECK(late.status == PointStatus::not_measured);
  CHECK(late.reason == "the budget was spent");
  Stand other(ReplayScript{});
  int asked = 0;
  other.settings.is_interrupted = [&asked] { return ++asked > 8; };
  const Point cut = other.measure({gemm("a", 4096)}).front();
  CHECK(cut.status == PointStatus::measured);
  CHECK(cut.time.rounds < 10);
}

TEST_CASE("a plan begins with what decides most and names each point once") {
  PlanSettings settings;
  settings.sms = 132;
  settings.ranks = 16;
  settings.domain = 8;
  for (const bool quick : {true, false}) {
    settings.quick = quick;
    const std::vector<Sweep> plan = make_plan(usual_subject(), settings);
    CHECK(plan.front().name == "host");
    // Shares of the memory's rate are what contention is told in.
    CHECK(plan[1].name == "ceilings");
    CHECK(plan[2].name == "contention experts");
    CHECK(plan.back().name == "memory");
    std::set<std::string> ids;
    for (const Sweep& sweep : plan) {
      for (const Request& request : sweep.requests) {
        CAPTURE(request.id);
        CHECK(ids.insert(request.id).second);
        CHECK(request.work.sms <= settings.sms);
      }
    }
  }
}

TEST_CASE("a run keeps every point at once and goes on where it stood") {
  PlanSettings planned;
  planned.quick = true;
  planned.sms = 132;
  const std::vector<Sweep> plan = make_plan(usual_subject(), planned);
  Stand stand(ReplayScript{});
  std::vector<std::size_t> kept;
  Calibration last;
  RunSettings settings;
  settings.sampler = stand.settings;
  settings.keep = [&](const Calibration& calibration) {
    kept.push_back(calibration.points.size());
    last = calibration;
  };
  int asked = 0;
  settings.sampler.is_interrupted = [&asked] { return ++asked > 60; };
  Calibration start;
  start.environment = stand.replay.backend->environment();
  run_plan(plan, start, *stand.replay.backend, stand.ranks, settings);
  const auto measured = [](const Calibration& calibration) {
    return std::count_if(calibration.points.begin(),
                         calibration.points.end(),
                         [](const Point& point) { return point.has_time(); });
  };
  const auto first = measured(last);
  CHECK(first > 0);
  CHECK(first < 100);
  CHECK(kept.size() >= static_cast<std::size_t>(first));
  Calibration again = start;
  CHECK(resume(last, again) == static_cast<std::size_t>(first));
  settings.sampler.is_interrupted = {};
  const RunResult whole = run_plan(plan, again, *stand.replay.backend, stand.ranks, settings);
  CHECK(measured(whole.calibration) ==
        static_cast<std::ptrdiff_t>(whole.calibration.points.size()));
  CHECK(whole.calibration.points.front().time == again.points.front().time);
  CHECK(whole.calibration.fit("contention") != nullptr);
  Calibration other = start;
  other.seed = 2;
  CHECK(resume(last, other) == 0);
}

}  // namespace epwise::calibrate
