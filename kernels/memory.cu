// Copy, read and write of device memory at full rate or with few blocks, and the creation and
// checking of inputs. Bytes per launch: copy 2·16·count, read and write 16·count, bulk copy
// 2·bytes. No FLOPs. The copy through the bulk-copy engine moves rows as the exchanges do, through
// shared memory, one warp per queue.

#include "machine.cuh"

using namespace epwise::abi;  // NOLINT(google-build-using-namespace): kernels are global names

namespace {

// A block's first vector and the stride to its next share: blocks interleave, so that few blocks
// still use all memory channels.
struct Share {
  std::uint64_t first;
  std::uint64_t step;
};

EPWISE_DEVICE Share share_of_thread() {
  constexpr std::uint64_t kTile = static_cast<std::uint64_t>(kStreamThreads) * kStreamUnroll;
  return {static_cast<std::uint64_t>(machine::block_index()) * kTile +
              static_cast<std::uint64_t>(machine::thread_index()),
          static_cast<std::uint64_t>(machine::blocks()) * kTile};
}

}  // namespace

EPWISE_KERNEL(epwise_memory_copy, StreamArguments, kStreamThreads) {
  const Share share = share_of_thread();
  for (std::uint64_t at = share.first; at < arguments.count; at += share.step) {
    Vector16 values[kStreamUnroll];
#pragma unroll
    for (int i = 0; i < kStreamUnroll; ++i) {
      const std::uint64_t place = at + static_cast<std::uint64_t>(i) * kStreamThreads;
      if (place < arguments.count) {
        values[i] = machine::load_once(arguments.source + place);
      }
    }
#pragma unroll
    for (int i = 0; i < kStreamUnroll; ++i) {
      const std::uint64_t place = at + static_cast<std::uint64_t>(i) * kStreamThreads;
      if (place < arguments.count) {
        machine::store(arguments.target + place, values[i]);
      }
    }
  }
}

EPWISE_KERNEL(epwise_memory_read, StreamArguments, kStreamThreads) {
  const Share share = share_of_thread();
  std::uint32_t sum = 0;
  for (std::uint64_t at = share.first; at < arguments.count; at += share.step) {
    Vector16 values[kStreamUnroll];
#pragma unroll
    for (int i = 0; i < kStreamUnroll; ++i) {
      const std::uint64_t place = at + static_cast<std::uint64_t>(i) * kStreamThreads;
      values[i] =
          place < arguments.count ? machine::load_once(arguments.source + place) : Vector16{};
    }
#pragma unroll
    for (int i = 0; i < kStreamUnroll; ++i) {
      sum += values[i].word[0] + values[i].word[1] + values[i].word[2] + values[i].word[3];
    }
  }
  for (int mask = 16; mask > 0; mask /= 2) {
    sum += machine::shuffle_xor(sum, mask);
  }
  if (machine::thread_index() % 32 == 0) {
    machine::add_atomically(arguments.sum, sum);
  }
}

EPWISE_KERNEL(epwise_memory_write, StreamArguments, kStreamThreads) {
  const Share share = share_of_thread();
  const Vector16 value = {{arguments.seed, arguments.seed, arguments.seed, arguments.seed}};
  for (std::uint64_t at = share.first; at < arguments.count; at += share.step) {
#pragma unroll
    for (int i = 0; i < kStreamUnroll; ++i) {
      const std::uint64_t place = at + static_cast<std::uint64_t>(i) * kStreamThreads;
      if (place < arguments.count) {
        machine::store(arguments.target + place, value);
      }
    }
  }
}

// Each warp runs its own queue: up to `stages` pieces between their load and the end of their
// store.
EPWISE_KERNEL(epwise_memory_bulk_copy, BulkCopyArguments, 32 * kCopyWarps) {
  const int warp = machine::thread_index() / 32;
  const int lane = machine::thread_index() % 32;
  const int warps = machine::threads() / 32;
  const std::uint32_t stages = arguments.stages;
  unsigned char* shared = machine::shared_memory();
  auto* barriers =
      reinterpret_cast<machine::Barrier*>(shared) + static_cast<std::uint32_t>(warp) * stages;
  unsigned char* pieces =
      shared + kBarrierBytes + static_cast<std::uint32_t>(warp) * stages * arguments.piece_bytes;
  if (lane == 0) {
    for (std::uint32_t i = 0; i < stages; ++i) {
      machine::open_barrier(barriers + i, 1);
    }
    machine::publish_barriers();
  }
  machine::sync_warp();

  const std::uint64_t piece_bytes = arguments.piece_bytes;
  const std::uint64_t count = (arguments.bytes + piece_bytes - 1) / piece_bytes;
  const std::uint64_t first = static_cast<std::uint64_t>(machine::block_index() * warps + warp);
  const std::uint64_t step = static_cast<std::uint64_t>(machine::blocks() * warps);
  const std::uint64_t mine = first < count ? (count - first + step - 1) / step : 0;
  const auto place_of = [&](std::uint64_t number) { return (first + number * step) * piece_bytes; };
  const auto size_of = [&](std::uint64_t place) {
    const std::uint64_t left = arguments.bytes - place;
    return static_cast<std::uint32_t>(left < piece_bytes ? left : piece_bytes);
  };
  const auto load = [&](std::uint64_t number) {
    const auto stage = static_cast<std::uint32_t>(number % stages);
    const std::uint64_t place = place_of(number);
    machine::load_row(barriers + stage,
                      pieces + stage * arguments.piece_bytes,
                      arguments.source + place,
                      size_of(place));
  };
  for (std::uint64_t number = 0; number < mine && number + 1 < stages; ++number) {
    load(number);
  }
  for (std::uint64_t number = 0; number < mine; ++number) {
    // The previous stage was stored last: once it is read, the next load may overwrite it.
    machine::wait_stores_read<0>();
    if (number + stages - 1 < mine) {
      load(number + stages - 1);
    }
    const auto stage = static_cast<std::uint32_t>(number % stages);
    machine::wait(barriers + stage, static_cast<std::uint32_t>(number / stages) & 1U);
    const std::uint64_t place = place_of(number);
    machine::store_row(
        arguments.target + place, pieces + stage * arguments.piece_bytes, size_of(place));
    machine::close_stores();
  }
  machine::wait_stores_written();
}

EPWISE_KERNEL(epwise_fill, FillArguments, kStreamThreads) {
  machine::for_each_index(arguments.count, [&](std::uint64_t at) {
    arguments.words[at] = filled_word(arguments.fill, arguments.seed, at);
  });
}

EPWISE_KERNEL(epwise_compare, CompareArguments, kStreamThreads) {
  machine::for_each_index(arguments.count, [&](std::uint64_t at) {
    if (arguments.words[at] != filled_word(arguments.fill, arguments.seed, arguments.first + at)) {
      machine::add_atomically(arguments.wrong, std::uint64_t{1});
      machine::lower_atomically(arguments.wrong + 1, at);
    }
  });
}
