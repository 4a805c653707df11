// Returns expert outputs to the source ranks of their tokens, where they are summed. The same three
// structures:
//   direct     one warp per row: from the outbox of its rank straight to its slot at the source rank;
//              the sum is a separate kernel on all SMs (epwise_reduce_epilogue).
//   pipelined  the source rank fetches: one warp loads the rows of a token from the ranks that have
//              them, four warps add.
//   staged     even blocks push rows into rings at the source rank, odd blocks add a token's rows
//              from the rings.
// bf16 in, fp32 sums in the order of the ranks, bf16 out. Bytes per launch with P the payload: direct
// reads and writes P; pipelined reads P and writes tokens·row; staged writes and reads P twice and
// writes tokens·row. Not included: weights (they belong to the preceding unpermute), probabilities on
// the way back.

#include "exchange.cuh"

using namespace epwise::abi;  // NOLINT(google-build-using-namespace): kernels are global names
using namespace exchange;     // NOLINT(google-build-using-namespace)

namespace {

// First of the rows i, i + senders, … of a rank that this sender takes: senders continue where the
// previous rank ended.
EPWISE_DEVICE int first_row(int sender, int senders, std::int64_t rows_before) {
  const int taken = static_cast<int>(rows_before % senders);
  return sender >= taken ? sender - taken : sender - taken + senders;
}

EPWISE_DEVICE void add(float (&sum)[8], const Vector16& vector) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    sum[2 * i] += float_of(vector.word[i] << 16U);
    sum[2 * i + 1] += float_of(vector.word[i] & 0xffff0000U);
  }
}

EPWISE_DEVICE Vector16 rounded(const float (&sum)[8]) {
  Vector16 vector = {};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    vector.word[i] = two_bf16(sum[2 * i], sum[2 * i + 1]);
  }
  return vector;
}

}  // namespace

EPWISE_KERNEL(epwise_combine_direct, ExchangeArguments, kDirectThreads) {
  stamp_start(arguments.stamps);
  const int warps = machine::threads() / 32;
  const int sender = machine::block_index() * warps + warp_index();
  const int senders = machine::blocks() * warps;
  unsigned char* shared = machine::shared_memory();
  auto* loaded = reinterpret_cast<machine::Barrier*>(shared) + warp_index();
  unsigned char* row =
      shared + kBarrierBytes + static_cast<std::uint32_t>(warp_index()) * arguments.slot_bytes;
  if (lane_index() == 0) {
    machine::open_barrier(loaded, 1);
    machine::publish_barriers();
  }
  machine::sync_warp();

  Pacer pacer(arguments.pace, senders);
  std::uint32_t parity = 0;
  std::int64_t before = 0;
  for (int rank = 0; rank < arguments.ranks; ++rank) {
    const int count = arguments.counts[rank];
    for (int i = first_row(sender, senders, before); i < count; i += senders) {
      const std::uint64_t offset = static_cast<std::uint64_t>(i) * arguments.slot_bytes;
      machine::load_row(loaded, row, arguments.outbox[rank] + offset, arguments.slot_bytes);
      machine::wait(loaded, parity);
      parity ^= 1U;
      machine::sync_warp();
      machine::store_row(arguments.inbox[rank] + offset, row, arguments.slot_bytes);
      machine::close_stores();
      machine::wait_stores_written();
      pacer.pay(arguments.slot_bytes);
    }
    before += count;
  }
  close_exchange(arguments);
}

