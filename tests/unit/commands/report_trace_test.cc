#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "commands/simulate/trace.h"
#include "perf/schedule/event_engine.h"

namespace epwise::report {
namespace {

using schedule::Node;

/// Layers of 1 ms a node on a pipeline, launches of 0.1 ms, hops that outlast a slot.
sim::StepRun traced_run(const schedule::Pipeline& pipeline, int layers, double hop) {
  sim::StepRun run;
  run.nodes.pipeline = pipeline;
  for (const bool exchanges : {false, true}) {
    schedule::LayerCost& cost = run.nodes.table.emplace_back();
    for (schedule::NodeCost& node : cost.nodes) {
      node = {1e-3 + 1e-7, 1e-4, 0};
    }
    cost.exchanges = exchanges;
  }
  run.nodes.rules.delayed_wgrad = pipeline.ep_overlap;
  run.nodes.rules.sync = schedule::HostSync::before_dispatch;
  run.nodes.rules.sync_cost = 5e-5;
  run.nodes.rules.launch_latency = 1e-5;
  run.nodes.hop.seconds = hop;
  run.nodes.contention = {1.25, 1.1};
  run.nodes.optimizer = 2e-3;
  for (int i = 0; i < pipeline.positions(); ++i) {
    run.nodes.runs.push_back(
        {{i == 0 ? sim::StepNodes::kDense : sim::StepNodes::kExperts, layers}});
    run.nodes.chunks.emplace_back();
    run.nodes.gather.push_back(3e-3);
    run.nodes.reduce.push_back(5e-3);
  }
  run.micro_batches = pipeline.micro_batches;
  run.timeline = schedule::run(sim::task_graph(run.nodes));
  return run;
}

workload::Workload job_of(const schedule::Pipeline& pipeline, int layers) {
  workload::Workload job;
  for (int i = 0; i < pipeline.positions(); ++i) {
    job.parallel.chunks.push_back({.first = i * layers, .layers = layers});
  }
  return job;
}

TEST_CASE("a trace is JSON whose slices never overlap on a track and fill the step") {
  const std::vector<schedule::Pipeline> pipelines = {
      {.micro_batches = 3},
      {.micro_batches = 3, .ep_overlap = true},
      {.stages = 4, .micro_batches = 6},
      {.stages = 2, .chunks = 2, .micro_batches = 4},
      {.stages = 2, .chunks = 3, .micro_batches = 6, .ep_overlap = true}};
  for (const schedule::Pipeline& pipeline : pipelines) {
    const sim::StepRun run = traced_run(pipeline, 2, 30e-3);
    const workload::Workload job = job_of(pipeline, 2);
    const auto json = nlohmann::json::parse(
        trace_json({{"a \"quoted\".yaml", "h100 x 8", run.timeline.seconds, &job, &run}}));
    std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> tracks;
    std::map<std::pair<int, int>, std::string> titles;
    double end = 0;
    std::size_t slices = 0;
    for (const auto& event : json["traceEvents"]) {
      const std::pair<int, int> track{event["pid"], event["tid"]};
      if (event["ph"] == "M") {
        if (event["name"] == "thread_name") {
          titles[track] = event["args"]["name"];
        }
        continue;
      }
      if (event["ph"] != "X") {
        continue;
      }
      ++slices;
      tracks[track].emplace_back(event["ts"], event["dur"]);
      end = std::max(end, event["ts"].get<double>() + event["dur"].get<double>());
    }
    CHECK(end == doctest::Approx(run.timeline.seconds * 1e6).epsilon(1e-6));
    CHECK(slices > 20);
    for (auto& [track, spans] : tracks) {
      CHECK(titles.contains(track));
      std::ranges::sort(spans);
      for (std::size_t i = 1; i < spans.size(); ++i) {
        CHECK(spans[i - 1].first + spans[i - 1].second <= spans[i].first + 1e-6);
      }
    }
    CHECK(titles[{0, 2}] == "compute");
    CHECK(json["otherData"]["a \"quoted\".yaml"]["micro_batches"] == pipeline.micro_batches);
  }
}

TEST_CASE("every send has an arrow to a later computation of another piece, and no chunk is left") {
  const schedule::Pipeline pipeline{.stages = 4, .micro_batches = 6};
  const sim::StepRun run = traced_run(pipeline, 2, 3e-3);
  const workload::Workload job = job_of(pipeline, 2);
  const auto json =
      nlohmann::json::parse(trace_json({{"r.yaml", "", run.timeline.seconds, &job, &run}}));
  std::map<int, std::pair<double, int>> begun;  // ts and stage by id
  std::map<int, int> held;
  std::map<int, int> most;
  std::size_t sends = 0;
  std::size_t arrived = 0;
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] == "X" && event["cat"] == "pipeline") {
      ++sends;
    } else if (event["ph"] == "s") {
      begun[event["id"]] = {event["ts"], event["pid"]};
    } else if (event["ph"] == "f") {
      ++arrived;
      const auto& [ts, stage] = begun.at(event["id"]);
      CHECK(event["ts"].get<double>() >= ts);
      CHECK(std::abs(event["pid"].get<int>() - stage) == 1);
      CHECK(event["bp"] == "e");
    } else if (event["ph"] == "C") {
      held[event["pid"]] = event["args"]["chunks"];
      most[event["pid"]] = std::max(most[event["pid"]], held[event["pid"]]);
    }
  }
  CHECK(sends == 2 * 3 * 6);  // both directions, between four stages, of six micro-batches
  CHECK(arrived == sends);
  CHECK(held == std::map<int, int>{{0, 0}, {1, 0}, {2, 0}, {3, 0}});
  CHECK(most == std::map<int, int>{{0, 4}, {1, 3}, {2, 2}, {3, 1}});  // 1F1B
}

