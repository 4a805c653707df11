// Sends token rows to the ranks of their experts, one copy per rank regardless of the number of
// experts there. Three structures, modelled on what is known of three libraries; none is the original,
// and no result is reported under their names:
//   direct     one warp per token: row into shared memory, then one store per rank straight into the
//              peer's memory, all written before the next token; slots are reserved on arrival.
//   pipelined  few threads, deep queue: one warp loads, three store, work in chunks of 64 tokens;
//              slots are known in advance.
//   staged     even blocks push rows with ordinary stores into rings at the receiver, odd blocks
//              drain their own.
// Bytes per launch with P the payload (rows × copies): direct and pipelined read tokens·row and write
// P; staged reads and writes P twice. In loopback the ranks are regions of this device's memory.
// Not included: network sends, fp8 conversion during the transfer, the notification that counts rows
// in advance.

#include "exchange.cuh"

using namespace epwise::abi;  // NOLINT(google-build-using-namespace): kernels are global names
using namespace exchange;     // NOLINT(google-build-using-namespace)

EPWISE_KERNEL(epwise_dispatch_direct, ExchangeArguments, kDirectThreads) {
  stamp_start(arguments.stamps);
  const int warps = machine::threads() / 32;
  const int warp = warp_index();
  const int lane = lane_index();
  unsigned char* shared = machine::shared_memory();
  auto* loaded = reinterpret_cast<machine::Barrier*>(shared) + warp;
  unsigned char* slot =
      shared + kBarrierBytes + static_cast<std::uint32_t>(warp) * arguments.slot_bytes;
  if (lane == 0) {
    machine::open_barrier(loaded, 1);
    machine::publish_barriers();
  }
  machine::sync_warp();

  Pacer pacer(arguments.pace, machine::blocks() * warps);
  std::uint32_t parity = 0;
  for (int token = machine::block_index() * warps + warp; token < arguments.tokens;
       token += machine::blocks() * warps) {
    machine::load_row(loaded,
                      slot,
                      arguments.rows + static_cast<std::int64_t>(token) * arguments.row_bytes,
                      arguments.row_bytes);
    std::int32_t rank = -1;
    if (lane < arguments.topk) {
      const std::int32_t expert =
          arguments.experts[static_cast<std::int64_t>(token) * arguments.topk + lane];
      rank = expert >= 0 ? expert / arguments.experts_per_rank : -1;
    }
    const std::uint32_t same = machine::same_value(rank);
    const bool first = rank >= 0 && machine::first_bit(same) == lane;
    std::uint32_t place = 0;
    if (first) {
      place = machine::add_atomically(arguments.reserved + rank, 1U);
    }
    write_tail(slot, arguments, token);
    machine::fence_copy_engine();
    machine::wait(loaded, parity);
    parity ^= 1U;
    machine::sync_warp();
    std::uint32_t copies = machine::ballot(first);
    const auto count = static_cast<std::uint32_t>(machine::count_bits(copies));
    while (copies != 0) {
      const int leader = machine::first_bit(copies);
      copies &= copies - 1U;
      const std::int32_t to_rank = machine::shuffle(rank, leader);
      const std::uint64_t to_place = machine::shuffle(place, leader);
      machine::store_row(
          arguments.inbox[to_rank] + to_place * arguments.slot_bytes, slot, arguments.slot_bytes);
    }
    machine::close_stores();
    machine::wait_stores_written();
    pacer.pay(count * arguments.row_bytes);
  }
  close_exchange(arguments);
}

