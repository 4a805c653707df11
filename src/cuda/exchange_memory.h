#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/exchange_tables.h"
#include "cuda/workshop.h"
#include "kernel/exchange.h"

namespace epwise::cuda {

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
  std::uint32_t slot_bytes = 0;  // a dispatch's with the tail, else the row's
  std::uint32_t stages = 0;
  std::uint32_t piece_bytes = 0;
  LaunchShape launch = {};

  bool is_dispatch() const { return kernel == calibrate::Kernel::dispatch; }

  int channels() const { return structure == calibrate::Structure::staged ? sms / 2 : 1; }
};

/// Stamps of runs that one round may hold.
constexpr int kStampedRuns = 64;

/// The memory of one exchange on this rank and, mapped, on its peers; with all tables filled in.
class ExchangeMemory {
 public:
  /// Maps peers' memory when the exchange isn't a loopback: a call of all ranks together.
  ExchangeMemory(Workshop& shop,
                 const ExchangeShape& shape,
                 ExchangeTables tables,
                 std::uint64_t seed);
  ~ExchangeMemory();
  ExchangeMemory(const ExchangeMemory&) = delete;
  ExchangeMemory& operator=(const ExchangeMemory&) = delete;

  /// What a launch gets, but epoch and stamps.
  const kernel::ExchangeArguments& arguments() const { return arguments_; }

  const ExchangeTables& tables() const { return tables_; }

  /// Where rows of rank `rank` (in loopback: for it) lie after a dispatch.
  Address received(int rank) const;

  const Memory& inbox() const { return *inbox_; }

  const Memory& reduced() const { return *reduced_; }

  const Memory& control() const { return *control_; }

  Address stamps() const;
  Address trouble() const;

 private:
  /// Base addresses at every rank: mine, or the peers'.
  std::vector<Address> everywhere(const Memory& memory);
  const void* table(const std::vector<std::uint64_t>& addresses);
  const std::int32_t* numbers(const std::vector<std::int32_t>& values);
  void agree_on_memory(std::uint64_t seed);
  void take_memory(std::uint64_t seed);
  void lay_out_words();
  void lay_out_dispatch();
  void lay_out_combine();
  void lay_out_rings();

  Workshop& shop_;
  ExchangeShape shape_;
  ExchangeTables tables_;
  kernel::ExchangeArguments arguments_ = {};
  std::shared_ptr<Memory> rows_;   // dispatch: my tokens; combine: what goes back
  std::shared_ptr<Memory> inbox_;  // dispatch: what arrives; direct combine: what comes home
  std::shared_ptr<Memory> rings_;
  std::shared_ptr<Memory> reduced_;
  std::shared_ptr<Memory> control_;  // words that ranks tell each other, counters, stamps
  std::vector<Address> controls_;
  std::vector<std::vector<Address>> mapped_;
  std::vector<std::unique_ptr<Memory>> tables_on_device_;
};

}  // namespace epwise::cuda
