#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "cli/progress.h"

namespace epwise::cli {

/// (1500, 3000, 3 s) → "searching [##########..........] 1500 of at most 3000 combinations, at most
/// 3 s left".
std::string search_text(std::size_t done, std::size_t most, double left);

/// A line on a terminal that tells how far a search is, from its first half second on; it goes when
/// the search ends.
class SearchProgress {
 public:
  /// `out` is a terminal; null pointer: nothing is shown. `most`: combinations that the search
  /// looks at if it doesn't end before.
  explicit SearchProgress(std::ostream* out, std::size_t most = 3000, Clock clock = steady_clock());
  SearchProgress(const SearchProgress&) = delete;
  SearchProgress& operator=(const SearchProgress&) = delete;

  ~SearchProgress() { end(); }

  void tell(std::size_t done);
  void end();

 private:
  std::ostream* out_;
  std::size_t most_;
  Clock clock_;
  double begin_;
  double shown_at_ = 0;
  bool shown_ = false;
};

}  // namespace epwise::cli
