#include "perf/schedule/event_engine.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>
#include <vector>

namespace epwise::schedule {

namespace {

bool is_contended(const TaskGraph& graph) {
  return std::ranges::any_of(graph.tasks(), [](const Task& task) { return task.slowdown > 1; });
}

RunState run_graph(const TaskGraph& graph) {
  return is_contended(graph) ? run_contended(graph) : run_undisturbed(graph);
}

std::vector<bool> critical_tasks(const RunState& state) {
  std::vector<bool> critical(state.end.size(), false);
  const auto last = std::ranges::max_element(state.end);
  int task = last == state.end.end() ? -1 : static_cast<int>(last - state.end.begin());
  while (task >= 0) {
    critical[static_cast<std::size_t>(task)] = true;
    task = state.cause[static_cast<std::size_t>(task)];
  }
  return critical;
}

}  // namespace

Timeline run(const TaskGraph& graph) {
  const RunState state = run_graph(graph);
  const std::vector<bool> critical = critical_tasks(state);
  Timeline timeline;
  timeline.seconds = state.last();
  timeline.events.resize(state.end.size());
  auto next = timeline.events.begin();
  for (std::size_t i = 0; i < state.end.size(); ++i) {
    if (graph.tasks()[i].kind != TaskKind::meet) {
      next->start = state.start[i];
      next->end = state.end[i];
      next->task = graph.tasks()[i];
      next->critical = critical[i];
      ++next;
    }
  }
  timeline.events.erase(next, timeline.events.end());
  return timeline;
}

double run_time(const TaskGraph& graph) {
  return run_graph(graph).last();
}

namespace {

std::size_t queue_of(const Task& task) {
  return static_cast<std::size_t>(task.stage) * kStreamCount +
         static_cast<std::size_t>(task.stream);
}

}  // namespace

double RunState::last() const {
  double last = 0;
  for (const double moment : end) {
    last = std::max(last, moment);
  }
  return last;
}

RunState run_undisturbed(const TaskGraph& graph) {
  const auto count = static_cast<std::size_t>(graph.size());
  RunState state{std::vector<double>(count), std::vector<double>(count), std::vector<int>(count)};
  std::vector<int> previous(static_cast<std::size_t>(graph.stages()) * kStreamCount, -1);
  for (std::size_t i = 0; i < count; ++i) {
    const Task& task = graph.tasks()[i];
    double start = 0;
    int cause = -1;
    if (task.stream != Stream::wire) {
      int& before = previous[queue_of(task)];
      if (before >= 0) {
        start = state.end[static_cast<std::size_t>(before)];
        cause = before;
      }
      before = static_cast<int>(i);
    }
    double end = 0;
    int holds_end = -1;
    for (const Link& link : graph.links(static_cast<int>(i))) {
      const auto before = static_cast<std::size_t>(link.before);
      const double moment =
          (link.wait == Wait::start_to_start ? state.start[before] : state.end[before]) + link.lag;
      if (link.wait == Wait::end_to_end) {
        if (moment > end) {
          end = moment;
          holds_end = link.before;
        }
      } else if (moment > start || cause < 0) {
        start = std::max(start, moment);
        cause = link.before;
      }
    }
    if (start + task.duration >= end) {
      end = start + task.duration;
    } else {
      cause = holds_end;
    }
    state.start[i] = start;
    state.end[i] = end;
    state.cause[i] = cause;
  }
  return state;
}

namespace {

constexpr double kNeverHappens = std::numeric_limits<double>::infinity();

/// The completion times of the lanes' tasks, earliest first: a tournament tree, because a change of
/// rate moves a time and a heap would keep the stale one. Which of several lanes with equal times
/// wins depends only on their numbers and on which of them changed last.
class LaneClock {
 public:
  explicit LaneClock(std::size_t lanes) {
    while (leaves_ < lanes) {
      leaves_ *= 2;
    }
    moments_.assign(leaves_, kNeverHappens);
    changed_.assign(leaves_, 0);
    winners_.resize(2 * leaves_);
    for (std::size_t i = 0; i < leaves_; ++i) {
      winners_[leaves_ + i] = i;
    }
    for (std::size_t i = leaves_ - 1; i > 0; --i) {
      winners_[i] = winners_[2 * i];
    }
  }

  /// Takes effect with the next `settle`: most lanes change twice at one time.
  void set(std::size_t lane, double moment) {
    moments_[lane] = moment;
    if (changed_[lane] == 0) {
      changed_[lane] = 1;
      changes_.push_back(lane);
    }
  }

  void settle() {
    for (const std::size_t lane : changes_) {
      changed_[lane] = 0;
      climb(lane);
    }
    changes_.clear();
  }

  std::size_t first() const { return winners_[1]; }

  double moment() const { return moments_[winners_[1]]; }

