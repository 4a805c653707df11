#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace epwise::explore {

/// How far a search is, and its result.
struct SearchState {
  enum class Kind : std::uint8_t { none, running, done, cancelled, failed };

  Kind kind = Kind::none;
  std::size_t done = 0;  // combinations
  std::size_t planned = 0;
  std::string problem;  // of a search that failed
  std::string advice;   // as `epwise advise --format json` prints it
  std::string page;     // as `epwise advise --format html` writes it
  std::string text;     // that was searched
  /// The text with each plan: first those that are better, then those that are too close to call;
  /// empty where a plan cannot be applied to it.
  std::vector<std::string> plans;
};

/// One search at a time, in a thread of its own.
class SearchTask {
 public:
  SearchTask() = default;
  SearchTask(const SearchTask&) = delete;
  SearchTask& operator=(const SearchTask&) = delete;

  ~SearchTask() { cancel(); }

  /// What a search calls meanwhile.
  struct Reins {
    const std::atomic<bool>* stop = nullptr;
    std::function<void(std::size_t done, std::size_t planned)> progress;
  };

  /// Ends the search that runs, and starts another. `search` returns the result, or throws.
  void start(const std::function<SearchState(const Reins&)>& search);

  /// Waits until it has ended.
  void cancel();

  SearchState state() const;

 private:
  mutable std::mutex mutex_;
  SearchState state_;  // guarded by the mutex
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> done_{0};
  std::atomic<std::size_t> planned_{0};
  std::thread thread_;
};

}  // namespace epwise::explore