namespace {

// The rows of each token, rank by rank, through the queue.
EPWISE_DEVICE void fetch_rows(const ExchangeArguments& arguments,
                              machine::Barrier* full,
                              machine::Barrier* empty,
                              unsigned char* slots) {
  Pacer pacer(arguments.pace, machine::blocks());
  std::uint32_t number = 0;
  for_each_token(arguments.tokens, [&](int token) {
    for (int first = 0; first < arguments.ranks; first += 32) {
      const int mine = first + lane_index();
      const std::int32_t place = mine < arguments.ranks ? slot_at(arguments, token, mine) : -1;
      std::uint32_t copies = machine::ballot(place >= 0);
      while (copies != 0) {
        const int from = machine::first_bit(copies);
        copies &= copies - 1U;
        const auto at = static_cast<std::uint64_t>(machine::shuffle(place, from));
        const std::uint32_t stage = number % arguments.stages;
        const std::uint32_t turn = number / arguments.stages;
        if (turn > 0) {
          machine::wait(empty + stage, (turn - 1U) & 1U);
          machine::sync_warp();
        }
        machine::load_row(full + stage,
                          slots + stage * arguments.slot_bytes,
                          arguments.outbox[first + from] + at * arguments.slot_bytes,
                          arguments.slot_bytes);
        ++number;
        pacer.pay(arguments.slot_bytes);
      }
    }
  });
}

// The same order of rows; each warp adds its share of every row.
EPWISE_DEVICE void add_rows(const ExchangeArguments& arguments,
                            machine::Barrier* full,
                            machine::Barrier* empty,
                            const unsigned char* slots) {
  const int vectors = static_cast<int>(arguments.slot_bytes / 16U);
  const int mine = machine::thread_index() - 32;
  std::uint32_t number = 0;
  for_each_token(arguments.tokens, [&](int token) {
    float sum[kReduceVectors][8] = {};
    for (int first = 0; first < arguments.ranks; first += 32) {
      const int rank = first + lane_index();
      std::uint32_t copies =
          machine::ballot(rank < arguments.ranks && slot_at(arguments, token, rank) >= 0);
      for (; copies != 0; copies &= copies - 1U, ++number) {
        const std::uint32_t stage = number % arguments.stages;
        machine::wait(full + stage, (number / arguments.stages) & 1U);
        const auto* row = reinterpret_cast<const Vector16*>(slots + stage * arguments.slot_bytes);
#pragma unroll
        for (int i = 0; i < kReduceVectors; ++i) {
          const int at = mine + 32 * kReduceWarps * i;
          if (at < vectors) {
            add(sum[i], row[at]);
          }
        }
        machine::sync_warp();
        if (lane_index() == 0) {
          machine::arrive(empty + stage);
        }
      }
    }
    auto* out = reinterpret_cast<Vector16*>(arguments.reduced + static_cast<std::uint64_t>(token) *
                                                                    arguments.slot_bytes);
#pragma unroll
    for (int i = 0; i < kReduceVectors; ++i) {
      const int at = mine + 32 * kReduceWarps * i;
      if (at < vectors) {
        machine::store(out + at, rounded(sum[i]));
      }
    }
  });
}

}  // namespace

EPWISE_KERNEL(epwise_combine_pipelined, ExchangeArguments, kPipelinedCombineThreads) {
  stamp_start(arguments.stamps);
  unsigned char* shared = machine::shared_memory();
  auto* full = reinterpret_cast<machine::Barrier*>(shared);
  machine::Barrier* empty = full + arguments.stages;
  unsigned char* slots = shared + kBarrierBytes;
  if (machine::thread_index() == 0) {
    for (std::uint32_t i = 0; i < arguments.stages; ++i) {
      machine::open_barrier(full + i, 1);
      machine::open_barrier(empty + i, kReduceWarps);
    }
    machine::publish_barriers();
  }
  machine::sync_block();
  if (warp_index() == 0) {
    fetch_rows(arguments, full, empty, slots);
  } else {
    add_rows(arguments, full, empty, slots);
  }
  close_exchange(arguments);
}