 private:
  void climb(std::size_t lane) {
    std::size_t winner = lane;
    for (std::size_t i = leaves_ + lane; i > 1; i /= 2) {
      const std::size_t rival = winners_[i ^ 1];
      winner = moments_[rival] < moments_[winner] ? rival : winner;
      winners_[i / 2] = winner;
    }
  }

  std::size_t leaves_ = 2;
  std::vector<double> moments_;
  std::vector<std::size_t> winners_;  // from the root at 1 down to the lanes themselves
  std::vector<char> changed_;
  std::vector<std::size_t> changes_;
};

/// Events later than the lanes: a start after a lag, a tensor arriving over the wire.
struct Later {
  double time = 0;
  int task = 0;
  bool done = false;

  bool operator>(const Later& other) const {
    return time != other.time ? time > other.time : task > other.task;
  }
};

struct Outgoing {
  int after = 0;
  Wait wait = Wait::end_to_start;
  double lag = 0;
};

class ContendedRun {
 public:
  explicit ContendedRun(const TaskGraph& graph);

  RunState take() &&;

 private:
  struct Progress {
    int open = 0;          // unsatisfied dependencies
    int open_end = 0;      // dependencies of its end
    double ready = 0;      // the latest time its start waited for
    double end_bound = 0;  // the latest time its end waited for
    double work = 0;       // remaining seconds without contention
    double since = 0;      // time at which `work` was valid
    double slowdown = 1;
    int next = -1;  // on its stream
    int lane = -1;  // −1: the wire
    int end_cause = -1;
    bool worked = false;     // no work left; waits for the dependencies of its end
    bool announced = false;  // another task waits for its start
  };

  Progress& at(int task) { return progress_[static_cast<std::size_t>(task)]; }

  const Task& task_of(int task) const { return graph_.tasks()[static_cast<std::size_t>(task)]; }

  void collect();
  void run();
  void start_ready();
  void arrive(int task, Wait wait, double moment, int cause);
  void start(int task);
  void finish(int task, double moment);
  void work_done(int task);
  void tell(int task, double moment, bool started);
  int beside(int lane) const;
  void set_rate(int task, bool disturbed);

  int& at_work(int lane) { return at_work_[static_cast<std::size_t>(lane)]; }

  static constexpr int kLanes = 4;  // of a stage: its streams except the wire

