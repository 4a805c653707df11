#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>
#include <string_view>

namespace epwise::cli {

/// Seconds since some moment.
using Clock = std::function<double()>;

Clock steady_clock();

/// ("fixing", 12, 40, 6 s) → "fixing: 12 of 40 files, 14 s left"; minutes from two on; without the
/// time while none is done.
std::string progress_text(std::string_view verb,
                          std::size_t done,
                          std::size_t total,
                          double passed);

/// A line on a terminal that tells how far a run is, from its first second on; it goes when the run
/// ends. Safe to use from several threads.
class Progress {
 public:
  /// `out` is a terminal; null pointer: nothing is shown.
  Progress(std::ostream* out, std::string verb, std::size_t total, Clock clock = steady_clock());
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// One more file is done.
  void advance();

 private:
  std::ostream* out_;
  std::string verb_;
  std::size_t total_;
  Clock clock_;
  double begin_;
  double shown_at_;
  std::size_t done_ = 0;
  bool shown_ = false;
  std::mutex mutex_;
};

}  // namespace epwise::cli
