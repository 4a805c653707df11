#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace epwise::cli {

/// Runs `work(0)` … `work(count - 1)` on at most `threads` threads; with one thread or one piece of
/// work in this thread and without making any; on fewer if the system has no more. Results go
/// into slots by index, so that their order does not depend on scheduling. What `work` throws is
/// thrown here once all threads have ended.
void run_parallel(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

/// Hands out work to several threads and delivers the results in order.
class OrderedTurns {
 public:
  OrderedTurns(std::size_t count, std::size_t window);

  /// The next piece of work; waits while too many results wait. nullopt: nothing is left, or the
  /// run has failed.
  std::optional<std::size_t> next();

  /// Piece `i` is done; calls `take` for all pieces that are next in order, unless another thread
  /// is doing so.
  void done(std::size_t i, const std::function<void(std::size_t)>& take);

  /// Nothing more is begun; `rethrow` throws this, unless something else came first.
  void fail(std::exception_ptr failure);

  /// Throws what `take` threw, or `fail` was given.
  void rethrow() const;

 private:
  std::mutex mutex_;
  std::condition_variable moved_;
  std::size_t count_;
  std::vector<char> ready_;  // by index modulo window
  std::size_t given_ = 0;
  std::size_t taken_ = 0;
  bool taking_ = false;
  std::exception_ptr failure_;
};

/// Runs `work(0)` … `work(count - 1)` as run_parallel does and hands every result to `take` in the
/// order of the indices, one at a time, while others are worked on; at most `kAhead` results a
/// thread wait. What `work` or `take` throws ends the run and is thrown here.
template <class Result>
void run_in_order(std::size_t count,
                  int threads,
                  const std::function<Result(std::size_t)>& work,
                  const std::function<void(std::size_t, Result)>& take) {
  constexpr std::size_t kAhead = 16;
  const std::size_t width = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::max(threads, 1)), 1, std::max<std::size_t>(count, 1));
  std::vector<std::optional<Result>> ready(kAhead * width);
  OrderedTurns turns(count, ready.size());
  run_parallel(width, static_cast<int>(width), [&](std::size_t) {
    try {
      while (const auto i = turns.next()) {
        ready[*i % ready.size()] = work(*i);
        turns.done(*i, [&](std::size_t j) {
          Result result = std::move(*ready[j % ready.size()]);
          ready[j % ready.size()].reset();
          take(j, std::move(result));
        });
      }
    } catch (...) {
      turns.fail(std::current_exception());  // the others would wait for this result
    }
  });
  turns.rethrow();
}

/// Number of threads for `count` files without -j: one for a few files, at most 8.
int default_threads(std::size_t count);

}  // namespace epwise::cli
