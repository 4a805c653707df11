#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "schedule/run_state.h"

namespace epwise::schedule {

namespace {

/// Something that happens to a task. At equal moments ends come before starts, then smaller
/// numbers.
enum class Happens : std::uint8_t { done, starts };

struct Moment {
  double time = 0;
  Happens what = Happens::starts;
  int task = 0;
  unsigned version = 0;  // of the task's end: older ones no longer hold

  bool operator>(const Moment& other) const {
    return std::tie(time, what, task) > std::tie(other.time, other.what, other.task);
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
    double rate = 1;
    unsigned version = 0;
    int end_cause = -1;
    bool running = false;
    bool worked = false;  // no work left; waits for its end's waits
  };

  Progress& at(int task) { return progress_[static_cast<std::size_t>(task)]; }

  const Task& task_of(int task) const { return graph_.tasks()[static_cast<std::size_t>(task)]; }

  void collect();
  void arrive(int task, Wait wait, double moment, int cause);
  void start(int task, double now);
  void finish(int task, double now);
  void work_done(int task, double now);
  void tell(int task, double now, bool started);
  int& gpu_slot(const Task& task);
  int other_gpu(const Task& task) const;
  void set_rate(int task, double now);

  const TaskGraph& graph_;
  RunState state_;
  std::vector<Progress> progress_;
  std::vector<std::size_t> first_out_;
  std::vector<Outgoing> out_;
  std::vector<int> at_work_;  // two GPU streams a stage
  std::priority_queue<Moment, std::vector<Moment>, std::greater<>> moments_;
};

bool is_gpu(const Task& task) {
  return task.stream == Stream::compute || task.stream == Stream::comm;
}

ContendedRun::ContendedRun(const TaskGraph& graph)
    : graph_(graph),
      progress_(static_cast<std::size_t>(graph.size())),
      at_work_(2 * static_cast<std::size_t>(graph.stages()), -1) {
  const auto count = progress_.size();
  state_ = {std::vector<double>(count), std::vector<double>(count), std::vector<int>(count, -1)};
  collect();
  for (int task = 0; task < graph.size(); ++task) {
    if (at(task).open == 0) {
      moments_.push({0, Happens::starts, task, 0});
    }
  }
  while (!moments_.empty()) {
    const Moment moment = moments_.top();
    moments_.pop();
    if (moment.what == Happens::starts) {
      start(moment.task, moment.time);
    } else if (at(moment.task).version == moment.version) {
      work_done(moment.task, moment.time);
    }
  }
}

RunState ContendedRun::take() && {
  return std::move(state_);
}

/// Who waits for whom, streams included, the other way round from how the graph stores it.
void ContendedRun::collect() {
  std::vector<std::pair<int, Outgoing>> links;
  links.reserve(static_cast<std::size_t>(graph_.link_count() + graph_.size()));
  std::vector<int> previous(static_cast<std::size_t>(graph_.stages()) * kStreamCount, -1);
  for (int task = 0; task < graph_.size(); ++task) {
    at(task).work = task_of(task).duration;
    if (task_of(task).stream != Stream::wire) {
      int& before = previous[static_cast<std::size_t>(task_of(task).stage) * kStreamCount +
                             static_cast<std::size_t>(task_of(task).stream)];
      if (before >= 0) {
        links.push_back({before, {task, Wait::end_to_start, 0}});
      }
      before = task;
    }
    for (const Link& link : graph_.links(task)) {
      if (link.lag < 0) {
        throw std::logic_error("a negative lag in a contended run");
      }
      links.push_back({link.before, {task, link.wait, link.lag}});
    }
  }
  first_out_.assign(progress_.size() + 1, 0);
  for (const auto& [before, link] : links) {
    ++first_out_[static_cast<std::size_t>(before) + 1];
    ++(link.wait == Wait::end_to_end ? at(link.after).open_end : at(link.after).open);
  }
  for (std::size_t i = 1; i < first_out_.size(); ++i) {
    first_out_[i] += first_out_[i - 1];
  }
  std::vector<std::size_t> next(first_out_.begin(), first_out_.end() - 1);
  out_.resize(links.size());
  for (const auto& [before, link] : links) {
    out_[next[static_cast<std::size_t>(before)]++] = link;
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
  if (--progress.open == 0) {
    moments_.push({progress.ready, Happens::starts, task, 0});
  }
}

int& ContendedRun::gpu_slot(const Task& task) {
  return at_work_[2 * static_cast<std::size_t>(task.stage) +
                  (task.stream == Stream::compute ? 0 : 1)];
}

int ContendedRun::other_gpu(const Task& task) const {
  return at_work_[2 * static_cast<std::size_t>(task.stage) +
                  (task.stream == Stream::compute ? 1 : 0)];
}

/// Books the work done so far and says when the rest will be, at the rate that holds from now on.
void ContendedRun::set_rate(int task, double now) {
  Progress& progress = at(task);
  progress.work = std::max(0.0, progress.work - (now - progress.since) * progress.rate);
  progress.since = now;
  const bool beside = is_gpu(task_of(task)) && other_gpu(task_of(task)) >= 0;
  progress.rate = beside ? 1 / task_of(task).slowdown : 1;
  ++progress.version;
  moments_.push({now + progress.work / progress.rate, Happens::done, task, progress.version});
}

void ContendedRun::start(int task, double now) {
  state_.start[static_cast<std::size_t>(task)] = now;
  Progress& progress = at(task);
  progress.running = true;
  progress.since = now;
  if (is_gpu(task_of(task)) && progress.work > 0) {
    gpu_slot(task_of(task)) = task;
    if (const int other = other_gpu(task_of(task)); other >= 0) {
      set_rate(other, now);
    }
  }
  set_rate(task, now);
  tell(task, now, true);
}

void ContendedRun::work_done(int task, double now) {
  Progress& progress = at(task);
  progress.worked = true;
  progress.since = now;
  if (is_gpu(task_of(task)) && gpu_slot(task_of(task)) == task) {
    gpu_slot(task_of(task)) = -1;
    if (const int other = other_gpu(task_of(task)); other >= 0) {
      set_rate(other, now);
    }
  }
  if (progress.open_end == 0) {
    finish(task, std::max(now, progress.end_bound));
  }
}

void ContendedRun::finish(int task, double now) {
  state_.end[static_cast<std::size_t>(task)] = now;
  if (at(task).end_cause >= 0 && now > at(task).since) {
    state_.cause[static_cast<std::size_t>(task)] = at(task).end_cause;
  }
  tell(task, now, false);
}

void ContendedRun::tell(int task, double now, bool started) {
  const auto index = static_cast<std::size_t>(task);
  for (std::size_t i = first_out_[index]; i < first_out_[index + 1]; ++i) {
    if ((out_[i].wait == Wait::start_to_start) == started) {
      arrive(out_[i].after, out_[i].wait, now + out_[i].lag, task);
    }
  }
}

}  // namespace

RunState run_contended(const TaskGraph& graph) {
  return ContendedRun(graph).take();
}

}  // namespace epwise::schedule
