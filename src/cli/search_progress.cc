#include "cli/search_progress.h"

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

std::string search_text(std::size_t done, std::size_t planned, double left) {
  return fmt::format("searching: {} combinations, {} in hand, at most {:.0f} s left",
                     done,
                     planned - std::min(done, planned),
                     std::ceil(std::max(left, 0.0)));
}

SearchProgress::SearchProgress(std::ostream* out, double limit, Clock clock)
    : out_(out),
      limit_(limit),
      clock_(std::move(clock)),
      begin_(clock_()) {}

void SearchProgress::tell(std::size_t done, std::size_t planned) {
  const double now = clock_();
  if (out_ == nullptr || now - begin_ < kFirst || (shown_ && now - shown_at_ < kPause)) {
    return;
  }
  *out_ << kClear << search_text(done, planned, limit_ - (now - begin_)) << std::flush;
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
