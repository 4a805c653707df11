#include "cli/advise/search_progress.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include <fmt/core.h>

namespace epwise::cli {

namespace {

constexpr double kFirst = 0.5;  // seconds before anything is shown
constexpr double kPause = 0.2;  // between two looks of the line
constexpr std::string_view kClear = "\r\x1b[K";

}  // namespace

std::string search_text(std::size_t done, std::size_t most, double left) {
  constexpr std::size_t kWidth = 20;
  const std::size_t whole = std::max<std::size_t>(std::max(done, most), 1);
  const std::size_t full = done * kWidth / whole;
  return fmt::format("searching [{}{}] {} of at most {} combinations, at most {:.0f} s left",
                     std::string(full, '#'),
                     std::string(kWidth - full, '.'),
                     done,
                     whole,
                     std::ceil(std::max(left, 0.0)));
}

SearchProgress::SearchProgress(std::ostream* out, std::size_t most, Clock clock)
    : out_(out),
      most_(most),
      clock_(std::move(clock)),
      begin_(clock_()) {}

void SearchProgress::tell(std::size_t done) {
  const double now = clock_();
  if (out_ == nullptr || done == 0 || now - begin_ < kFirst ||
      (shown_ && now - shown_at_ < kPause)) {
    return;
  }
  const auto rest = static_cast<double>(std::max(most_, done) - done);
  const double left = rest * (now - begin_) / static_cast<double>(done);
  *out_ << kClear << search_text(done, most_, left) << std::flush;
  shown_ = true;
  shown_at_ = now;
}

void SearchProgress::end() {
  if (shown_) {
    *out_ << kClear << std::flush;
    shown_ = false;
  }
}

}  // namespace epwise::cli
