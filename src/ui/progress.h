#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>
#include <string_view>

namespace epwise::cli {

/// Seconds since an arbitrary moment.
using Clock = std::function<double()>;

Clock steady_clock();

/// ("fixing", 12, 40, 6 s) → "fixing: 12 of 40 files, 14 s left"; in minutes from two minutes on;
/// without the time before the first file is done.
std::string progress_text(std::string_view verb,
                          std::size_t done,
                          std::size_t total,
                          double passed);

/// A progress line on a terminal, shown after the first second and removed at the end. Thread-safe.
class Progress {
 public:
  /// `out` is a terminal; null pointer: show nothing.
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
