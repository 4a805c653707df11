#include "perf/schedule/event_engine.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "support/sampling.h"
#include "support/schedule_draw.h"

namespace epwise::schedule {

namespace {

Task task_on(Stream stream, double duration, TaskKind kind) {
  Task task;
  task.stream = stream;
  task.duration = duration;
  task.kind = kind;
  task.micro_batch = 0;
  task.chunk = 0;
  return task;
}

TaskGraph three_tasks(double slowdown) {
  TaskGraph graph;
  Task first = task_on(Stream::compute, 0.001, TaskKind::forward);
  Task second = task_on(Stream::comm, 0.002, TaskKind::hop);
  first.slowdown = slowdown;
  second.slowdown = slowdown;
  const int a = graph.add(first);
  const int b = graph.add(second);
  graph.add(task_on(Stream::compute, 0.001, TaskKind::backward));
  graph.wait(a);
  graph.wait(b);
  return graph;
}

TaskGraph random_graph(test::Draw& draw, int tasks, bool contended, bool lags) {
  TaskGraph graph;
  for (int i = 0; i < tasks; ++i) {
    Task task;
    task.stage = draw.whole(0, 2);
    task.stream = static_cast<Stream>(draw.whole(0, 4));
    task.duration = draw.whole(0, 9) == 0 ? 0 : draw.real(0, 1);
    task.slowdown = contended ? draw.real(1, 2) : 1;
    graph.add(task);
    for (int links = draw.whole(0, 3); i > 0 && links > 0; --links) {
      const auto wait = lags ? static_cast<Wait>(draw.whole(0, 2)) : Wait::end_to_start;
      graph.wait(draw.whole(0, i - 1), wait, lags ? draw.real(0, 0.3) : 0);
    }
  }
  return graph;
}

/// The contended run in small steps of time: work trickles away at the rates of the moment.
double trickled(const TaskGraph& graph, double step) {
  const auto count = static_cast<std::size_t>(graph.size());
  std::vector<double> work(count);
  std::vector<double> start(count, -1);
  std::vector<double> end(count, -1);
  for (std::size_t i = 0; i < count; ++i) {
    work[i] = graph.tasks()[i].duration;
  }
  std::size_t left = count;
  double now = 0;
  for (; left > 0; now += step) {
    std::vector<int> owner(static_cast<std::size_t>(graph.stages()) * kStreamCount, -1);
    std::vector<std::size_t> running;
    for (std::size_t i = 0; i < count; ++i) {
      const Task& task = graph.tasks()[i];
      if (end[i] >= 0) {
        continue;
      }
      int& queue = owner[static_cast<std::size_t>(task.stage) * kStreamCount +
                         static_cast<std::size_t>(task.stream)];
      bool may = task.stream == Stream::wire || queue < 0;
      queue = std::max(queue, 0);
      for (const Link& link : graph.links(static_cast<int>(i))) {
        const auto before = static_cast<std::size_t>(link.before);
        const auto& moments = link.wait == Wait::start_to_start ? start : end;
        may = may && (link.wait == Wait::end_to_end ||
                      (moments[before] >= 0 && moments[before] + link.lag <= now));
      }
      if (may) {
        start[i] = start[i] < 0 ? now : start[i];
        running.push_back(i);
        queue = 1;
      }
    }
    std::vector<std::size_t> busy;
    for (const std::size_t i : running) {
      if (work[i] > 0) {
        busy.push_back(i);
      }
    }
    for (const std::size_t i : busy) {
      const Task& task = graph.tasks()[i];
      const bool gpu = task.stream == Stream::compute || task.stream == Stream::comm;
      const bool beside =
          gpu && std::ranges::any_of(busy, [&](std::size_t j) {
            const Task& other = graph.tasks()[j];
            return other.stage == task.stage && other.stream != task.stream &&
                   (other.stream == Stream::compute || other.stream == Stream::comm);
          });
      work[i] -= step / (beside ? task.slowdown : 1);
    }
    for (const std::size_t i : running) {
      bool done = work[i] <= 1e-12;
      for (const Link& link : graph.links(static_cast<int>(i))) {
        const double moment = end[static_cast<std::size_t>(link.before)];
        done = done &&
               (link.wait != Wait::end_to_end || (moment >= 0 && moment + link.lag <= now + step));
      }
      if (done) {
        end[i] = now + step;
        --left;
      }
    }
  }
  return *std::ranges::max_element(end);
}

}  // namespace

TEST_CASE("timeline of three tasks") {
  const Timeline timeline = run(three_tasks(1));
  CHECK(to_text(timeline) ==
        "    0.000     1.000  0 compute  forward 0.0\n"
        "    0.000     2.000  0 comm     hop 0.0 *\n"
        "    2.000     3.000  0 compute  backward 0.0 *\n");
  CHECK(timeline.seconds == doctest::Approx(0.003));
  CHECK(busy_time(timeline, 0, Stream::compute) == doctest::Approx(0.002));
  CHECK(exposed_time(timeline, 0, Stream::comm, Stream::compute) == doctest::Approx(0.001));
  CHECK(exposed_time(timeline, 0, Stream::compute, Stream::comm) == doctest::Approx(0.001));
}

TEST_CASE("the same while both streams slow each other down by half") {
  // Together until 1.5, when the first task is done and the second has done 1 of 2.
  CHECK(to_text(run(three_tasks(1.5))) ==
        "    0.000     1.500  0 compute  forward 0.0\n"
        "    0.000     2.500  0 comm     hop 0.0 *\n"
        "    2.500     3.500  0 compute  backward 0.0 *\n");
}

TEST_CASE("nothing at all") {
  CHECK(run(TaskGraph()).events.empty());
  CHECK(run_time(TaskGraph()) == 0);
  CHECK(critical_path(TaskGraph()) == 0);
}

TEST_CASE("a negative lag is for undisturbed runs") {
  TaskGraph graph;
  Task task = task_on(Stream::compute, 2, TaskKind::forward);
  const int first = graph.add(task);
  task.stream = Stream::wire;
  graph.add(task);
  graph.wait(first, Wait::end_to_start, -0.5);
  CHECK(run_time(graph) == doctest::Approx(3.5));
  CHECK_THROWS_AS(run_contended(graph), std::logic_error);
}

TEST_CASE("the pass and the event queue agree without contention") {
  test::Draw draw(20);
  for (int round = 0; round < 2000 / test::sanitized_share(20); ++round) {
    const TaskGraph graph = random_graph(draw, draw.whole(1, 60), false, true);
    const RunState pass = run_undisturbed(graph);
    const RunState queue = run_contended(graph);
    for (std::size_t i = 0; i < pass.end.size(); ++i) {
      CHECK(queue.start[i] == doctest::Approx(pass.start[i]).epsilon(1e-12));
      CHECK(queue.end[i] == doctest::Approx(pass.end[i]).epsilon(1e-12));
    }
  }
}

TEST_CASE("bounds: at least the critical path and any stream's work, at most all of it") {
  test::Draw draw(21);
  for (int round = 0; round < 2000 / test::sanitized_share(20); ++round) {
    const bool contended = draw.coin();
    const TaskGraph graph = random_graph(draw, draw.whole(1, 60), contended, false);
    const Timeline timeline = run(graph);
    double sum = 0;
    double worst = 1;
    for (const Task& task : graph.tasks()) {
      sum += task.duration;
      worst = std::max(worst, task.slowdown);
    }
    CHECK(timeline.seconds >= critical_path(graph) - 1e-9);
    CHECK(timeline.seconds <= sum * worst + 1e-9);
    for (int stage = 0; stage < graph.stages(); ++stage) {
      for (const Stream stream : {Stream::compute, Stream::comm, Stream::host}) {
        const double busy = busy_time(timeline, stage, stream);
        CHECK(busy <= timeline.seconds + 1e-9);
        CHECK(exposed_time(timeline, stage, stream, Stream::replica) <= busy + 1e-9);
        // First in, first out, and never two at once.
        double free = 0;
        for (const TimelineEvent& event : timeline.events) {
          if (event.task.stage == stage && event.task.stream == stream) {
            CHECK(event.start >= free - 1e-12);
            CHECK(event.end - event.start >= event.task.duration - 1e-9);
            free = event.end;
          }
        }
      }
    }
    const auto critical = std::ranges::count_if(
        timeline.events, [](const TimelineEvent& event) { return event.critical; });
    CHECK(critical >= 1);
  }
}

TEST_CASE("critical tasks follow each other without a gap") {
  test::Draw draw(22);
  for (int round = 0; round < 500 / test::sanitized_share(10); ++round) {
    const TaskGraph graph = random_graph(draw, draw.whole(1, 60), draw.coin(), false);
    double covered = 0;
    const Timeline timeline = run(graph);
    for (const TimelineEvent& event : timeline.events) {
      covered += event.critical ? event.end - event.start : 0;
    }
    CHECK(covered == doctest::Approx(timeline.seconds));
  }
}

TEST_CASE("slower neighbours never make a chain faster; time scales") {
  test::Draw draw(23);
  for (int round = 0; round < 300 / test::sanitized_share(10); ++round) {
    const TaskGraph graph = random_graph(draw, draw.whole(1, 40), true, false);
    TaskGraph calm;
    TaskGraph scaled;
    for (int i = 0; i < graph.size(); ++i) {
      Task task = graph.tasks()[static_cast<std::size_t>(i)];
      task.duration *= 3;
      scaled.add(task);
      task.duration /= 3;
      task.slowdown = 1;
      calm.add(task);
      for (const Link& link : graph.links(i)) {
        scaled.wait(link.before);
        calm.wait(link.before);
      }
    }
    CHECK(run_time(graph) >= run_time(calm) - 1e-9);
    CHECK(run_time(scaled) == doctest::Approx(3 * run_time(graph)));
  }
}

TEST_CASE("contention against work that trickles away in small steps") {
  test::Draw draw(24);
  for (int round = 0; round < 40 / test::sanitized_share(10); ++round) {
    const TaskGraph graph = random_graph(draw, draw.whole(2, 14), true, draw.coin());
    CHECK(run_time(graph) == doctest::Approx(trickled(graph, 2e-4)).epsilon(5e-3));
  }
}

}  // namespace epwise::schedule
