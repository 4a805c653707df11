#pragma once

#include <cstdint>

#include "gpu/abi/numbers.h"

/// The launch arguments of each kernel in kernels/: one struct, passed by value. Shared by the host
/// that fills it in and the device that reads it, so the pointers are device pointers. Array
/// layouts are in the comments; the last index is the fastest.
namespace epwise::abi {

/// 16 bytes, the widest access of a thread.
struct alignas(16) Vector16 {
  std::uint32_t word[4];
};

/// Start and end of an exchange on the device's own timer, ns. Null if not needed.
struct Stamps {
  std::uint64_t first_start;  // minimum over blocks; initialised to all ones
  std::uint64_t last_start;   // largest
  std::uint64_t last_end;
};

/// Why an exchange gave up: written once, the first reason is kept.
enum Trouble : std::uint32_t { kNoTrouble, kPeerSilent, kRingStuck };

struct FillArguments {
  std::uint32_t* words;  // [count]
  std::uint64_t count;
  std::uint64_t seed;
  std::int32_t fill;  // Fill
};

/// Counts words that differ from a fill, and records the first.
struct CompareArguments {
  const std::uint32_t* words;  // [count]
  std::uint64_t count;
  std::uint64_t first;  // the fill's word number of words[0]
  std::uint64_t seed;
  std::int32_t fill;
  std::uint64_t* wrong;  // [2]: count, smallest index; initialised to {0, all ones}
};

/// copy, read and write of memory.
struct StreamArguments {
  const Vector16* source;  // [count]; unused by write
  Vector16* target;        // [count]; unused by read
  std::uint64_t count;
  std::uint32_t* sum;  // read: [1], keeps the loads alive: sum of all words modulo 2^32
  std::uint32_t seed;  // write: the word that is written
};

/// A copy through shared memory by the bulk-copy engine: pieces of `piece_bytes`.
struct BulkCopyArguments {
  const std::uint8_t* source;
  std::uint8_t* target;
  std::uint64_t bytes;  // a multiple of 16
  std::uint32_t piece_bytes;
  std::uint32_t stages;  // pieces in flight per warp
};

struct RouterArguments {
  const float* logits;        // [tokens, experts]
  std::int32_t* chosen;       // [tokens, topk], best first; ties: the lower expert first
  float* probabilities;       // [tokens, topk]
  std::uint8_t* routing_map;  // [tokens, experts], 0 or 1
  std::int32_t tokens;
  std::int32_t experts;  // at most kMostExperts
  std::int32_t topk;
  std::int32_t sigmoid;  // 0: softmax over the chosen; otherwise sigmoid, divided by their sum
};

/// Counts of a routing map: each block counts a share of the tokens, the last one sums up.
struct ScanArguments {
  const std::uint8_t* routing_map;  // [tokens, experts]
  std::int32_t* partial;            // [blocks, experts]
  std::int32_t* offsets;            // [experts + 1]: rows before each expert, then the total
  std::int32_t* places;             // [tokens, experts]: row of the token at the expert; -1: none
  std::uint32_t* finished;          // [2], zero before and after
  std::int32_t tokens;
  std::int32_t experts;
};

/// Rows of one tensor into rows of another: row_of[i][j] is the destination of copy j of row i (-1:
/// none).
struct PermuteArguments {
  const Vector16* rows;        // [tokens, vectors]
  const std::int32_t* row_of;  // [tokens, copies]
  Vector16* permuted;          // [rows, vectors]
  std::int32_t tokens;
  std::int32_t copies;
  std::int32_t vectors;
};

/// The reverse: the weighted sum of the copies in fp32, in the order of the copies.
struct UnpermuteArguments {
  const Vector16* permuted;    // [rows, vectors], bf16
  const std::int32_t* row_of;  // [tokens, copies]
  const float* weights;        // [tokens, copies]; null: all 1
  Vector16* rows;              // [tokens, vectors], bf16
  std::int32_t tokens;
  std::int32_t copies;
  std::int32_t vectors;
};

/// out = silu(gate) · up · weight, with gate and up next to each other in a row.
struct SwigluArguments {
  const Vector16* gate_up;  // [rows, 2 · vectors], bf16
  const float* weights;     // [rows]; null: all 1
  Vector16* activated;      // [rows, vectors]
  std::int32_t rows;
  std::int32_t vectors;  // of 8 bf16
};

/// bf16 rows to e4m3 with one scale per 128 channels: row = scale · e4m3.
struct QuantizeArguments {
  const Vector16* rows;      // [tokens, 16 · groups], bf16
  std::uint32_t* quantized;  // [tokens, 32 · groups]: four e4m3 per word
  float* scales;             // [tokens, groups]
  std::int32_t tokens;
  std::int32_t groups;
};

/// One rank's half of an exchange: everything its blocks need to send token rows to the ranks of
/// their experts, or rows back to their source. The address tables are in device memory. In
/// loopback all addresses are on this device; the kernel cannot tell the difference.
///
/// A slot is a row and what travels with it (gpu/abi/exchange.h). Slots of an inbox are private to
/// a sender, so no slot is fought over across ranks.
struct ExchangeArguments {
  const std::uint8_t* rows;     // dispatch: [tokens, row_bytes]
  const std::int32_t* experts;  // [tokens, topk]; -1: none
  const std::int32_t* slots;  // [tokens, ranks]: slot of the token at the rank; -1: not sent there
  const std::int32_t* ordinals;  // staged: [tokens, ranks]: as `slots`, counted within the channel
  const std::int32_t* counts;    // [ranks]: number of rows sent to (returned from) each rank
  const std::int32_t* channel_counts;  // staged: [ranks, channels]
  const std::int32_t* channel_starts;  // staged: [ranks, channels]: slot of the channel's first row
  std::uint8_t* const* inbox;          // [ranks]: first slot of this rank's rows at each rank
  std::uint8_t* const* outbox;         // [ranks]: combine: location of the rows to fetch or send
  std::uint8_t* reduced;               // combine: [tokens, row_bytes]
  std::uint32_t* reserved;             // direct: [ranks], allocated slots; zero before and after
  std::uint32_t* finished;             // [1], finished blocks; zero before and after
  // [ranks]: the word on each rank that announces the arrival of this rank's rows
  std::uint64_t* const* signal;
  // [ranks]: the corresponding local words of the others: epoch and count
  const std::uint64_t* arrived;

