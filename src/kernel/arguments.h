#pragma once

#include <cstdint>

#include "kernel/numbers.h"

/// What a launch of each kernel in kernels/ gets: one struct by value. Written for both sides, the
/// host that fills it in and the device that reads it, so the pointers are the device's. Layouts of
/// arrays stand in the comments; the fastest index is the last.
namespace epwise::kernel {

/// 16 bytes, the widest access of a thread.
struct alignas(16) Vector16 {
  std::uint32_t word[4];
};

/// When an exchange ran, on the device's own timer, ns. Null where a launch needs none.
struct Stamps {
  std::uint64_t first_start;  // smallest over blocks; begins as all ones
  std::uint64_t last_start;   // largest
  std::uint64_t last_end;
};

/// Why an exchange gave up: written once, the first reason stays.
enum Trouble : std::uint32_t { kNoTrouble, kPeerSilent, kRingStuck };

struct FillArguments {
  std::uint32_t* words;  // [count]
  std::uint64_t count;
  std::uint64_t seed;
  std::int32_t fill;  // Fill
};

/// Counts words that differ from a fill, and remembers the first.
struct CompareArguments {
  const std::uint32_t* words;  // [count]
  std::uint64_t count;
  std::uint64_t first;  // the fill's word that words[0] should be
  std::uint64_t seed;
  std::int32_t fill;
  std::uint64_t* wrong;  // [2]: how many, smallest index; begins as {0, all ones}
};

/// copy, read and write of memory.
struct StreamArguments {
  const Vector16* source;  // [count]; unused by write
  Vector16* target;        // [count]; unused by read
  std::uint64_t count;
  std::uint32_t* sum;  // read: [1], what keeps the loads alive: all words added up, modulo 2^32
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
  std::int32_t* chosen;       // [tokens, topk], best first; of equal logits the lower expert
  float* probabilities;       // [tokens, topk]
  std::uint8_t* routing_map;  // [tokens, experts], 0 or 1
  std::int32_t tokens;
  std::int32_t experts;  // at most kMostExperts
  std::int32_t topk;
  std::int32_t sigmoid;  // 0: softmax over the chosen; else sigmoid, divided by their sum
};

/// Counts of a routing map: one block sums a share of the tokens, the last one adds up.
struct ScanArguments {
  const std::uint8_t* routing_map;  // [tokens, experts]
  std::int32_t* partial;            // [blocks, experts]
  std::int32_t* offsets;            // [experts + 1]: rows before each expert, then all
  std::int32_t* places;             // [tokens, experts]: row of the token at the expert; -1: none
  std::uint32_t* finished;          // [2], zero before and after
  std::int32_t tokens;
  std::int32_t experts;
};

/// Rows of one tensor into rows of another: row_of[i][j] is where copy j of row i goes (-1:
/// nowhere).
struct PermuteArguments {
  const Vector16* rows;        // [tokens, vectors]
  const std::int32_t* row_of;  // [tokens, copies]
  Vector16* permuted;          // [rows, vectors]
  std::int32_t tokens;
  std::int32_t copies;
  std::int32_t vectors;
};

/// And back: the sum of the copies, each by its weight, in fp32, in the order of the copies.
struct UnpermuteArguments {
  const Vector16* permuted;    // [rows, vectors], bf16
  const std::int32_t* row_of;  // [tokens, copies]
  const float* weights;        // [tokens, copies]; null: all 1
  Vector16* rows;              // [tokens, vectors], bf16
  std::int32_t tokens;
  std::int32_t copies;
  std::int32_t vectors;
};

/// out = silu(gate) · up · weight, with gate and up side by side in a row.
struct SwigluArguments {
  const Vector16* gate_up;  // [rows, 2 · vectors], bf16
  const float* weights;     // [rows]; null: all 1
  Vector16* activated;      // [rows, vectors]
  std::int32_t rows;
  std::int32_t vectors;  // of 8 bf16
};

/// bf16 rows to e4m3 with one scale for 128 channels: row = scale · e4m3.
struct QuantizeArguments {
  const Vector16* rows;      // [tokens, 16 · groups], bf16
  std::uint32_t* quantized;  // [tokens, 32 · groups]: four e4m3 a word
  float* scales;             // [tokens, groups]
  std::int32_t tokens;
  std::int32_t groups;
};

/// One rank's half of an exchange: everything that its blocks need to send token rows to the ranks
/// of their experts, or rows back home. The tables of addresses are device memory. In loopback all
/// addresses are on this device; the kernel can't tell.
///
/// A slot is a row and what travels with it (kernel/exchange.h). Slots of an inbox are private to a
/// sender, so no slot is fought over across ranks.
struct ExchangeArguments {
  const std::uint8_t* rows;     // dispatch: [tokens, row_bytes]
  const std::int32_t* experts;  // [tokens, topk]; -1: none
  const std::int32_t* slots;  // [tokens, ranks]: slot of the token at the rank; -1: not sent there
  const std::int32_t* ordinals;  // staged: [tokens, ranks]: as `slots`, counted within the channel
  const std::int32_t* counts;    // [ranks]: rows that go to (come back from) each rank
  const std::int32_t* channel_counts;  // staged: [ranks, channels]
  const std::int32_t* channel_starts;  // staged: [ranks, channels]: slot of the channel's first row
  std::uint8_t* const* inbox;          // [ranks]: where my slots begin at each rank
  std::uint8_t* const* outbox;         // [ranks]: combine: where the rows lie that I fetch or send
  std::uint8_t* reduced;               // combine: [tokens, row_bytes]
  std::uint32_t* reserved;             // direct: [ranks], slots given out; zero before and after
  std::uint32_t* finished;             // [1], blocks that are done; zero before and after
  std::uint64_t* const* signal;  // [ranks]: the word at each rank that says "mine have arrived"
  const std::uint64_t* arrived;  // [ranks]: those words of the others, here: epoch and count

