// Shared by the dispatch and combine kernels: stamps, bounded waits, pacing, and closing an
// exchange.
#pragma once

#include "machine.cuh"

namespace exchange {

using epwise::abi::ExchangeArguments;
using epwise::abi::Trouble;

EPWISE_DEVICE int lane_index() {
  return machine::thread_index() % 32;
}

EPWISE_DEVICE int warp_index() {
  return machine::thread_index() / 32;
}

EPWISE_DEVICE void stamp_start(epwise::abi::Stamps* stamps) {
  if (stamps != nullptr && machine::thread_index() == 0) {
    const std::uint64_t now = machine::now();
    machine::lower_atomically(&stamps->first_start, now);
    machine::raise_atomically(&stamps->last_start, now);
  }
}

EPWISE_DEVICE void stamp_end(epwise::abi::Stamps* stamps) {
  if (stamps != nullptr && machine::thread_index() == 0) {
    machine::raise_atomically(&stamps->last_end, machine::now());
  }
}

// Until `ready` returns true. After a time-out, here or anywhere in the exchange, nothing waits any
// more: the kernel runs to its end with possibly wrong data, and the host reads the reason.
template <class Ready>
EPWISE_DEVICE void wait_until(const ExchangeArguments& arguments, Trouble trouble, Ready ready) {
  if (ready()) {
    return;
  }
  const std::uint64_t start = machine::now();
  while (!ready()) {
    if (*static_cast<const volatile std::uint32_t*>(arguments.trouble) != epwise::abi::kNoTrouble) {
      return;
    }
    if (machine::now() - start > arguments.timeout) {
      machine::replace_if(arguments.trouble, epwise::abi::kNoTrouble, trouble);
      return;
    }
    machine::nap(20);
  }
}

// Limits one payload sender to its share of a rate. Real links apply back-pressure; a loopback
// would not.
class Pacer {
 public:
  EPWISE_DEVICE Pacer(std::uint32_t ns_per_mib, int senders)
      : ns_per_mib_(static_cast<std::uint64_t>(ns_per_mib) * static_cast<std::uint64_t>(senders)),
        due_(machine::now()) {}

  EPWISE_DEVICE void pay(std::uint32_t bytes) {
    if (ns_per_mib_ == 0) {
      return;
    }
    due_ += (bytes * ns_per_mib_) >> 20U;
    std::uint64_t now = machine::now();
    while (now < due_) {
      machine::nap(static_cast<std::uint32_t>(due_ - now < 500 ? due_ - now : 500));
      now = machine::now();
    }
  }

 private:
  std::uint64_t ns_per_mib_;
  std::uint64_t due_;
};

// Called by all threads of all blocks, after their own stores. The last block notifies every rank,
// waits for every rank, and resets the counters.
EPWISE_DEVICE void close_exchange(const ExchangeArguments& arguments) {
  machine::fence_copy_engine();
  machine::fence_device();
  machine::sync_block();
  auto* last = reinterpret_cast<std::uint32_t*>(machine::shared_memory() + epwise::abi::kBlockWord);
  if (machine::thread_index() == 0) {
    const std::uint32_t before = machine::add_atomically(arguments.finished, 1U);
    *last = before + 1U == static_cast<std::uint32_t>(machine::blocks()) ? 1U : 0U;
    machine::fence_device();
  }
  machine::sync_block();
  if (*last != 0U) {
    for (int rank = machine::thread_index(); rank < arguments.ranks; rank += machine::threads()) {
      std::uint32_t count = 0;
      if (arguments.reserved != nullptr) {
        count = *static_cast<volatile std::uint32_t*>(arguments.reserved + rank);
        arguments.reserved[rank] = 0;
      } else {
        count = static_cast<std::uint32_t>(arguments.counts[rank]);
      }
      machine::fence_system();
      machine::store_release(arguments.signal[rank],
                             epwise::abi::arrival_word(arguments.epoch, count));
    }
    for (int rank = machine::thread_index(); rank < arguments.ranks; rank += machine::threads()) {
      wait_until(arguments, epwise::abi::kPeerSilent, [&] {
        return epwise::abi::has_arrived(machine::load_acquire(arguments.arrived + rank),
                                        arguments.epoch);
      });
    }
    machine::sync_block();
    if (machine::thread_index() == 0) {
      *arguments.finished = 0;
    }
  }
  stamp_end(arguments.stamps);
}

// A warp's row by ordinary loads and stores, four of each in flight.
EPWISE_DEVICE void copy_row(std::uint8_t* target, const std::uint8_t* source, std::uint32_t bytes) {
  using epwise::abi::Vector16;
  const auto* from = reinterpret_cast<const Vector16*>(source);
  auto* to = reinterpret_cast<Vector16*>(target);
  const std::uint32_t vectors = bytes / 16U;
  for (auto at = static_cast<std::uint32_t>(lane_index()); at < vectors; at += 128U) {
    Vector16 values[4];
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (at + 32U * i < vectors) {
        values[i] = machine::load_once(from + at + 32U * i);
      }
    }
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (at + 32U * i < vectors) {
        machine::store(to + at + 32U * i, values[i]);
      }
    }
  }
}

// The tokens of a block of the pipelined structure, in chunks that the blocks take in turn.
template <class Body>
EPWISE_DEVICE void for_each_token(int tokens, Body body) {
  using epwise::abi::kChunkTokens;
  for (int start = machine::block_index() * kChunkTokens; start < tokens;
       start += machine::blocks() * kChunkTokens) {
    const int end = start + kChunkTokens < tokens ? start + kChunkTokens : tokens;
    for (int token = start; token < end; ++token) {
      body(token);
    }
  }
}

// The metadata after a row: the token, then its experts, padded with -1.
EPWISE_DEVICE void write_tail(std::uint8_t* slot, const ExchangeArguments& arguments, int token) {
  auto* tail = reinterpret_cast<std::int32_t*>(slot + arguments.row_bytes);
  const auto words = static_cast<int>((arguments.slot_bytes - arguments.row_bytes) / 4U);
  for (int word = lane_index(); word < words; word += 32) {
    std::int32_t value = -1;
    if (word == 0) {
      value = token;
    } else if (word <= arguments.topk) {
      value = arguments.experts[static_cast<std::int64_t>(token) * arguments.topk + word - 1];
    }
    tail[word] = value;
  }
}

EPWISE_DEVICE std::int32_t slot_at(const ExchangeArguments& arguments, int token, int rank) {
  return arguments.slots[static_cast<std::int64_t>(token) * arguments.ranks + rank];
}

}  // namespace exchange
