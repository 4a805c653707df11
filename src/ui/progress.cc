#include "ui/progress.h"

#include <chrono>
#include <cmath>
#include <ostream>
#include <utility>

#include <fmt/core.h>

namespace epwise::cli {

namespace {

constexpr double kFirst = 1.0;  // seconds before anything is shown
constexpr double kPause = 0.2;  // between two updates of the line
constexpr std::string_view kClear = "\r\x1b[K";

std::string duration(double seconds) {
  constexpr double kMinute = 60;
  return seconds < 2 * kMinute ? fmt::format("{:.0f} s", std::ceil(seconds))
                               : fmt::format("{:.0f} min", std::ceil(seconds / kMinute));
}

}  // namespace

Clock steady_clock() {
  return [] {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
  };
}

std::string progress_text(std::string_view verb,
                          std::size_t done,
                          std::size_t total,
                          double passed) {
  std::string text = fmt::format("{}: {} of {} files", verb, done, total);
  if (done > 0 && done < total) {
    const auto left = static_cast<double>(total - done) * passed / static_cast<double>(done);
    text += fmt::format(", {} left", duration(left));
  }
  return text;
}

Progress::Progress(std::ostream* out, std::string verb, std::size_t total, Clock clock)
    : out_(out),
      verb_(std::move(verb)),
      total_(total),
      clock_(std::move(clock)),
      begin_(clock_()),
      shown_at_(begin_) {}

Progress::~Progress() {
  if (shown_) {
    *out_ << kClear << std::flush;
  }
}

void Progress::advance() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++done_;
  const double now = clock_();
  if (out_ == nullptr || now - begin_ < kFirst || (shown_ && now - shown_at_ < kPause)) {
    return;
  }
  *out_ << kClear << progress_text(verb_, done_, total_, now - begin_) << std::flush;
  shown_ = true;
  shown_at_ = now;
}

}  // namespace epwise::cli