namespace {

struct Queue {
  machine::Barrier* full;   // [stages], one arrival and the row's bytes
  machine::Barrier* empty;  // [stages]
  unsigned char* slots;     // [stages]
};

EPWISE_DEVICE Queue open_queue(const ExchangeArguments& arguments, std::uint32_t readers) {
  unsigned char* shared = machine::shared_memory();
  auto* barriers = reinterpret_cast<machine::Barrier*>(shared);
  const Queue queue = {barriers, barriers + arguments.stages, shared + kBarrierBytes};
  if (machine::thread_index() == 0) {
    for (std::uint32_t i = 0; i < arguments.stages; ++i) {
      machine::open_barrier(queue.full + i, 1);
      machine::open_barrier(queue.empty + i, readers);
    }
    machine::publish_barriers();
  }
  machine::sync_block();
  return queue;
}

EPWISE_DEVICE void load_tokens(const ExchangeArguments& arguments, const Queue& queue) {
  std::uint32_t number = 0;
  for_each_token(arguments.tokens, [&](int token) {
    const std::uint32_t stage = number % arguments.stages;
    const std::uint32_t turn = number / arguments.stages;
    if (turn > 0) {
      machine::wait(queue.empty + stage, (turn - 1U) & 1U);
      machine::sync_warp();
    }
    machine::load_row(queue.full + stage,
                      queue.slots + stage * arguments.slot_bytes,
                      arguments.rows + static_cast<std::int64_t>(token) * arguments.row_bytes,
                      arguments.row_bytes);
    ++number;
  });
}

// Stores one token's slot at all its ranks; returns how many there were.
EPWISE_DEVICE std::uint32_t store_copies(const ExchangeArguments& arguments,
                                         const unsigned char* slot,
                                         int token) {
  std::uint32_t count = 0;
  for (int start = 0; start < arguments.ranks; start += 32) {
    const int mine = start + lane_index();
    const std::int32_t place = mine < arguments.ranks ? slot_at(arguments, token, mine) : -1;
    std::uint32_t copies = machine::ballot(place >= 0);
    count += static_cast<std::uint32_t>(machine::count_bits(copies));
    while (copies != 0) {
      const int from = machine::first_bit(copies);
      copies &= copies - 1U;
      const auto to_place = static_cast<std::uint64_t>(machine::shuffle(place, from));
      machine::store_row(arguments.inbox[start + from] + to_place * arguments.slot_bytes,
                         slot,
                         arguments.slot_bytes);
    }
  }
  return count;
}

EPWISE_DEVICE void store_tokens(const ExchangeArguments& arguments,
                                const Queue& queue,
                                int storer) {
  Pacer pacer(arguments.pace, machine::blocks() * kPipelinedStorers);
  std::uint32_t next = 0;
  std::uint32_t stored = 0;
  for_each_token(arguments.tokens, [&](int token) {
    const std::uint32_t number = next++;
    if (static_cast<int>(number % kPipelinedStorers) != storer) {
      return;
    }
    const std::uint32_t stage = number % arguments.stages;
    unsigned char* slot = queue.slots + stage * arguments.slot_bytes;
    machine::wait(queue.full + stage, (number / arguments.stages) & 1U);
    // Only now: until its load began, the stage belonged to the store of an earlier token.
    write_tail(slot, arguments, token);
    machine::fence_copy_engine();
    machine::sync_warp();
    const std::uint32_t copies = store_copies(arguments, slot, token);
    machine::close_stores();
    machine::wait_stores_read<kStoresInFlight>();
    if (stored >= kStoresInFlight && lane_index() == 0) {
      machine::arrive(queue.empty +
                      (number - kPipelinedStorers * kStoresInFlight) % arguments.stages);
    }
    ++stored;
    pacer.pay(copies * arguments.row_bytes);
  });
  machine::wait_stores_written();
}

}  // namespace

EPWISE_KERNEL(epwise_dispatch_pipelined, ExchangeArguments, kPipelinedThreads) {
  stamp_start(arguments.stamps);
  const Queue queue = open_queue(arguments, 1);
  if (warp_index() == 0) {
    load_tokens(arguments, queue);
  } else {
    store_tokens(arguments, queue, warp_index() - 1);
  }
  close_exchange(arguments);
}

