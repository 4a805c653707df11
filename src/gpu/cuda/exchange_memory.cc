#include "gpu/cuda/exchange_memory.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "gpu/cuda/agreement.h"

namespace epwise::cuda {

namespace {

/// Offsets of consecutive pieces.
std::vector<std::int64_t> begins(const std::vector<std::int32_t>& counts) {
  std::vector<std::int64_t> starts;
  std::int64_t before = 0;
  for (const std::int32_t count : counts) {
    starts.push_back(before);
    before += count;
  }
  return starts;
}

}  // namespace

ExchangeTables exchange_tables(std::int32_t tokens,
                               std::int32_t topk,
                               std::int32_t experts,
                               int ranks,
                               int me,
                               bool loopback,
                               int channels,
                               std::uint64_t seed) {
  ExchangeTables tables;
  tables.ranks = ranks;
  tables.me = me;
  tables.loopback = loopback;
  for (int rank = 0; rank < (loopback ? 1 : ranks); ++rank) {
    auto routing =
        abi::seeded_routing(tokens, topk, experts, seed + static_cast<std::uint64_t>(rank));
    tables.all.push_back(abi::copies_of(routing, ranks));
    if (rank == me) {
      tables.routing = std::move(routing);
    }
  }
  tables.copies = tables.all[as_index(me)];
  tables.channels = abi::channel_copies_of(tables.copies, tokens, channels);
  tables.home = begins(tables.copies.counts);
  for (int rank = 0; rank < ranks; ++rank) {
    // Rows at a rank are ordered by sender; in loopback by the rank that they represent.
    std::int64_t before = 0;
    for (int earlier = 0; !loopback && earlier < me; ++earlier) {
      before += tables.all[as_index(earlier)].counts[as_index(rank)];
    }
    tables.land.push_back(loopback ? tables.home[as_index(rank)] : before);
    tables.arriving.push_back(loopback ? tables.copies.counts[as_index(rank)]
                                       : tables.all[as_index(rank)].counts[as_index(me)]);
    tables.received += tables.arriving.back();
  }
  tables.from = begins(tables.arriving);
  for (int rank = 0; rank < ranks; ++rank) {
    const abi::ChannelCopies theirs =
        loopback ? tables.channels
                 : abi::channel_copies_of(tables.all[as_index(rank)], tokens, channels);
    const int region = loopback ? rank : me;
    for (int channel = 0; channel < channels; ++channel) {
      const std::size_t place = as_index(region) * as_index(channels) + as_index(channel);
      tables.receive_counts.push_back(theirs.counts[place]);
      tables.receive_starts.push_back(theirs.starts[place] +
                                      static_cast<std::int32_t>(tables.from[as_index(rank)]));
    }
  }
  return tables;
}

namespace {

using calibrate::Kernel;
using calibrate::Structure;

// Offsets in the control block. Words that peers poll are kept apart from the others.
constexpr std::size_t kControlBytes = std::size_t{1} << 21U;
constexpr std::size_t kFinished = 0;
constexpr std::size_t kTrouble = 128;
constexpr std::size_t kReserved = 1024;
constexpr std::size_t kArrived = 4096;
constexpr std::size_t kStamps = 8192;
constexpr std::size_t kTails = 65536;
constexpr std::size_t kHeads = 131072;
constexpr std::size_t kRankWords = 1024;  // bytes of tails or heads per rank: 256 channels

// Ring sizes as in V1-like libraries: a few hundred rows, signalled in small chunks.
constexpr std::uint32_t kRingSlots = 128;
constexpr std::uint32_t kRingChunk = 8;

}  // namespace

ExchangeMemory::ExchangeMemory(JobContext& context,
                               const ExchangeShape& shape,
                               ExchangeTables tables,
                               std::uint64_t seed)
    : context_(context),
      shape_(shape),
      tables_(std::move(tables)) {
  agree_on_memory(seed);
  arguments_.counts = numbers(tables_.copies.counts);
  arguments_.slots = numbers(tables_.copies.slots);
  arguments_.tokens = shape.tokens;
  arguments_.topk = shape.topk;
  arguments_.experts_per_rank = shape.experts / tables_.ranks;
  arguments_.ranks = tables_.ranks;
  arguments_.row_bytes = shape.row_bytes;
  arguments_.slot_bytes = shape.slot_bytes;
  arguments_.stages = shape.stages;
  arguments_.piece_bytes = shape.piece_bytes;
  arguments_.pace = shape.pace;
  lay_out_words();
  if (shape.kernel == Kernel::dispatch) {
    lay_out_dispatch();
  } else {
    lay_out_combine();
  }
  if (shape.structure == Structure::staged) {
    lay_out_rings();
  }
  context.gpu.wait(context.gpu.work_stream(), context.timeout);
}

ExchangeMemory::~ExchangeMemory() {
  for (const auto& addresses : mapped_) {
    context_.peers.release(addresses);
  }
}

// A rank without memory must report it before the others wait for its handles.
void ExchangeMemory::agree_on_memory(std::uint64_t seed) {
  if (tables_.loopback) {
    take_memory(seed);
    return;
  }
  in_step(context_.ranks, [&] { take_memory(seed); });
}

void ExchangeMemory::take_memory(std::uint64_t seed) {
  const std::size_t slot = shape_.slot_bytes;
  const auto received = static_cast<std::size_t>(tables_.received);
  const auto sent = static_cast<std::size_t>(tables_.copies.total);
  const auto tokens = static_cast<std::size_t>(shape_.tokens);
  Pool& pool = context_.pool;
  switch (shape_.kernel) {
    case Kernel::dispatch:
      rows_ = pool.filled(abi::kFillWords,
                          seed + static_cast<std::uint64_t>(tables_.me),
                          tokens * shape_.row_bytes);
      inbox_ = pool.blank("exchange inbox", received * slot);
      break;
    case Kernel::copy_epilogue:
      rows_ = pool.filled(abi::kFillWords, seed, received * slot);
      reduced_ = pool.blank("exchange out", received * shape_.row_bytes);
      break;
    default:
      rows_ = pool.filled(abi::kFillBf16Integers,
                          seed + static_cast<std::uint64_t>(tables_.me),
                          std::max(sent, received) * slot);
      reduced_ = pool.blank("exchange out", tokens * slot);
      if (shape_.kernel == Kernel::combine && shape_.structure == Structure::direct) {
        inbox_ = pool.blank("exchange inbox", sent * slot);
      }
      break;
  }
  if (shape_.structure == Structure::staged) {
    rings_ = pool.blank("exchange rings",
                        as_index(tables_.ranks) * as_index(shape_.channels()) * kRingSlots * slot);
  }
  control_ = pool.own(kControlBytes);
  context_.gpu.wait(context_.gpu.work_stream(), context_.timeout);
}

std::vector<Address> ExchangeMemory::everywhere(const Memory& memory) {
  if (tables_.loopback) {
    return std::vector<Address>(as_index(tables_.ranks), memory.address());
  }
  auto addresses = context_.peers.exchange(memory);
  mapped_.push_back(addresses);
  return addresses;
}

const void* ExchangeMemory::table(const std::vector<std::uint64_t>& addresses) {
  tables_on_device_.push_back(context_.gpu.upload(addresses));
  return tables_on_device_.back()->as<const void>();
}

const std::int32_t* ExchangeMemory::numbers(const std::vector<std::int32_t>& values) {
  tables_on_device_.push_back(context_.gpu.upload(values));
  return tables_on_device_.back()->as<const std::int32_t>();
}

void ExchangeMemory::lay_out_words() {
  controls_ = everywhere(*control_);
  arguments_.finished = control_->as<std::uint32_t>(kFinished);
  arguments_.trouble = control_->as<std::uint32_t>(kTrouble);
  arguments_.arrived = control_->as<const std::uint64_t>(kArrived);
  if (shape_.is_dispatch() && shape_.structure == Structure::direct) {
    arguments_.reserved = control_->as<std::uint32_t>(kReserved);
  }
  std::vector<std::uint64_t> signal;
  for (int rank = 0; rank < tables_.ranks; ++rank) {
    const int word = tables_.loopback ? rank : tables_.me;
    signal.push_back(controls_[as_index(rank)] + kArrived + as_index(word) * sizeof(std::uint64_t));
  }
  arguments_.signal = static_cast<std::uint64_t* const*>(table(signal));
}

void ExchangeMemory::lay_out_dispatch() {
  arguments_.rows = rows_->as<const std::uint8_t>();
  arguments_.experts = numbers(tables_.routing.chosen);
  const auto bases = everywhere(*inbox_);
  std::vector<std::uint64_t> inbox;
  for (int rank = 0; rank < tables_.ranks; ++rank) {
    inbox.push_back(bases[as_index(rank)] +
                    static_cast<std::uint64_t>(tables_.land[as_index(rank)]) * shape_.slot_bytes);
  }
  arguments_.inbox = static_cast<std::uint8_t* const*>(table(inbox));
  arguments_.received = inbox_->as<std::uint8_t>();
}

void ExchangeMemory::lay_out_combine() {
  const bool fetches = shape_.kernel != Kernel::combine || shape_.structure == Structure::pipelined;
  arguments_.reduced = reduced_->as<std::uint8_t>();
  std::vector<std::uint64_t> outbox;
  std::vector<std::uint64_t> inbox;
  if (fetches) {
    // Rows of this rank, at the ranks that hold them; an epilogue's are all local.
    const bool here = shape_.kernel != Kernel::combine;
    const auto bases =
        here ? std::vector<Address>(as_index(tables_.ranks), rows_->address()) : everywhere(*rows_);
    for (int rank = 0; rank < tables_.ranks; ++rank) {
      const std::int64_t row = here ? tables_.home[as_index(rank)] : tables_.land[as_index(rank)];
      outbox.push_back(bases[as_index(rank)] + static_cast<std::uint64_t>(row) * shape_.slot_bytes);
    }
  } else {
    arguments_.counts = numbers(tables_.arriving);
    for (int rank = 0; rank < tables_.ranks; ++rank) {
      const std::int64_t row =
          shape_.structure == Structure::staged ? 0 : tables_.from[as_index(rank)];
      outbox.push_back(rows_->address() + static_cast<std::uint64_t>(row) * shape_.slot_bytes);
    }
  }
  if (inbox_ != nullptr) {
    const auto bases = everywhere(*inbox_);
    for (int rank = 0; rank < tables_.ranks; ++rank) {
      // At the source, rows are ordered by origin rank: this rank's begin after those of the ranks
      // before.
      std::int64_t row = tables_.home[as_index(rank)];
      if (!tables_.loopback) {
        row = 0;
        for (int earlier = 0; earlier < tables_.me; ++earlier) {
          row += tables_.all[as_index(rank)].counts[as_index(earlier)];
        }
      }
      inbox.push_back(bases[as_index(rank)] + static_cast<std::uint64_t>(row) * shape_.slot_bytes);
    }
    arguments_.inbox = static_cast<std::uint8_t* const*>(table(inbox));
  }
  arguments_.outbox = static_cast<std::uint8_t* const*>(table(outbox));
}

void ExchangeMemory::lay_out_rings() {
  const int channels = shape_.channels();
  const auto bases = everywhere(*rings_);
  const std::uint64_t ring = as_index(channels) * kRingSlots * shape_.slot_bytes;
  std::vector<std::uint64_t> send_ring;
  std::vector<std::uint64_t> send_tail;
  std::vector<std::uint64_t> send_head;
  std::vector<std::uint64_t> receive_ring;
  std::vector<std::uint64_t> receive_tail;
  std::vector<std::uint64_t> receive_head;
  for (int rank = 0; rank < tables_.ranks; ++rank) {
    const std::size_t mine = as_index(tables_.loopback ? rank : tables_.me);
    const std::size_t theirs = as_index(rank);
    send_ring.push_back(bases[theirs] + mine * ring);
    send_tail.push_back(controls_[theirs] + kTails + mine * kRankWords);
    receive_head.push_back(controls_[theirs] + kHeads + mine * kRankWords);
    receive_ring.push_back(rings_->address() + theirs * ring);
    receive_tail.push_back(control_->address() + kTails + theirs * kRankWords);
    send_head.push_back(control_->address() + kHeads + theirs * kRankWords);
  }
  arguments_.send_ring = static_cast<std::uint8_t* const*>(table(send_ring));
  arguments_.send_tail = static_cast<std::uint32_t* const*>(table(send_tail));
  arguments_.send_head = static_cast<const std::uint32_t* const*>(table(send_head));
  arguments_.receive_ring = static_cast<const std::uint8_t* const*>(table(receive_ring));
  arguments_.receive_tail = static_cast<const std::uint32_t* const*>(table(receive_tail));
  arguments_.receive_head = static_cast<std::uint32_t* const*>(table(receive_head));
  arguments_.ring_slots = kRingSlots;
  arguments_.ring_chunk = kRingChunk;
  arguments_.ordinals = numbers(tables_.channels.ordinals);
  const std::int32_t* mine = numbers(tables_.channels.counts);
  const std::int32_t* arriving = numbers(tables_.receive_counts);
  const std::int32_t* starts = numbers(tables_.receive_starts);
  if (shape_.is_dispatch()) {
    arguments_.channel_counts = mine;
    arguments_.receive_counts = arriving;
    arguments_.receive_starts = starts;
  } else {
    // Received rows are returned, and sent rows come back.
    arguments_.channel_counts = arriving;
    arguments_.channel_starts = starts;
    arguments_.receive_counts = mine;
  }
}

Address ExchangeMemory::received(int rank) const {
  return inbox_->address() +
         static_cast<std::uint64_t>(tables_.from[as_index(rank)]) * shape_.slot_bytes;
}

Address ExchangeMemory::stamps() const {
  return control_->address() + kStamps;
}

Address ExchangeMemory::trouble() const {
  return control_->address() + kTrouble;
}

}  // namespace epwise::cuda