  const TaskGraph& graph_;
  RunState state_;
  std::vector<Progress> progress_;
  std::vector<std::size_t> first_out_;
  std::vector<Outgoing> out_;
  std::vector<int> at_work_;  // by lane; -1: none
  LaneClock clock_;
  double now_ = 0;
  std::vector<int> ready_;  // ready to start
  std::priority_queue<Later, std::vector<Later>, std::greater<>> later_;
};

static_assert(Stream::compute == Stream{0} && Stream::comm == Stream{1} &&
              Stream::wire == Stream{4});

ContendedRun::ContendedRun(const TaskGraph& graph)
    : graph_(graph),
      progress_(static_cast<std::size_t>(graph.size())),
      at_work_(static_cast<std::size_t>(kLanes * graph.stages()), -1),
      clock_(at_work_.size()) {
  const auto count = progress_.size();
  state_ = {std::vector<double>(count), std::vector<double>(count), std::vector<int>(count, -1)};
  collect();
  for (int task = 0; task < graph.size(); ++task) {
    if (at(task).open == 0) {
      ready_.push_back(task);
    }
  }
  start_ready();
  run();
}

RunState ContendedRun::take() && {
  return std::move(state_);
}

/// From event to event. Everything released at a time starts then, before the next event is
/// processed; the order does not matter, because no time passes.
void ContendedRun::run() {
  while (true) {
    clock_.settle();
    const double lanes = clock_.moment();
    const double others = later_.empty() ? kNeverHappens : later_.top().time;
    if (lanes == kNeverHappens && others == kNeverHappens) {
      return;
    }
    now_ = std::min(lanes, others);
    if (lanes <= others) {
      work_done(at_work_[clock_.first()]);
    } else {
      const Later next = later_.top();
      later_.pop();
      if (next.done) {
        work_done(next.task);
      } else {
        ready_.push_back(next.task);
      }
    }
    start_ready();
  }
}

void ContendedRun::start_ready() {
  while (!ready_.empty()) {
    const int task = ready_.back();
    ready_.pop_back();
    start(task);
  }
}

/// The dependencies reversed with respect to the graph's storage.
void ContendedRun::collect() {
  std::vector<int> previous(at_work_.size(), -1);
  first_out_.assign(progress_.size() + 1, 0);
  for (int task = 0; task < graph_.size(); ++task) {
    Progress& progress = at(task);
    progress.work = task_of(task).duration;
    if (task_of(task).stream != Stream::wire) {
      progress.lane = kLanes * task_of(task).stage + static_cast<int>(task_of(task).stream);
      int& before = previous[static_cast<std::size_t>(progress.lane)];
      if (before >= 0) {
        at(before).next = task;
        ++progress.open;
      }
      before = task;
    }
    for (const Link& link : graph_.links(task)) {
      if (link.lag < 0) {
        throw std::logic_error("a negative lag in a contended run");
      }
      ++first_out_[static_cast<std::size_t>(link.before) + 1];
      ++(link.wait == Wait::end_to_end ? progress.open_end : progress.open);
      at(link.before).announced |= link.wait == Wait::start_to_start;
    }
  }
  for (std::size_t i = 1; i < first_out_.size(); ++i) {
    first_out_[i] += first_out_[i - 1];
  }
  std::vector<std::size_t> next(first_out_.begin(), first_out_.end() - 1);
  out_.resize(first_out_.back());
  for (int task = 0; task < graph_.size(); ++task) {
    for (const Link& link : graph_.links(task)) {
      out_[next[static_cast<std::size_t>(link.before)]++] = {task, link.wait, link.lag};
    }
  }
}

void ContendedRun::arrive(int task, Wait wait, double moment, int cause) {
  Progress& progress = at(task);
  if (wait == Wait::end_to_end) {
    if (moment >= progress.end_bound) {
      progress.end_bound = moment;
      progress.end_cause = cause;
    }
    --progress.open_end;
    if (progress.worked && progress.open_end == 0) {
      finish(task, std::max(progress.since, progress.end_bound));
    }
    return;
  }
  if (moment >= progress.ready) {
    progress.ready = moment;
    state_.cause[static_cast<std::size_t>(task)] = cause;
  }
  if (--progress.open > 0) {
    return;
  }
  if (progress.ready <= now_) {
    ready_.push_back(task);
  } else {
    later_.push({progress.ready, task, false});
  }
}

/// The task on the stage's other GPU stream; -1: none, or the lane does not belong to the GPU.
int ContendedRun::beside(int lane) const {
  return (static_cast<unsigned>(lane) & 2U) != 0 ? -1
                                                 : at_work_[static_cast<std::size_t>(lane ^ 1)];
}

/// Records the work done so far and returns when the rest will be done at the current rate.
void ContendedRun::set_rate(int task, bool disturbed) {
  Progress& progress = at(task);
  progress.work = std::max(0.0, progress.work - (now_ - progress.since) / progress.slowdown);
  progress.since = now_;
  progress.slowdown = disturbed ? task_of(task).slowdown : 1;
  clock_.set(static_cast<std::size_t>(progress.lane), now_ + progress.work * progress.slowdown);
}

void ContendedRun::start(int task) {
  state_.start[static_cast<std::size_t>(task)] = now_;
  Progress& progress = at(task);
  progress.since = now_;
  if (progress.announced) {
    tell(task, now_, true);
  }
  if (progress.work <= 0) {
    work_done(task);
    return;
  }
  if (progress.lane < 0) {
    later_.push({now_ + progress.work, task, true});
    return;
  }
  at_work(progress.lane) = task;
  const int other = beside(progress.lane);
  if (other >= 0) {
    set_rate(other, true);
  }
  set_rate(task, other >= 0);
}

void ContendedRun::work_done(int task) {
  Progress& progress = at(task);
  progress.worked = true;
  progress.since = now_;
  if (progress.lane >= 0 && at_work(progress.lane) == task) {
    at_work(progress.lane) = -1;
    clock_.set(static_cast<std::size_t>(progress.lane), kNeverHappens);
    if (const int other = beside(progress.lane); other >= 0) {
      set_rate(other, false);
    }
  }
  if (progress.open_end == 0) {
    finish(task, std::max(now_, progress.end_bound));
  }
}

/// `moment` may be in the future: an end that waited for the host's.
void ContendedRun::finish(int task, double moment) {
  state_.end[static_cast<std::size_t>(task)] = moment;
  if (at(task).end_cause >= 0 && moment > at(task).since) {
    state_.cause[static_cast<std::size_t>(task)] = at(task).end_cause;
  }
  tell(task, moment, false);
}

void ContendedRun::tell(int task, double moment, bool started) {
  const auto index = static_cast<std::size_t>(task);
  if (!started && at(task).next >= 0) {
    arrive(at(task).next, Wait::end_to_start, moment, task);
  }
  for (std::size_t i = first_out_[index]; i < first_out_[index + 1]; ++i) {
    if ((out_[i].wait == Wait::start_to_start) == started) {
      arrive(out_[i].after, out_[i].wait, moment + out_[i].lag, task);
    }
  }
}

}  // namespace

RunState run_contended(const TaskGraph& graph) {
  return ContendedRun(graph).take();
}

}  // namespace epwise::schedule
