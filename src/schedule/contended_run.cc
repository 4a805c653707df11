#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>
#include <vector>

#include "schedule/run_state.h"

namespace epwise::schedule {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// The moments at which the lanes' tasks are done, the earliest at hand: a tournament, because a
/// change of rate moves a moment and a heap would keep the stale one. Which of several lanes with
/// equal moments wins depends on their numbers and on which of them changed last, on nothing else.
class LaneClock {
 public:
  explicit LaneClock(std::size_t lanes) {
    while (leaves_ < lanes) {
      leaves_ *= 2;
    }
    moments_.assign(leaves_, kNever);
    changed_.assign(leaves_, 0);
    winners_.resize(2 * leaves_);
    for (std::size_t i = 0; i < leaves_; ++i) {
      winners_[leaves_ + i] = i;
    }
    for (std::size_t i = leaves_ - 1; i > 0; --i) {
      winners_[i] = winners_[2 * i];
    }
  }

  /// Takes effect with the next `settle`: most lanes change twice at one moment.
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

/// What comes later than the lanes know: a start behind a lag, a tensor that arrives over the wire.
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
    int open = 0;          // waits that have not happened
    int open_end = 0;      // waits of its end
    double ready = 0;      // the latest moment that its start waited for
    double end_bound = 0;  // the latest moment that its end waited for
    double work = 0;       // seconds left, undisturbed
    double since = 0;      // moment at which `work` held
    double slowdown = 1;
    int next = -1;  // on its stream
    int lane = -1;  // −1: the wire
    int end_cause = -1;
    bool worked = false;     // no work left; waits for its end's waits
    bool announced = false;  // somebody waits for its start
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

  static constexpr int kLanes = 4;  // of a stage: its streams without the wire

  const TaskGraph& graph_;
  RunState state_;
  std::vector<Progress> progress_;
  std::vector<std::size_t> first_out_;
  std::vector<Outgoing> out_;
  std::vector<int> at_work_;  // by lane; -1: none
  LaneClock clock_;
  double now_ = 0;
  std::vector<int> ready_;  // may start now
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

/// From moment to moment. Whatever a moment sets free starts at it, before the next one is looked
/// at; in which order does not matter, because no time passes.
void ContendedRun::run() {
  while (true) {
    clock_.settle();
    const double lanes = clock_.moment();
    const double others = later_.empty() ? kNever : later_.top().time;
    if (lanes == kNever && others == kNever) {
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

/// Who waits for whom, the other way round from how the graph stores it.
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

/// What is at work on the stage's other GPU stream; -1: nothing, or the lane is none of the GPU.
int ContendedRun::beside(int lane) const {
  return (static_cast<unsigned>(lane) & 2U) != 0 ? -1
                                                 : at_work_[static_cast<std::size_t>(lane ^ 1)];
}

/// Books the work done so far and says when the rest will be, at the rate that holds from now on.
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
    clock_.set(static_cast<std::size_t>(progress.lane), kNever);
    if (const int other = beside(progress.lane); other >= 0) {
      set_rate(other, false);
    }
  }
  if (progress.open_end == 0) {
    finish(task, std::max(now_, progress.end_bound));
  }
}

/// `moment` may be still to come: an end that waited for the host's.
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