namespace {

// The channel's rows of one rank, in outbox order, into the ring at the source rank.
EPWISE_DEVICE void push_rows_home(const ExchangeArguments& arguments) {
  const int warps = kStagedWarps / arguments.ranks;
  const int rank = warp_index() / warps;
  const int within = warp_index() % warps;
  if (rank >= arguments.ranks) {
    return;
  }
  const int channels = machine::blocks() / 2;
  const int channel = machine::block_index() / 2;
  const int place = rank * channels + channel;
  const auto total = static_cast<std::uint32_t>(arguments.channel_counts[place]);
  const std::uint32_t base = (arguments.epoch - 1U) * total;
  const std::uint8_t* rows =
      arguments.outbox[rank] +
      static_cast<std::uint64_t>(arguments.channel_starts[place]) * arguments.slot_bytes;
  std::uint8_t* ring = arguments.send_ring[rank] + static_cast<std::uint64_t>(channel) *
                                                       arguments.ring_slots * arguments.slot_bytes;
  const std::uint32_t* head = arguments.send_head[rank] + channel;
  std::uint32_t* tail = arguments.send_tail[rank] + channel;
  Pacer pacer(arguments.pace, channels * arguments.ranks * warps);
  for (std::uint32_t batch = 0; batch < total; batch += arguments.ring_chunk) {
    const std::uint32_t stop =
        batch + arguments.ring_chunk < total ? batch + arguments.ring_chunk : total;
    for (std::uint32_t row = batch + static_cast<std::uint32_t>(within); row < stop;
         row += static_cast<std::uint32_t>(warps)) {
      const std::uint32_t at = base + row;
      if (lane_index() == 0) {
        wait_until(arguments, kRingStuck, [&] {
          return at - machine::load_acquire(head) < arguments.ring_slots;
        });
      }
      machine::sync_warp();
      copy_row(ring + static_cast<std::uint64_t>(at % arguments.ring_slots) * arguments.slot_bytes,
               rows + static_cast<std::uint64_t>(row) * arguments.slot_bytes,
               arguments.slot_bytes);
      pacer.pay(arguments.slot_bytes);
    }
    machine::fence_system();
    machine::sync_group(1 + rank, 32 * warps);
    if (within == 0 && lane_index() == 0) {
      machine::store_release(tail, base + stop);
    }
  }
}

// One token per warp: its rows from the rings, summed.
EPWISE_DEVICE void add_token(const ExchangeArguments& arguments,
                             int channel,
                             int channels,
                             int token) {
  const int lane = lane_index();
  const std::int32_t ordinal =
      lane < arguments.ranks
          ? arguments.ordinals[static_cast<std::int64_t>(token) * arguments.ranks + lane]
          : -1;
  const std::uint8_t* row = nullptr;
  if (ordinal >= 0) {
    const auto total =
        static_cast<std::uint32_t>(arguments.receive_counts[lane * channels + channel]);
    const std::uint32_t at = (arguments.epoch - 1U) * total + static_cast<std::uint32_t>(ordinal);
    const std::uint32_t* tail = arguments.receive_tail[lane] + channel;
    wait_until(arguments, kRingStuck, [&] {
      return static_cast<std::int32_t>(machine::load_acquire(tail) - at) > 0;
    });
    row = arguments.receive_ring[lane] +
          (static_cast<std::uint64_t>(channel) * arguments.ring_slots + at % arguments.ring_slots) *
              arguments.slot_bytes;
  }
  machine::sync_warp();
  const Vector16* rows[kMostStagedRanks];
#pragma unroll
  for (int rank = 0; rank < kMostStagedRanks; ++rank) {
    rows[rank] = reinterpret_cast<const Vector16*>(
        machine::shuffle(reinterpret_cast<std::uintptr_t>(row), rank));
  }
  auto* out = reinterpret_cast<Vector16*>(arguments.reduced +
                                          static_cast<std::uint64_t>(token) * arguments.slot_bytes);
  const int vectors = static_cast<int>(arguments.slot_bytes / 16U);
  for (int at = lane; at < vectors; at += 32) {
    Vector16 values[kMostStagedRanks];
#pragma unroll
    for (int rank = 0; rank < kMostStagedRanks; ++rank) {
      values[rank] = rows[rank] != nullptr ? machine::load_once(rows[rank] + at) : Vector16{};
    }
    float sum[8] = {};
#pragma unroll
    for (int rank = 0; rank < kMostStagedRanks; ++rank) {
      add(sum, values[rank]);
    }
    machine::store(out + at, rounded(sum));
  }
}

// The channel's tokens in order, one batch per number of warps; after each batch the rings are
// freed up to there.
EPWISE_DEVICE void add_tokens(const ExchangeArguments& arguments) {
  const int channels = machine::blocks() / 2;
  const int channel = machine::block_index() / 2;
  const int begin = channel_begin(arguments.tokens, channels, channel);
  const int end = channel_begin(arguments.tokens, channels, channel + 1);
  std::uint32_t freed = 0;  // of the rank whose number is this thread's
  for (int start = begin; start < end; start += kStagedWarps) {
    const int token = start + warp_index();
    if (token < end) {
      add_token(arguments, channel, channels, token);
    }
    machine::sync_block();
    const int rank = machine::thread_index();
    if (rank < arguments.ranks) {
      const int stop = start + kStagedWarps < end ? start + kStagedWarps : end;
      for (int done = start; done < stop; ++done) {
        freed += slot_at(arguments, done, rank) >= 0 ? 1U : 0U;
      }
      const auto total =
          static_cast<std::uint32_t>(arguments.receive_counts[rank * channels + channel]);
      machine::store_release(arguments.receive_head[rank] + channel,
                             (arguments.epoch - 1U) * total + freed);
    }
  }
}

}  // namespace

EPWISE_KERNEL(epwise_combine_staged, ExchangeArguments, kStagedThreads) {
  stamp_start(arguments.stamps);
  if (machine::block_index() % 2 == 0) {
    push_rows_home(arguments);
  } else {
    add_tokens(arguments);
  }
  close_exchange(arguments);
}
