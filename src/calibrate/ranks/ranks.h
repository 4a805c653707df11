#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::calibrate {

/// Another rank is dead, hung, or sent an unexpected message. The run ends; measurements are kept.
class RankLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;  // "rank 3 (host b, local rank 1): no answer for 60 s"
};

/// The processes of one calibration, one per GPU. All call the same operations in the same order.
/// Every operation ends within the time-out of the run: if a rank is dead or hung, those that wait
/// for it get RankLost.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual int local_rank() const = 0;  // on this host: the index of its GPU
  virtual int local_size() const = 0;

  /// All-gather: the value of every rank, by rank, on every rank.
  virtual std::vector<std::string> all_gather(std::string_view mine) = 0;

  /// Broadcast: the value of rank 0 on every rank (NCCL's unique id).
  virtual std::string broadcast(std::string_view mine) = 0;

  void barrier() { all_gather({}); }
};

/// A run with a single rank.
class OneRank : public Ranks {
 public:
  int rank() const override { return 0; }

  int size() const override { return 1; }

  int local_rank() const override { return 0; }

  int local_size() const override { return 1; }

  std::vector<std::string> all_gather(std::string_view mine) override {
    return {std::string(mine)};
  }

  std::string broadcast(std::string_view mine) override { return std::string(mine); }
};

}  // namespace epwise::calibrate
