#include "perf/schedule/timeline.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace epwise::schedule {

namespace {

using Interval = std::pair<double, double>;

/// When the stream is at work, as disjoint intervals in order of time.
std::vector<Interval> intervals_of(const Timeline& timeline, int stage, Stream stream) {
  std::vector<Interval> intervals;
  for (const TimelineEvent& event : timeline.events) {
    if (event.task.stage == stage && event.task.stream == stream && event.end > event.start) {
      intervals.emplace_back(event.start, event.end);
    }
  }
  std::ranges::sort(intervals);
  std::vector<Interval> joined;
  for (const Interval& interval : intervals) {
    if (!joined.empty() && interval.first <= joined.back().second) {
      joined.back().second = std::max(joined.back().second, interval.second);
    } else {
      joined.push_back(interval);
    }
  }
  return joined;
}

double length_of(const std::vector<Interval>& intervals) {
  double sum = 0;
  for (const Interval& interval : intervals) {
    sum += interval.second - interval.first;
  }
  return sum;
}

std::string what(const Task& task) {
  std::string text(to_string(task.kind == TaskKind::node ? TaskKind::node : task.kind));
  if (task.kind == TaskKind::node) {
    text = to_string(task.node);
  } else if (task.kind == TaskKind::issue) {
    text += " ";
    text += to_string(task.node);
  }
  if (task.micro_batch >= 0) {
    text += fmt::format(" {}.{}", task.micro_batch, task.chunk);
  }
  if (task.layer >= 0) {
    text += fmt::format(" layer {}", task.layer);
  }
  return text;
}

}  // namespace

double busy_time(const Timeline& timeline, int stage, Stream stream) {
  return length_of(intervals_of(timeline, stage, stream));
}

double exposed_time(const Timeline& timeline, int stage, Stream stream, Stream beside) {
  const auto mine = intervals_of(timeline, stage, stream);
  const auto others = intervals_of(timeline, stage, beside);
  double exposed = length_of(mine);
  std::size_t at = 0;
  for (const Interval& interval : mine) {
    while (at < others.size() && others[at].second <= interval.first) {
      ++at;
    }
    for (std::size_t i = at; i < others.size() && others[i].first < interval.second; ++i) {
      exposed -=
          std::min(interval.second, others[i].second) - std::max(interval.first, others[i].first);
    }
  }
  return exposed;
}

std::string to_text(const Timeline& timeline) {
  std::string text;
  for (const TimelineEvent& event : timeline.events) {
    text += fmt::format("{:9.3f} {:9.3f}  {} {:<8} {}{}\n",
                        event.start * 1e3,
                        event.end * 1e3,
                        event.task.stage,
                        to_string(event.task.stream),
                        what(event.task),
                        event.critical ? " *" : "");
  }
  return text;
}

}  // namespace epwise::schedule
