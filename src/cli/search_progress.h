#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "cli/progress.h"

namespace epwise::cli {

/// (3120, 400, 3 s) → "searching: 3120 combinations, 400 in hand, at most 3 s left".
std::string search_text(std::size_t done, std::size_t planned, double left);

/// A line on a terminal that tells how far a search is, from its first half second on; it goes when
/// the search ends.
class SearchProgress {
 public:
  /// `out` is a terminal; null pointer: nothing is shown. `limit`: seconds that the search may
  /// take.
  explicit SearchProgress(std::ostream* out, double limit = 4, Clock clock = steady_clock());
  SearchProgress(const SearchProgress&) = delete;
  SearchProgress& operator=(const SearchProgress&) = delete;

  ~SearchProgress() { end(); }

  void tell(std::size_t done, std::size_t planned);
  void end();

 private:
  std::ostream* out_;
  double limit_;
  Clock clock_;
  double begin_;
  double shown_at_ = 0;
  bool shown_ = false;
};

}  // namespace epwise::cli
