#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "emulator/device.h"

/// The words of kernels/machine.cuh, spoken by the emulated device.

#define EPWISE_DEVICE inline

#define EPWISE_KERNEL(name, Arguments, threads)                                             \
  static void name##_body(const Arguments& arguments);                                      \
  void name(const void* arguments);                                                         \
  void name(const void* arguments) {                                                        \
    name##_body(*static_cast<const Arguments*>(arguments));                                 \
  }                                                                                         \
  extern const epwise::emulator::Kernel name##_entry;                                       \
  const epwise::emulator::Kernel name##_entry = {#name, &name, sizeof(Arguments), threads}; \
  static void name##_body(const Arguments& arguments)

namespace machine {

using Barrier = std::uint64_t;

inline epwise::emulator::Thread& self() {
  return epwise::emulator::current_thread();
}

inline unsigned char* shared_memory() {
  return reinterpret_cast<unsigned char*>(self().block->shared);
}

inline int thread_index() {
  return self().index;
}

inline int threads() {
  return self().threads;
}

inline int block_index() {
  return self().block->index;
}

inline int blocks() {
  return self().blocks;
}

inline void sync_group(int number, int count) {
  auto& block = *self().block;
  epwise::emulator::device().meet(block.generations[number], block.arrived[number], count);
}

inline void sync_block() {
  sync_group(0, threads());
}

inline epwise::emulator::Warp& warp() {
  return self().block->warps[static_cast<std::size_t>(thread_index() / 32)];
}

/// What all lanes gave, after all did.
inline const std::uint64_t* exchange_in_warp(std::uint64_t mine) {
  auto& here = warp();
  std::uint64_t* values = here.values[here.generation % 2];
  values[thread_index() % 32] = mine;
  epwise::emulator::device().meet(here.generation, here.arrived, 32);
  return values;
}

inline void sync_warp() {
  exchange_in_warp(0);
}

template <class Value>
std::uint64_t to_bits(Value value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

template <class Value>
Value from_bits(std::uint64_t bits) {
  Value value{};
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

template <class Value>
Value shuffle(Value value, int lane) {
  return from_bits<Value>(exchange_in_warp(to_bits(value))[lane % 32]);
}

template <class Value>
Value shuffle_xor(Value value, int mask) {
  const int lane = thread_index() % 32;
  return from_bits<Value>(exchange_in_warp(to_bits(value))[lane ^ mask]);
}

inline std::uint32_t same_value(int value) {
  const std::uint64_t* values = exchange_in_warp(to_bits(value));
  std::uint32_t same = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    same |= values[lane] == to_bits(value) ? 1U << lane : 0U;
  }
  return same;
}

inline std::uint32_t ballot(bool value) {
  const std::uint64_t* values = exchange_in_warp(value ? 1 : 0);
  std::uint32_t bits = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    bits |= values[lane] != 0 ? 1U << lane : 0U;
  }
  return bits;
}

inline int first_bit(std::uint32_t bits) {
  return bits == 0 ? -1 : std::countr_zero(bits);
}

inline int count_bits(std::uint32_t bits) {
  return std::popcount(bits);
}

/// Other threads may run before any access that they could see.
inline void maybe_yield() {
  if (epwise::emulator::device().draw(8)) {
    epwise::emulator::device().yield();
  }
}

inline std::uint32_t add_atomically(std::uint32_t* word, std::uint32_t value) {
  maybe_yield();
  const std::uint32_t before = *word;
  *word += value;
  return before;
}

inline std::uint32_t replace_if(std::uint32_t* word, std::uint32_t expected, std::uint32_t value) {
  const std::uint32_t before = *word;
  *word = before == expected ? value : before;
  return before;
}

inline void add_atomically(std::uint64_t* word, std::uint64_t value) {
  maybe_yield();
  *word += value;
}

inline void lower_atomically(std::uint64_t* word, std::uint64_t value) {
  *word = value < *word ? value : *word;
}

inline void raise_atomically(std::uint64_t* word, std::uint64_t value) {
  *word = value > *word ? value : *word;
}

inline void fence_device() {}

inline void fence_system() {}

/// Polled in loops: others must run.
template <class Word>
Word load_acquire(const Word* word) {
  epwise::emulator::device().yield();
  return *word;
}

template <class Word>
void store_release(Word* word, Word value) {
  maybe_yield();
  *word = value;
}

inline epwise::abi::Vector16 load_once(const epwise::abi::Vector16* place) {
  maybe_yield();
  if (reinterpret_cast<std::uintptr_t>(place) % 16 != 0) {
    throw std::logic_error("a load of 16 bytes is misaligned");
  }
  return *place;
}

inline void store(epwise::abi::Vector16* place, const epwise::abi::Vector16& value) {
  maybe_yield();
  if (reinterpret_cast<std::uintptr_t>(place) % 16 != 0) {
    throw std::logic_error("a store of 16 bytes is misaligned");
  }
  *place = value;
}

inline std::uint64_t now() {
  epwise::emulator::device().yield();
  return epwise::emulator::device().tick(10);
}

inline std::uint64_t cycles() {
  return epwise::emulator::device().tick(0) * 2;
}

inline void nap(std::uint32_t ns) {
  epwise::emulator::device().tick(ns);
  epwise::emulator::device().yield();
}

inline std::uint32_t sm_number() {
  return static_cast<std::uint32_t>(block_index() % epwise::emulator::device().sms());
}

inline float exponential(float value) {
  return std::exp(value);
}

inline void open_barrier(Barrier* barrier, std::uint32_t arrivals) {
  epwise::emulator::device().barriers()[barrier] = {arrivals, arrivals, 0, 0};
}

inline void publish_barriers() {}

inline void arrive(Barrier* barrier) {
  epwise::emulator::device().arrive(barrier);
}

inline void wait(Barrier* barrier, std::uint32_t parity) {
  auto& barriers = epwise::emulator::device().barriers();
  if (barriers.find(barrier) == barriers.end()) {
    throw std::logic_error("a barrier is waited for before it is opened");
  }
  while (barriers[barrier].phase % 2 == parity) {
    epwise::emulator::device().yield();
  }
}

inline void load_row(Barrier* barrier, void* shared, const void* global, std::uint32_t bytes) {
  if (thread_index() % 32 != 0) {
    return;
  }
  auto& device = epwise::emulator::device();
  device.barriers()[barrier].bytes += bytes;
  epwise::emulator::Transfer transfer;
  transfer.block = self().block;
  transfer.target = static_cast<std::byte*>(shared);
  transfer.source = static_cast<const std::byte*>(global);
  transfer.bytes = bytes;
  transfer.barrier = barrier;
  device.start(std::move(transfer));
  device.arrive(barrier);
}

inline void store_row(void* global, const void* shared, std::uint32_t bytes) {
  if (thread_index() % 32 != 0) {
    return;
  }
  epwise::emulator::Transfer transfer;
  transfer.block = self().block;
  transfer.target = static_cast<std::byte*>(global);
  transfer.source = static_cast<const std::byte*>(shared);
  transfer.bytes = bytes;
  transfer.storer = epwise::emulator::current_fiber();
  auto& groups = self().store_groups;
  transfer.group = groups.size() - 1;
  ++groups.back().unread;
  ++groups.back().unwritten;
  epwise::emulator::device().start(std::move(transfer));
}

inline void close_stores() {
  if (thread_index() % 32 == 0) {
    self().store_groups.push_back({});
  }
}

/// Whether any of the first `count` groups still has transfers of this kind.
inline bool under_way(std::size_t count, int epwise::emulator::StoreGroup::*which) {
  const auto& groups = self().store_groups;
  for (std::size_t i = 0; i < count; ++i) {
    if (groups[i].*which > 0) {
      return true;
    }
  }
  return false;
}

template <int pending>
void wait_stores_read() {
  if (thread_index() % 32 == 0) {
    const std::size_t closed = self().store_groups.size() - 1;
    const std::size_t count = closed > pending ? closed - pending : 0;
    while (under_way(count, &epwise::emulator::StoreGroup::unread)) {
      epwise::emulator::device().yield();
    }
  }
  sync_warp();
}

inline void wait_stores_written() {
  if (thread_index() % 32 == 0) {
    const std::size_t closed = self().store_groups.size() - 1;
    while (under_way(closed, &epwise::emulator::StoreGroup::unwritten)) {
      epwise::emulator::device().yield();
    }
  }
  sync_warp();
}

inline void fence_copy_engine() {}

}  // namespace machine
