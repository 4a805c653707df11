#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/abi/exchange.h"
#include "gpu/abi/routing.h"
#include "gpu/cuda/job.h"

/// Counts and offsets of all transfers, for one rank of an exchange. In loopback there is one GPU:
/// its tokens go to `ranks` regions of its own memory.

namespace epwise::cuda {

/// A rank, region or channel as the index of a vector.
constexpr std::size_t as_index(int number) {
  return static_cast<std::size_t>(number);
}

struct ExchangeTables {
  int ranks = 0;
  int me = 0;  // 0 in loopback
  bool loopback = true;
  abi::Routing routing;                      // of the local tokens
  abi::Copies copies;                        // of the local tokens
  abi::ChannelCopies channels;               // of the local tokens
  std::vector<abi::Copies> all;              // of every rank; in loopback only the local ones
  std::vector<std::int64_t> land;            // [ranks]: first row on rank r for local tokens
  std::vector<std::int64_t> from;            // [ranks]: first local row for tokens of rank r
  std::vector<std::int64_t> home;            // [ranks]: first local row for rows returned from r
  std::vector<std::int32_t> arriving;        // [ranks]: rows received from rank r
  std::int64_t received = 0;                 // of `arriving`
  std::vector<std::int32_t> receive_counts;  // [ranks, channels]
  std::vector<std::int32_t> receive_starts;  // [ranks, channels], `from` added
};

/// The routing of every rank has its own seed: `seed` + rank.
ExchangeTables exchange_tables(std::int32_t tokens,
                               std::int32_t topk,
                               std::int32_t experts,
                               int ranks,
                               int me,
                               bool loopback,
                               int channels,
                               std::uint64_t seed);

/// Sizes and launch of one exchange.
struct ExchangeShape {
  calibrate::Kernel kernel = calibrate::Kernel::dispatch;
  calibrate::Structure structure = calibrate::Structure::direct;
  std::int32_t tokens = 0;
  std::int32_t topk = 0;
  std::int32_t experts = 0;
  std::int64_t hidden = 0;
  bool fp8 = false;
  int sms = 0;
  std::uint32_t pace = 0;  // ns for 2^20 bytes
  std::uint32_t row_bytes = 0;
  std::uint32_t slot_bytes = 0;  // for a dispatch with the tail, otherwise the row's
  std::uint32_t stages = 0;
  std::uint32_t piece_bytes = 0;
  LaunchShape launch = {};

  bool is_dispatch() const { return kernel == calibrate::Kernel::dispatch; }

  int channels() const { return structure == calibrate::Structure::staged ? sms / 2 : 1; }
};

/// Maximum number of stamped runs in one round.
constexpr int kStampedRuns = 64;

/// The memory of one exchange on this rank and, mapped, on its peers; with all tables filled in.
class ExchangeMemory {
 public:
  /// Maps peers' memory unless the exchange is a loopback: a collective call.
  ExchangeMemory(JobContext& context,
                 const ExchangeShape& shape,
                 ExchangeTables tables,
                 std::uint64_t seed);
  ~ExchangeMemory();
  ExchangeMemory(const ExchangeMemory&) = delete;
  ExchangeMemory& operator=(const ExchangeMemory&) = delete;

  /// The launch arguments, except epoch and stamps.
  const abi::ExchangeArguments& arguments() const { return arguments_; }

  const ExchangeTables& tables() const { return tables_; }

  /// Offset of the rows for rank `rank` after a dispatch.
  Address received(int rank) const;

  const Memory& inbox() const { return *inbox_; }

  const Memory& reduced() const { return *reduced_; }

  const Memory& control() const { return *control_; }

  Address stamps() const;
  Address trouble() const;

 private:
  /// Base addresses on every rank: local, or the peers'.
  std::vector<Address> everywhere(const Memory& memory);
  const void* table(const std::vector<std::uint64_t>& addresses);
  const std::int32_t* numbers(const std::vector<std::int32_t>& values);
  void agree_on_memory(std::uint64_t seed);
  void take_memory(std::uint64_t seed);
  void lay_out_words();
  void lay_out_dispatch();
  void lay_out_combine();
  void lay_out_rings();

  JobContext& context_;
  ExchangeShape shape_;
  ExchangeTables tables_;
  abi::ExchangeArguments arguments_ = {};
  std::shared_ptr<Memory> rows_;   // dispatch: the local tokens; combine: the rows sent back
  std::shared_ptr<Memory> inbox_;  // dispatch: received rows; direct combine: returned rows
  std::shared_ptr<Memory> rings_;
  std::shared_ptr<Memory> reduced_;
  std::shared_ptr<Memory> control_;  // words exchanged by ranks, counters, stamps
  std::vector<Address> controls_;
  std::vector<std::vector<Address>> mapped_;
  std::vector<std::unique_ptr<Memory>> tables_on_device_;
};

}  // namespace epwise::cuda