  // staged: rings of `ring_slots` slots, one a channel and rank; head and tail count all rows ever.
  std::uint8_t* const* send_ring;            // [ranks] → [channels, ring_slots] at the receiver
  std::uint32_t* const* send_tail;           // [ranks] → [channels] at the receiver
  const std::uint32_t* const* send_head;     // [ranks] → [channels] here
  const std::uint8_t* const* receive_ring;   // [ranks] → [channels, ring_slots] here
  const std::uint32_t* const* receive_tail;  // [ranks] → [channels] here
  std::uint32_t* const* receive_head;        // [ranks] → [channels] at the sender
  const std::int32_t* receive_counts;        // [ranks, channels]
  const std::int32_t* receive_starts;        // [ranks, channels]
  std::uint8_t* received;                    // [ranks] times slots: what the rings are drained into
  std::uint64_t received_stride;             // bytes from one rank's slots to the next's

  Stamps* stamps;
  std::uint32_t* trouble;  // [1]
  std::uint64_t timeout;   // ns
  std::uint32_t pace;      // ns for 2^20 bytes of payload, of all blocks; 0: as fast as it goes
  std::uint32_t epoch;     // which exchange over these buffers, from 1
  std::int32_t tokens;
  std::int32_t topk;
  std::int32_t experts_per_rank;
  std::int32_t ranks;       // at most kMostRanks
  std::uint32_t row_bytes;  // a multiple of 16
  std::uint32_t slot_bytes;
  std::uint32_t stages;       // pipelined: slots of the queue
  std::uint32_t ring_slots;   // staged: a power of two, at least ring_chunk + kStagedWarps
  std::uint32_t ring_chunk;   // staged: slots between two updates of the tail
  std::uint32_t piece_bytes;  // staged: shared memory of a warp, a multiple of 16
};

/// What a receiver checks: every slot holds the row of the token that it names.
struct CheckSlotsArguments {
  const std::uint8_t* slots;  // [count, slot_bytes]
  std::uint64_t count;
  const std::int32_t* places;  // [tokens]: slot of each token; -1: none. Null: any order
  std::uint32_t* seen;         // [tokens], begins as zero: how often each token came
  std::uint64_t* wrong;        // [2], as in CompareArguments
  std::uint64_t seed;          // of the sender's rows
  std::int32_t tokens;
  std::uint32_t row_bytes;
  std::uint32_t slot_bytes;
};

/// Rows between ranks as a plain all-to-all does it: contiguous pieces, 16 bytes a thread.
struct PieceCopyArguments {
  const std::uint8_t* const* sources;  // [pieces]
  std::uint8_t* const* targets;        // [pieces]
  const std::uint64_t* bytes;          // [pieces], multiples of 16
  std::int32_t pieces;
  std::uint32_t chunk_bytes;
  Stamps* stamps;
};

/// Holds SMs, and does nothing else.
struct OccupyArguments {
  const volatile std::uint32_t* stop;  // [1] in host memory: becomes `epoch`
  volatile std::uint32_t* running;     // [blocks] in host memory: `epoch` once a block has begun
  std::uint32_t* sm_of_block;          // [blocks]
  std::uint64_t timeout;               // ns
  std::uint32_t epoch;
};

/// Holds a stream until the host lets go.
struct GateArguments {
  const volatile std::uint32_t* open;  // [1] in host memory; opens at `epoch`
  std::uint32_t* late;                 // [1] in host memory: set to `epoch` when it gave up
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

/// Clock of an SM against the timer, over about `span` ns: {cycles, ns}.
struct ClockArguments {
  std::uint64_t* cycles_and_time;  // [2]
  std::uint64_t span;
};

}  // namespace epwise::kernel