  // staged: rings of `ring_slots` slots, one per channel and rank; head and tail count all rows
  // since the start.
  std::uint8_t* const* send_ring;            // [ranks] → [channels, ring_slots] at the receiver
  std::uint32_t* const* send_tail;           // [ranks] → [channels] at the receiver
  const std::uint32_t* const* send_head;     // [ranks] → [channels] here
  const std::uint8_t* const* receive_ring;   // [ranks] → [channels, ring_slots] here
  const std::uint32_t* const* receive_tail;  // [ranks] → [channels] here
  std::uint32_t* const* receive_head;        // [ranks] → [channels] at the sender
  const std::int32_t* receive_counts;        // [ranks, channels]
  const std::int32_t* receive_starts;        // [ranks, channels]
  std::uint8_t* received;         // [ranks] times slots: destination of the drained rings
  std::uint64_t received_stride;  // bytes between the slots of consecutive ranks

  Stamps* stamps;
  std::uint32_t* trouble;  // [1]
  std::uint64_t timeout;   // ns
  std::uint32_t pace;      // ns for 2^20 bytes of payload, over all blocks; 0: unthrottled
  std::uint32_t epoch;     // number of the exchange on these buffers, from 1
  std::int32_t tokens;
  std::int32_t topk;
  std::int32_t experts_per_rank;
  std::int32_t ranks;       // at most kMostRanks
  std::uint32_t row_bytes;  // a multiple of 16
  std::uint32_t slot_bytes;
  std::uint32_t stages;       // pipelined: slots in the queue
  std::uint32_t ring_slots;   // staged: a power of two, at least ring_chunk + kStagedWarps
  std::uint32_t ring_chunk;   // staged: slots between two updates of the tail
  std::uint32_t piece_bytes;  // staged: shared memory per warp, a multiple of 16
};

/// The receiver's check: every slot contains the row of the token that it names.
struct CheckSlotsArguments {
  const std::uint8_t* slots;  // [count, slot_bytes]
  std::uint64_t count;
  const std::int32_t* places;  // [tokens]: slot of each token; -1: none. Null: any order
  std::uint32_t* seen;         // [tokens], initialised to zero: how often each token arrived
  std::uint64_t* wrong;        // [2], as in CompareArguments
  std::uint64_t seed;          // seed of the sender's rows
  std::int32_t tokens;
  std::uint32_t row_bytes;
  std::uint32_t slot_bytes;
};

/// Row transfer as in a plain all-to-all: contiguous pieces, 16 bytes per thread.
struct PieceCopyArguments {
  const std::uint8_t* const* sources;  // [pieces]
  std::uint8_t* const* targets;        // [pieces]
  const std::uint64_t* bytes;          // [pieces], multiples of 16
  std::int32_t pieces;
  std::uint32_t chunk_bytes;
  Stamps* stamps;
};

/// Occupies SMs without doing anything else.
struct OccupyArguments {
  const volatile std::uint32_t* stop;  // [1] in host memory: set to `epoch`
  volatile std::uint32_t* running;     // [blocks] in host memory: `epoch` once a block has started
  std::uint32_t* sm_of_block;          // [blocks]
  std::uint64_t timeout;               // ns
  std::uint32_t epoch;
};

/// Blocks a stream until the host releases it.
struct GateArguments {
  const volatile std::uint32_t* open;  // [1] in host memory; opens at `epoch`
  std::uint32_t* late;                 // [1] in host memory: set to `epoch` on time-out
  std::uint64_t* opened;               // [1]: when, on the device's timer, ns
  std::uint64_t timeout;
  std::uint32_t epoch;
};

struct MarkArguments {
  std::uint64_t* at;  // [1]: the device's timer, ns
};

struct CountArguments {
  std::uint32_t* count;  // [1]: launches
};

/// SM clock measured against the timer, over about `span` ns: {cycles, ns}.
struct ClockArguments {
  std::uint64_t* cycles_and_time;  // [2]
  std::uint64_t span;
};

}  // namespace epwise::abi
