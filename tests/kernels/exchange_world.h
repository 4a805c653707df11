#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/device.h"
#include "gpu/abi/arguments.h"
#include "gpu/abi/exchange.h"
#include "gpu/abi/routing.h"

namespace epwise::kernel_tests {

/// Sizes of an exchange between emulated GPUs.
struct ExchangeShape {
  std::int32_t ranks = 4;
  std::int32_t tokens = 37;
  std::int32_t topk = 3;
  std::int32_t experts = 16;
  std::int64_t hidden = 64;  // bf16
  int blocks = 2;
  std::uint32_t stages = 7;
  std::uint32_t ring_slots = 64;
  std::uint32_t ring_chunk = 5;
  std::uint32_t piece_bytes = 96;
  std::uint64_t seed = 1;
  bool loopback = false;  // one GPU, the others are regions of its memory
  std::uint64_t timeout = 1'000'000'000;
  std::uint32_t pace = 0;
};

/// Memory as a device gives it: aligned, poisoned, with sentinels behind.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes);

  std::uint8_t* data() { return data_; }

  template <class Value>
  Value* as() {
    return reinterpret_cast<Value*>(data_);
  }

  std::size_t size() const { return bytes_; }

  /// Whether anything was written behind the end.
  bool overrun() const;

 private:
  std::size_t bytes_;
  std::vector<std::uint8_t> memory_;
  std::uint8_t* data_;
};

/// All GPUs of an exchange in one emulated device, a stream each: every structure, dispatch and
/// combine, as one rank's launch sees them.
class ExchangeWorld {
 public:
  ExchangeWorld(emulator::Device& device, const ExchangeShape& shape);

  /// Launches a kernel on all GPUs (without the one number `dead`) and runs to the end.
  void run(const std::string& kernel, int dead = -1);

  /// What the kernel left wrong, in words; empty when all is as it should be. `direct`: slots came
  /// in any order.
  std::string dispatch_problem(bool direct);
  std::string staged_problem();
  std::string combine_problem(const std::string& kernel);
  std::string overrun_problem() const;

  std::uint32_t trouble(int gpu) {
    return *gpus_[static_cast<std::size_t>(gpu)]->trouble.as<std::uint32_t>();
  }

  const abi::Routing& routing(int gpu) const {
    return gpus_[static_cast<std::size_t>(gpu)]->routing;
  }

  /// Bytes of a GPU's rows, all copies.
  std::int64_t payload(int gpu) const {
    return gpus_[static_cast<std::size_t>(gpu)]->copies.total * row_bytes_;
  }

  /// Changes a routing before the first run: all tokens to the first experts, or none at all.
  void skew(int gpu, bool empty);

 private:
  struct Gpu {
    abi::Routing routing;
    abi::Copies copies;
    abi::ChannelCopies channels;
    Buffer rows, inbox, outbox, home, reduced, received, rings, tails, heads, words, arrived,
        signal_table, tables, trouble, reserved, stamps;
    explicit Gpu(const ExchangeShape& shape, std::uint32_t row_bytes, std::uint32_t slot_bytes);
    std::vector<std::int32_t> receive_counts = {};
    std::vector<std::int32_t> receive_starts = {};
    std::vector<std::uint8_t*> inbox_at = {}, outbox_at = {}, own_outbox = {}, home_at = {},
                               home_here = {}, send_ring = {};
    std::vector<std::int32_t> back = {};  // rows that go back to each rank
    std::vector<const std::uint8_t*> receive_ring = {};
    std::vector<std::uint32_t*> send_tail = {}, receive_head = {};
    std::vector<const std::uint32_t*> send_head = {}, receive_tail = {};
    std::vector<std::uint64_t*> signal = {};
  };

  void connect();
  std::uint8_t* region(Buffer& buffer, int rank, std::size_t bytes) const;
  abi::ExchangeArguments arguments(int gpu, const std::string& kernel);
  std::string row_problem(const std::uint8_t* slot, int source, int token) const;

  emulator::Device& device_;
  ExchangeShape shape_;
  std::uint32_t row_bytes_;
  std::uint32_t slot_bytes_;
  std::uint32_t epoch_ = 0;
  std::vector<std::unique_ptr<Gpu>> gpus_ = {};
};

/// A launch with its arguments copied in.
template <class Arguments>
emulator::Launch launch_of(const std::string& kernel,
                           int blocks,
                           int threads,
                           std::size_t shared,
                           const Arguments& arguments,
                           bool together = false) {
  emulator::Launch launch;
  launch.kernel = emulator::find_kernel(kernel);
  launch.blocks = blocks;
  launch.threads = threads;
  launch.shared_bytes = shared;
  launch.together = together;
  const auto* bytes = reinterpret_cast<const std::byte*>(&arguments);
  launch.arguments.assign(bytes, bytes + sizeof(arguments));
  return launch;
}

}  // namespace epwise::kernel_tests