namespace {

// A group of warps serves one rank of one channel.
struct Group {
  int rank;
  int within;  // warp of the group
  int warps;
  int channel;
  int channels;
  int place;  // in tables [ranks, channels]
};

EPWISE_DEVICE Group group_of_warp(const ExchangeArguments& arguments) {
  Group group = {};
  group.warps = kStagedWarps / arguments.ranks;
  group.rank = warp_index() / group.warps;
  group.within = warp_index() % group.warps;
  group.channel = machine::block_index() / 2;
  group.channels = machine::blocks() / 2;
  group.place = group.rank * group.channels + group.channel;
  return group;
}

EPWISE_DEVICE void sync_warps(const Group& group) {
  machine::sync_group(1 + group.rank, 32 * group.warps);
}

// The rows of the channel's tokens for one rank, in order, into the ring there. The warps take
// turns row by row; after each chunk they synchronise, and the tail notifies the receiver.
EPWISE_DEVICE void push_rows(const ExchangeArguments& arguments, const Group& group) {
  const int begin = channel_begin(arguments.tokens, group.channels, group.channel);
  const int end = channel_begin(arguments.tokens, group.channels, group.channel + 1);
  const auto total = static_cast<std::uint32_t>(arguments.channel_counts[group.place]);
  const std::uint32_t base = (arguments.epoch - 1U) * total;
  std::uint8_t* ring = arguments.send_ring[group.rank] + static_cast<std::uint64_t>(group.channel) *
                                                             arguments.ring_slots *
                                                             arguments.slot_bytes;
  const std::uint32_t* head = arguments.send_head[group.rank] + group.channel;
  std::uint32_t* tail = arguments.send_tail[group.rank] + group.channel;
  Pacer pacer(arguments.pace, machine::blocks() / 2 * arguments.ranks * group.warps);
  std::uint32_t position = 0;
  for (int start = begin; start < end; start += 32) {
    const int mine = start + lane_index();
    std::uint32_t goes = machine::ballot(
        mine < end && slot_at(arguments, mine < end ? mine : begin, group.rank) >= 0);
    while (goes != 0) {
      const int token = start + machine::first_bit(goes);
      goes &= goes - 1U;
      if (static_cast<int>(position % static_cast<std::uint32_t>(group.warps)) == group.within) {
        const std::uint32_t at = base + position;
        if (lane_index() == 0) {
          wait_until(arguments, kRingStuck, [&] {
            return at - machine::load_acquire(head) < arguments.ring_slots;
          });
        }
        machine::sync_warp();
        std::uint8_t* slot =
            ring + static_cast<std::uint64_t>(at % arguments.ring_slots) * arguments.slot_bytes;
        copy_row(slot,
                 arguments.rows + static_cast<std::int64_t>(token) * arguments.row_bytes,
                 arguments.row_bytes);
        write_tail(slot, arguments, token);
        pacer.pay(arguments.row_bytes);
      }
      ++position;
      if (position % arguments.ring_chunk == 0 || position == total) {
        machine::fence_system();
        sync_warps(group);
        if (group.within == 0 && lane_index() == 0) {
          machine::store_release(tail, base + position);
        }
      }
    }
  }
}

EPWISE_DEVICE void drain_rows(const ExchangeArguments& arguments, const Group& group) {
  unsigned char* shared = machine::shared_memory();
  auto* loaded = reinterpret_cast<machine::Barrier*>(shared) + warp_index();
  unsigned char* piece =
      shared + kBarrierBytes + static_cast<std::uint32_t>(warp_index()) * arguments.piece_bytes;
  if (lane_index() == 0) {
    machine::open_barrier(loaded, 1);
    machine::publish_barriers();
  }
  machine::sync_warp();
  const auto total = static_cast<std::uint32_t>(arguments.receive_counts[group.place]);
  const std::uint32_t base = (arguments.epoch - 1U) * total;
  const std::uint8_t* ring =
      arguments.receive_ring[group.rank] +
      static_cast<std::uint64_t>(group.channel) * arguments.ring_slots * arguments.slot_bytes;
  const std::uint32_t* tail = arguments.receive_tail[group.rank] + group.channel;
  std::uint32_t* head = arguments.receive_head[group.rank] + group.channel;
  std::uint8_t* out =
      arguments.received + static_cast<std::uint64_t>(group.rank) * arguments.received_stride +
      static_cast<std::uint64_t>(arguments.receive_starts[group.place]) * arguments.slot_bytes;
  std::uint32_t parity = 0;
  for (std::uint32_t batch = 0; batch < total; batch += arguments.ring_chunk) {
    const std::uint32_t stop =
        batch + arguments.ring_chunk < total ? batch + arguments.ring_chunk : total;
    for (std::uint32_t row = batch + static_cast<std::uint32_t>(group.within); row < stop;
         row += static_cast<std::uint32_t>(group.warps)) {
      const std::uint32_t at = base + row;
      if (lane_index() == 0) {
        wait_until(arguments, kRingStuck, [&] {
          return static_cast<std::int32_t>(machine::load_acquire(tail) - at) > 0;
        });
        machine::fence_copy_engine();
      }
      machine::sync_warp();
      const std::uint8_t* from =
          ring + static_cast<std::uint64_t>(at % arguments.ring_slots) * arguments.slot_bytes;
      for (std::uint32_t offset = 0; offset < arguments.slot_bytes;
           offset += arguments.piece_bytes) {
        const std::uint32_t left = arguments.slot_bytes - offset;
        const std::uint32_t bytes = left < arguments.piece_bytes ? left : arguments.piece_bytes;
        machine::wait_stores_read<0>();
        machine::load_row(loaded, piece, from + offset, bytes);
        machine::wait(loaded, parity);
        parity ^= 1U;
        machine::sync_warp();
        machine::store_row(
            out + static_cast<std::uint64_t>(row) * arguments.slot_bytes + offset, piece, bytes);
        machine::close_stores();
      }
    }
    // All rows of the batch have been read from the ring into shared memory.
    sync_warps(group);
    if (group.within == 0 && lane_index() == 0) {
      machine::store_release(head, base + stop);
    }
  }
  machine::wait_stores_written();
}

}  // namespace

EPWISE_KERNEL(epwise_dispatch_staged, ExchangeArguments, kStagedThreads) {
  stamp_start(arguments.stamps);
  const Group group = group_of_warp(arguments);
  if (group.rank < arguments.ranks) {
    if (machine::block_index() % 2 == 0) {
      push_rows(arguments, group);
    } else {
      drain_rows(arguments, group);
    }
  }
  close_exchange(arguments);
}
