// The second half of exchanges that end in a buffer: on all SMs, memory-bound. Copying takes rows
// out of their slots into one tensor; reducing adds the copies of a token. Also transfers rows
// between ranks as a plain all-to-all. Bytes per launch with P the payload: copy 2·P, reduce P +
// tokens·row, pieces 2·bytes.

#include "exchange.cuh"

using namespace epwise::abi;  // NOLINT(google-build-using-namespace): kernels are global names
using namespace exchange;     // NOLINT(google-build-using-namespace)

// Rows of outbox[rank], rank after rank, without their tails.
EPWISE_KERNEL(epwise_copy_epilogue, ExchangeArguments, kRowThreads) {
  const std::uint32_t vectors = arguments.row_bytes / 16U;
  std::int64_t before = 0;
  for (int rank = 0; rank < arguments.ranks; ++rank) {
    const int count = arguments.counts[rank];
    const int taken = static_cast<int>(before % machine::blocks());
    const int block = machine::block_index();
    for (int i = block >= taken ? block - taken : block - taken + machine::blocks(); i < count;
         i += machine::blocks()) {
      const auto* from = reinterpret_cast<const Vector16*>(
          arguments.outbox[rank] + static_cast<std::uint64_t>(i) * arguments.slot_bytes);
      auto* to = reinterpret_cast<Vector16*>(
          arguments.reduced + static_cast<std::uint64_t>(before + i) * arguments.row_bytes);
      for (auto at = static_cast<std::uint32_t>(machine::thread_index()); at < vectors;
           at += static_cast<std::uint32_t>(machine::threads())) {
        machine::store(to + at, machine::load_once(from + at));
      }
    }
    before += count;
  }
}

EPWISE_KERNEL(epwise_reduce_epilogue, ExchangeArguments, kRowThreads) {
  const int vectors = static_cast<int>(arguments.slot_bytes / 16U);
  for (int token = machine::block_index(); token < arguments.tokens; token += machine::blocks()) {
    auto* out = reinterpret_cast<Vector16*>(arguments.reduced + static_cast<std::uint64_t>(token) *
                                                                    arguments.slot_bytes);
    for (int at = machine::thread_index(); at < vectors; at += machine::threads()) {
      float sum[8] = {};
#pragma unroll 4
      for (int rank = 0; rank < arguments.ranks; ++rank) {
        const std::int32_t slot = slot_at(arguments, token, rank);
        if (slot >= 0) {
          const auto* row = reinterpret_cast<const Vector16*>(
              arguments.outbox[rank] + static_cast<std::uint64_t>(slot) * arguments.slot_bytes);
          const Vector16 value = machine::load_once(row + at);
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            sum[2 * i] += float_of(value.word[i] << 16U);
            sum[2 * i + 1] += float_of(value.word[i] & 0xffff0000U);
          }
        }
      }
      Vector16 total = {};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        total.word[i] = two_bf16(sum[2 * i], sum[2 * i + 1]);
      }
      machine::store(out + at, total);
    }
  }
}

EPWISE_KERNEL(epwise_copy_pieces, PieceCopyArguments, kPieceThreads) {
  stamp_start(arguments.stamps);
  const std::uint64_t chunk = arguments.chunk_bytes;
  std::uint64_t before = 0;
  const auto blocks = static_cast<std::uint64_t>(machine::blocks());
  const auto block = static_cast<std::uint64_t>(machine::block_index());
  for (int piece = 0; piece < arguments.pieces; ++piece) {
    const std::uint64_t bytes = arguments.bytes[piece];
    const std::uint64_t chunks = (bytes + chunk - 1) / chunk;
    for (std::uint64_t i = (block + blocks - before % blocks) % blocks; i < chunks; i += blocks) {
      const std::uint64_t begin = i * chunk;
      const std::uint64_t end = begin + chunk < bytes ? begin + chunk : bytes;
      const auto* from = reinterpret_cast<const Vector16*>(arguments.sources[piece]);
      auto* to = reinterpret_cast<Vector16*>(arguments.targets[piece]);
      for (std::uint64_t at = begin / 16 + static_cast<std::uint64_t>(machine::thread_index());
           at < end / 16;
           at += 4 * kPieceThreads) {
        Vector16 values[4];
#pragma unroll
        for (std::uint64_t j = 0; j < 4; ++j) {
          if (at + j * kPieceThreads < end / 16) {
            values[j] = machine::load_once(from + at + j * kPieceThreads);
          }
        }
#pragma unroll
        for (std::uint64_t j = 0; j < 4; ++j) {
          if (at + j * kPieceThreads < end / 16) {
            machine::store(to + at + j * kPieceThreads, values[j]);
          }
        }
      }
    }
    before += chunks;
  }
  stamp_end(arguments.stamps);
}

// Every slot must contain the row of the token that it names, and every token must arrive as often
// as it should.
EPWISE_KERNEL(epwise_check_slots, CheckSlotsArguments, kRowThreads) {
  const std::uint32_t words = arguments.row_bytes / 4U;
  for (auto slot = static_cast<std::uint64_t>(machine::block_index()); slot < arguments.count;
       slot += static_cast<std::uint64_t>(machine::blocks())) {
    const std::uint8_t* place = arguments.slots + slot * arguments.slot_bytes;
    const auto token = *reinterpret_cast<const std::int32_t*>(place + arguments.row_bytes);
    bool right = token >= 0 && token < arguments.tokens;
    if (right && arguments.places != nullptr) {
      right = arguments.places[token] == static_cast<std::int32_t>(slot);
    }
    if (right) {
      if (machine::thread_index() == 0) {
        machine::add_atomically(arguments.seen + token, 1U);
      }
      const auto* row = reinterpret_cast<const std::uint32_t*>(place);
      const std::uint64_t first = static_cast<std::uint64_t>(token) * words;
      for (auto word = static_cast<std::uint32_t>(machine::thread_index()); word < words;
           word += static_cast<std::uint32_t>(machine::threads())) {
        right = right && row[word] == filled_word(kFillWords, arguments.seed, first + word);
      }
    }
    if (!right) {
      machine::add_atomically(arguments.wrong, std::uint64_t{1});
      machine::lower_atomically(arguments.wrong + 1, slot);
    }
  }
}
