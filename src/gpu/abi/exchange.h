#pragma once

#include <cstdint>

#include "gpu/abi/arguments.h"

/// Index arithmetic of the exchanges, shared by kernels and references.
namespace epwise::abi {

// Limits that determine the sizes of arrays in registers and shared memory; the host rejects
// anything larger.
constexpr int kMostExperts = 1024;
constexpr int kMostTopk = 32;
constexpr int kMostRanks = 128;
constexpr int kMostStagedRanks = 8;                          // 24 warps in groups, one per rank
constexpr int kReduceVectors = 8;                            // per lane in the pipelined combine
constexpr int kMostReduceVectors = 4 * 32 * kReduceVectors;  // hence rows of 8192 bf16

// Launch shapes.
constexpr int kStreamThreads = 512;
constexpr int kStreamUnroll = 4;
constexpr int kRowThreads = 256;     // permute, unpermute, epilogues: one block per row
constexpr int kRouterThreads = 128;  // a warp a token
constexpr int kScanThreads = 256;
constexpr int kDirectThreads = 896;     // at most; one warp per slot of shared memory
constexpr int kPipelinedThreads = 128;  // one loader, three storers
constexpr int kPipelinedStorers = 3;
constexpr int kStoresInFlight = 2;  // groups that a storing warp leaves unread
constexpr int kLeastStages = kPipelinedStorers * kStoresInFlight + 1;
constexpr int kReduceWarps = 4;
constexpr int kPipelinedCombineThreads = 32 * (1 + kReduceWarps);
constexpr int kStagedWarps = 24;
constexpr int kStagedThreads = 32 * kStagedWarps;
constexpr std::uint32_t kStagedPiece = 8192;  // shared memory per draining warp, at most, in bytes
constexpr int kPieceThreads = 640;
constexpr int kChunkTokens = 64;  // pipelined: tokens that a block takes at a time
constexpr int kCopyWarps = 16;    // bulk copy

/// Shared memory before the slots: barriers of 8 bytes, and one word for the block at the end.
constexpr std::uint32_t kBarrierBytes = 1024;
constexpr std::uint32_t kBlockWord = kBarrierBytes - 16;  // its offset
constexpr int kMostBarriers = static_cast<int>(kBlockWord / 8);

EPWISE_BOTH inline std::uint32_t round_up_16(std::uint32_t bytes) {
  return (bytes + 15U) / 16U * 16U;
}

/// Metadata after a row: the token's number, then its experts. 8 experts: 48 bytes.
EPWISE_BOTH inline std::uint32_t tail_bytes(std::int32_t topk) {
  return round_up_16(4U + 4U * static_cast<std::uint32_t>(topk));
}

EPWISE_BOTH inline std::uint32_t slot_bytes_of(std::uint32_t row_bytes, std::int32_t topk) {
  return row_bytes + tail_bytes(topk);
}

/// Bytes of a token's row on the wire; an fp8 row includes one fp32 scale per 128 channels. 7168
/// bf16: 14336; 7168 fp8: 7392.
EPWISE_BOTH inline std::uint32_t row_bytes_of(std::int64_t hidden, bool fp8) {
  const std::int64_t bytes = fp8 ? hidden + (hidden + 127) / 128 * 4 : 2 * hidden;
  return round_up_16(static_cast<std::uint32_t>(bytes));
}

/// First token of a channel's share; for channel `channels` the number of tokens.
EPWISE_BOTH inline std::int32_t channel_begin(std::int32_t tokens,
                                              std::int32_t channels,
                                              std::int32_t channel) {
  return static_cast<std::int32_t>(static_cast<std::int64_t>(tokens) * channel / channels);
}

/// The word that signals to a rank that `count` rows of exchange number `epoch` have arrived.
EPWISE_BOTH inline std::uint64_t arrival_word(std::uint32_t epoch, std::uint32_t count) {
  return (static_cast<std::uint64_t>(epoch) << 32U) | count;
}

/// Whether such a word belongs to this exchange or a later one (epochs wrap around).
EPWISE_BOTH inline bool has_arrived(std::uint64_t word, std::uint32_t epoch) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(word >> 32U) - epoch) >= 0;
}

}  // namespace epwise::abi
