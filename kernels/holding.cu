// Kernels without work of their own: they block a stream, occupy SMs, read the clock, count
// launches. Every wait is bounded.

#include "machine.cuh"

using namespace epwise::abi;  // NOLINT(google-build-using-namespace): kernels are global names

// The host queues all launches after this one, then opens: no launch overhead falls between two
// events.
EPWISE_KERNEL(epwise_gate, GateArguments, 32) {
  if (machine::thread_index() != 0) {
    return;
  }
  const std::uint64_t start = machine::now();
  while (static_cast<std::int32_t>(*arguments.open - arguments.epoch) < 0) {
    if (machine::now() - start > arguments.timeout) {
      *arguments.late = arguments.epoch;
      break;
    }
    machine::nap(100);
  }
  *arguments.opened = machine::now();
}

// One block per SM: the launch requests all shared memory. It sleeps, so that it occupies the SM
// without using power.
EPWISE_KERNEL(epwise_occupy, OccupyArguments, 32) {
  if (machine::thread_index() != 0) {
    return;
  }
  arguments.sm_of_block[machine::block_index()] = machine::sm_number();
  machine::fence_system();
  // One word per block: atomic addition in host memory is not available on every machine.
  arguments.running[machine::block_index()] = arguments.epoch;
  const std::uint64_t start = machine::now();
  while (*arguments.stop != arguments.epoch && machine::now() - start < arguments.timeout) {
    machine::nap(1000);
  }
}

EPWISE_KERNEL(epwise_mark, MarkArguments, 32) {
  if (machine::thread_index() == 0) {
    *arguments.at = machine::now();
  }
}

EPWISE_KERNEL(epwise_count, CountArguments, 32) {
  if (machine::thread_index() == 0) {
    machine::add_atomically(arguments.count, 1U);
  }
}

EPWISE_KERNEL(epwise_clock, ClockArguments, 32) {
  if (machine::thread_index() != 0) {
    return;
  }
  const std::uint64_t start = machine::now();
  const std::uint64_t cycles = machine::cycles();
  std::uint64_t time = start;
  while (time - start < arguments.span) {
    time = machine::now();
  }
  arguments.cycles_and_time[0] = machine::cycles() - cycles;
  arguments.cycles_and_time[1] = time - start;
}
