#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace epwise::report {

/// Keeps the texts with the highest ranks, up to a number of texts and bytes; of equal ranks the
/// first ones.
class Ranking {
 public:
  struct Entry {
    int rank = 0;
    std::size_t sequence = 0;  // order of arrival
    std::string text;
  };

  explicit Ranking(std::size_t most, std::size_t most_bytes = static_cast<std::size_t>(-1))
      : most_(most),
        most_bytes_(most_bytes) {}

  /// Whether a text of this rank would be kept, judging by their number.
  bool takes(int rank) const {
    return kept_ < most_ || (most_ > 0 && rank > entries_.rbegin()->first);
  }

  void add(int rank, std::size_t sequence, std::string text);

  std::size_t kept() const { return kept_; }

  /// The highest first; leaves this empty.
  std::vector<Entry> take();

 private:
  std::size_t most_;
  std::size_t most_bytes_;
  std::size_t kept_ = 0;
  std::size_t bytes_ = 0;
  std::map<int, std::deque<Entry>, std::greater<>> entries_;
};

}  // namespace epwise::report