TEST_CASE("a long step shows its first and last micro-batches, whole, in less than 10 MB") {
  const schedule::Pipeline pipeline{.stages = 2, .micro_batches = 64};
  const sim::StepRun run = traced_run(pipeline, 96, 1e-3);
  const workload::Workload job = job_of(pipeline, 96);
  const std::string text = trace_json({{"r.yaml", "", run.timeline.seconds, &job, &run}});
  CHECK(text.size() < 10'000'000);
  CHECK(text.size() > 5'000'000);
  const auto json = nlohmann::json::parse(text);
  std::map<int, int> slices;  // by micro-batch
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] == "X" && event["args"].contains("micro_batch")) {
      ++slices[event["args"]["micro_batch"]];
    }
  }
  CHECK(slices.size() == json["otherData"]["r.yaml"]["micro_batches_shown"]);
  CHECK(slices.contains(0));
  CHECK(slices.contains(63));
  CHECK_FALSE(slices.contains(32));
  std::map<int, int> whole;
  for (const schedule::TimelineEvent& event : run.timeline.events) {
    if (event.end - event.start > 1e-9 && slices.contains(event.task.micro_batch)) {
      ++whole[event.task.micro_batch];
    }
  }
  CHECK(slices == whole);
}

TEST_CASE("sends that overtake each other get tracks of their own") {
  const schedule::Pipeline pipeline{.stages = 2, .chunks = 3, .micro_batches = 6};
  const sim::StepRun run = traced_run(pipeline, 1, 80e-3);
  const workload::Workload job = job_of(pipeline, 1);
  const std::string text = trace_json({{"r.yaml", "", 1, &job, &run}});
  CHECK(text.find("\"pipeline send 2\"") != std::string::npos);
}

TEST_CASE("slices are named as the field does") {
  schedule::Task task;
  task.kind = schedule::TaskKind::node;
  task.node = Node::experts_backward;
  CHECK(slice_name(task, true, true) == "experts dgrad");
  CHECK(slice_name(task, false, true) == "experts bwd");
  CHECK(slice_name(task, false, false) == "MLP bwd");
  task.node = Node::dispatch_forward;
  CHECK(slice_name(task, false, true) == "dispatch fwd");
  task.kind = schedule::TaskKind::hop;
  task.backward = true;
  CHECK(slice_name(task, false, true) == "send grad");
}

}  // namespace
}  // namespace epwise::report
