// The machine interface of the kernels in this directory: threads, barriers, the bulk-copy engine,
// words shared with other GPUs. Everything else in them is plain C++, so that tests can run the
// same sources on the CPU (tests/kernels/emulator/ implements this interface there).
//
// On sm_80, which has no bulk-copy engine, a warp copies rows itself; everything around it is the
// same.
#pragma once

#include <cstdint>

#include "gpu/abi/arguments.h"
#include "gpu/abi/exchange.h"

#if defined(EPWISE_EMULATED)
#include "emulator/machine.h"
#else

// One struct by value, C linkage, at most `threads` per block and one block per SM if registers are
// the limit.
#define EPWISE_KERNEL(name, Arguments, threads)            \
  extern "C" __global__ void __launch_bounds__(threads, 1) \
      name(const __grid_constant__ Arguments arguments)

#define EPWISE_DEVICE __device__ inline

namespace machine {

using Barrier = std::uint64_t;  // an mbarrier in shared memory

extern __shared__ __align__(128) unsigned char all_shared_memory[];

EPWISE_DEVICE unsigned char* shared_memory() {
  return all_shared_memory;
}

EPWISE_DEVICE int thread_index() {
  return static_cast<int>(threadIdx.x);
}

EPWISE_DEVICE int threads() {
  return static_cast<int>(blockDim.x);
}

EPWISE_DEVICE int block_index() {
  return static_cast<int>(blockIdx.x);
}

EPWISE_DEVICE int blocks() {
  return static_cast<int>(gridDim.x);
}

EPWISE_DEVICE void sync_block() {
  __syncthreads();
}

EPWISE_DEVICE void sync_warp() {
  __syncwarp();
}

// Barriers 1 … 15 of the block, for `count` threads that are whole warps.
EPWISE_DEVICE void sync_group(int number, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(count) : "memory");
}

template <class Value>
EPWISE_DEVICE Value shuffle(Value value, int lane) {
  return __shfl_sync(0xffffffffU, value, lane);
}

template <class Value>
EPWISE_DEVICE Value shuffle_xor(Value value, int mask) {
  return __shfl_xor_sync(0xffffffffU, value, mask);
}

EPWISE_DEVICE std::uint32_t ballot(bool value) {
  return __ballot_sync(0xffffffffU, value);
}

// The lanes with the same value.
EPWISE_DEVICE std::uint32_t same_value(int value) {
  return __match_any_sync(0xffffffffU, value);
}

EPWISE_DEVICE int first_bit(std::uint32_t bits) {
  return __ffs(static_cast<int>(bits)) - 1;
}

EPWISE_DEVICE int count_bits(std::uint32_t bits) {
  return __popc(bits);
}

EPWISE_DEVICE std::uint32_t add_atomically(std::uint32_t* word, std::uint32_t value) {
  return atomicAdd(word, value);
}

EPWISE_DEVICE std::uint32_t replace_if(std::uint32_t* word,
                                       std::uint32_t expected,
                                       std::uint32_t value) {
  return atomicCAS(word, expected, value);
}

EPWISE_DEVICE void add_atomically(std::uint64_t* word, std::uint64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(value));
}

EPWISE_DEVICE void lower_atomically(std::uint64_t* word, std::uint64_t value) {
  atomicMin(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(value));
}

EPWISE_DEVICE void raise_atomically(std::uint64_t* word, std::uint64_t value) {
  atomicMax(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(value));
}

EPWISE_DEVICE void fence_device() {
  __threadfence();
}

EPWISE_DEVICE void fence_system() {
  __threadfence_system();
}

// Words that other GPUs read and write: data written before a release is visible after the acquire.
EPWISE_DEVICE std::uint32_t load_acquire(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}

EPWISE_DEVICE std::uint64_t load_acquire(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

EPWISE_DEVICE void store_release(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

EPWISE_DEVICE void store_release(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

// Bypasses the L1, which does not help for data read once.
EPWISE_DEVICE epwise::abi::Vector16 load_once(const epwise::abi::Vector16* place) {
  epwise::abi::Vector16 value;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.word[0]), "=r"(value.word[1]), "=r"(value.word[2]), "=r"(value.word[3])
               : "l"(place));
  return value;
}

EPWISE_DEVICE void store(epwise::abi::Vector16* place, const epwise::abi::Vector16& value) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(place),
               "r"(value.word[0]),
               "r"(value.word[1]),
               "r"(value.word[2]),
               "r"(value.word[3])
               : "memory");
}

