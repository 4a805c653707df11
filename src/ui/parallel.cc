#include "ui/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "base/os/workers.h"

namespace epwise::cli {

void run_parallel(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  const std::size_t width = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
  std::atomic<std::size_t> next{0};
  const auto take = [&next, count, &work] {
    for (std::size_t i = next++; i < count; i = next++) {
      work(i);
    }
  };
  os::run_workers(width, [&take](std::size_t /*worker*/) { take(); });
}

OrderedTurns::OrderedTurns(std::size_t count, std::size_t window)
    : count_(count),
      ready_(window, 0) {}

std::optional<std::size_t> OrderedTurns::next() {
  std::unique_lock lock(mutex_);
  moved_.wait(lock, [this] {
    return failure_ != nullptr || given_ == count_ || given_ < taken_ + ready_.size();
  });
  return failure_ != nullptr || given_ == count_ ? std::nullopt : std::optional(given_++);
}

void OrderedTurns::done(std::size_t i, const std::function<void(std::size_t)>& take) {
  std::unique_lock lock(mutex_);
  ready_[i % ready_.size()] = 1;
  if (taking_) {
    return;
  }
  taking_ = true;
  while (failure_ == nullptr && taken_ < count_ && ready_[taken_ % ready_.size()] != 0) {
    ready_[taken_ % ready_.size()] = 0;
    lock.unlock();
    std::exception_ptr failure;
    try {
      take(taken_);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure_ == nullptr ? failure : failure_;
    ++taken_;
    moved_.notify_all();
  }
  taking_ = false;
}

void OrderedTurns::fail(std::exception_ptr failure) {
  const std::scoped_lock lock(mutex_);
  failure_ = failure_ == nullptr ? std::move(failure) : failure_;
  moved_.notify_all();
}

void OrderedTurns::rethrow() const {
  if (failure_ != nullptr) {
    std::rethrow_exception(failure_);
  }
}

int default_threads(std::size_t count) {
  // below that, starting a thread costs more than it saves
  constexpr std::size_t kFilesPerThread = 8;
  constexpr std::size_t kMost = 8;
  const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1U);
  return static_cast<int>(
      std::clamp<std::size_t>(count / kFilesPerThread, 1, std::min(cores, kMost)));
}

}  // namespace epwise::cli