EPWISE_DEVICE std::uint64_t now() {
  std::uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

EPWISE_DEVICE std::uint64_t cycles() {
  return static_cast<std::uint64_t>(clock64());
}

EPWISE_DEVICE void nap(std::uint32_t ns) {
  __nanosleep(ns);
}

EPWISE_DEVICE std::uint32_t sm_number() {
  std::uint32_t number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

EPWISE_DEVICE float exponential(float value) {
  return __expf(value);
}

EPWISE_DEVICE std::uint32_t shared_address(const void* place) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(place));
}

// --- barriers of shared memory that count arrivals and bytes
// --------------------------------------------------------

EPWISE_DEVICE void open_barrier(Barrier* barrier, std::uint32_t arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
}

// After open_barrier and before a barrier of the threads: makes the barriers visible to the copy
// engine.
EPWISE_DEVICE void publish_barriers() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

EPWISE_DEVICE void arrive(Barrier* barrier) {
  asm volatile(
      "{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(shared_address(barrier))
      : "memory");
}

// Until the phase of this parity (0 for the first, then alternating) is complete.
EPWISE_DEVICE void wait(Barrier* barrier, std::uint32_t parity) {
  std::uint32_t over = 0;
  while (over == 0) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
#else
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
#endif
  }
}

// --- rows between global and shared memory
// -------------------------------------------------------------------------- All lanes of a warp
// call these together; addresses and sizes are multiples of 16 bytes.

#if __CUDA_ARCH__ < 900
EPWISE_DEVICE void copy_by_warp(void* target, const void* source, std::uint32_t bytes) {
  const auto* from = static_cast<const uint4*>(source);
  auto* to = static_cast<uint4*>(target);
  for (std::uint32_t i = threadIdx.x % 32U; i < bytes / 16U; i += 32U) {
    to[i] = from[i];
  }
}
#endif

// Completes one phase of a barrier opened for one arrival.
EPWISE_DEVICE void load_row(Barrier* barrier,
                            void* shared,
                            const void* global,
                            std::uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x % 32U == 0) {
    const std::uint32_t address = shared_address(barrier);
    asm volatile(
        "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::"r"(address),
        "r"(bytes)
        : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(shared)),
        "l"(global),
        "r"(bytes),
        "r"(address)
        : "memory");
  }
#else
  copy_by_warp(shared, global, bytes);
  __syncwarp();
  if (threadIdx.x % 32U == 0) {
    arrive(barrier);
  }
#endif
}

EPWISE_DEVICE void store_row(void* global, const void* shared, std::uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x % 32U == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
                 "r"(shared_address(shared)),
                 "r"(bytes)
                 : "memory");
  }
#else
  copy_by_warp(global, shared, bytes);
#endif
}

// Groups the stores since the last one.
EPWISE_DEVICE void close_stores() {
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x % 32U == 0) {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
#endif
}

// Until all but the last `pending` groups have been read from shared memory.
template <int pending>
EPWISE_DEVICE void wait_stores_read() {
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x % 32U == 0) {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
  }
#endif
  __syncwarp();
}

// Until all groups are written to their destination.
EPWISE_DEVICE void wait_stores_written() {
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x % 32U == 0) {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
#endif
  __syncwarp();
}

// Between a thread's ordinary accesses and the copy engine's, in shared and in global memory.
EPWISE_DEVICE void fence_copy_engine() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async;" ::: "memory");
#endif
}

}  // namespace machine

#endif

namespace machine {

// Every index below `count`, distributed over all threads of the launch.
template <class Body>
EPWISE_DEVICE void for_each_index(std::uint64_t count, Body body) {
  const auto all = static_cast<std::uint64_t>(threads());
  const std::uint64_t step = static_cast<std::uint64_t>(blocks()) * all;
  for (std::uint64_t at = static_cast<std::uint64_t>(block_index()) * all +
                          static_cast<std::uint64_t>(thread_index());
       at < count;
       at += step) {
    body(at);
  }
}

}  // namespace machine
