#include "exchange_world.h"

#include <algorithm>
#include <memory>

#include "gpu/abi/reference.h"

namespace epwise::kernel_tests {

namespace {

constexpr std::uint8_t kSentinel = 0xa5;
constexpr std::size_t kSentinels = 64;

std::size_t count_of(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

/// Row `token` of a GPU's input, or row `row` of what its rank sends back.
std::uint64_t row_seed(std::uint64_t seed, int gpu) {
  return seed * 100 + static_cast<std::uint64_t>(gpu);
}

}  // namespace

Buffer::Buffer(std::size_t bytes) : bytes_(bytes), memory_(bytes + 128 + kSentinels, 0xee) {
  void* start = memory_.data();
  std::size_t room = memory_.size();
  data_ = static_cast<std::uint8_t*>(std::align(128, bytes + kSentinels, start, room));
  std::fill_n(data_ + bytes, kSentinels, kSentinel);
}

bool Buffer::overrun() const {
  return std::any_of(data_ + bytes_, data_ + bytes_ + kSentinels, [](std::uint8_t byte) {
    return byte != kSentinel;
  });
}

ExchangeWorld::Gpu::Gpu(const ExchangeShape& shape,
                        std::uint32_t row_bytes,
                        std::uint32_t slot_bytes)
    : rows(count_of(shape.tokens) * row_bytes),
      inbox(count_of(shape.ranks) * count_of(shape.tokens) * slot_bytes),
      outbox(count_of(shape.ranks) * count_of(shape.tokens) * row_bytes),
      home(count_of(shape.ranks) * count_of(shape.tokens) * row_bytes),
      reduced(count_of(shape.tokens) * std::max(row_bytes, slot_bytes) * count_of(shape.ranks)),
      received(count_of(shape.ranks) * count_of(shape.tokens) * slot_bytes),
      rings(count_of(shape.ranks) * count_of(shape.blocks) * shape.ring_slots * slot_bytes),
      tails(count_of(shape.ranks) * count_of(shape.blocks) * 4),
      heads(count_of(shape.ranks) * count_of(shape.blocks) * 4),
      words(16),
      arrived(count_of(shape.ranks) * 8),
      signal_table(8),
      tables(8),
      trouble(4),
      reserved(count_of(shape.ranks) * 4),
      stamps(sizeof(abi::Stamps)) {
  for (Buffer* zeroed : {&tails, &heads, &words, &arrived, &trouble, &reserved}) {
    std::fill_n(zeroed->data(), zeroed->size(), std::uint8_t{0});
  }
  *stamps.as<abi::Stamps>() = {~std::uint64_t{0}, 0, 0};
}

ExchangeWorld::ExchangeWorld(emulator::Device& device, const ExchangeShape& shape)
    : device_(device),
      shape_(shape),
      row_bytes_(abi::row_bytes_of(shape.hidden, false)),
      slot_bytes_(abi::slot_bytes_of(row_bytes_, shape.topk)) {
  const int gpus = shape.loopback ? 1 : shape.ranks;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    gpus_.push_back(std::make_unique<Gpu>(shape, row_bytes_, slot_bytes_));
    Gpu& here = *gpus_.back();
    here.routing =
        abi::seeded_routing(shape.tokens, shape.topk, shape.experts, row_seed(shape.seed, gpu));
    const auto rows = abi::filled(abi::kFillWords, row_seed(shape.seed, gpu), here.rows.size() / 4);
    std::copy(rows.begin(), rows.end(), here.rows.as<std::uint32_t>());
    const auto sums =
        abi::filled(abi::kFillBf16Integers, row_seed(shape.seed, gpu) + 50, here.outbox.size() / 4);
    std::copy(sums.begin(), sums.end(), here.outbox.as<std::uint32_t>());
  }
  connect();
}

void ExchangeWorld::skew(int gpu, bool empty) {
  Gpu& here = *gpus_[count_of(gpu)];
  for (std::size_t i = 0; i < here.routing.chosen.size(); ++i) {
    here.routing.chosen[i] = empty ? -1 : static_cast<std::int32_t>(i % count_of(shape_.topk)) - 1;
  }
  connect();
}

std::uint8_t* ExchangeWorld::region(Buffer& buffer, int rank, std::size_t bytes) const {
  return buffer.data() + count_of(rank) * bytes;
}

// Tables of addresses, as every rank fills them in from what the others told it. In loopback the
// other side of rank r is region r of this GPU; else it is region "me" at GPU r.
void ExchangeWorld::connect() {
  const int channels = shape_.blocks / 2;
  const std::size_t slots = count_of(shape_.tokens) * slot_bytes_;
  const std::size_t rows = count_of(shape_.tokens) * row_bytes_;
  const std::size_t ring = count_of(shape_.blocks) * shape_.ring_slots * slot_bytes_;
  const std::size_t counter = count_of(shape_.blocks) * 4;
  for (auto& gpu : gpus_) {
    gpu->copies = abi::copies_of(gpu->routing, shape_.ranks);
    gpu->channels = abi::channel_copies_of(gpu->copies, shape_.tokens, std::max(1, channels));
  }
  for (int me = 0; me < static_cast<int>(gpus_.size()); ++me) {
    Gpu& here = *gpus_[count_of(me)];
    here.receive_counts.clear();
    here.receive_starts.clear();
    here.back.clear();
    for (auto* table : {&here.inbox_at,
                        &here.outbox_at,
                        &here.own_outbox,
                        &here.home_at,
                        &here.home_here,
                        &here.send_ring}) {
      table->clear();
    }
    here.receive_ring.clear();
    here.send_tail.clear();
    here.receive_head.clear();
    here.send_head.clear();
    here.receive_tail.clear();
    here.signal.clear();
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      Gpu& there = shape_.loopback ? here : *gpus_[count_of(rank)];
      const int mine = shape_.loopback ? rank : me;
      here.inbox_at.push_back(region(there.inbox, mine, slots));
      here.outbox_at.push_back(region(there.outbox, mine, rows));
      here.own_outbox.push_back(region(here.outbox, rank, rows));
      here.home_at.push_back(region(there.home, mine, rows));
      here.home_here.push_back(region(here.home, rank, rows));
      here.back.push_back(there.copies.counts[count_of(mine)]);
      here.send_ring.push_back(region(there.rings, mine, ring));
      here.receive_ring.push_back(region(here.rings, rank, ring));
      here.send_tail.push_back(
          reinterpret_cast<std::uint32_t*>(region(there.tails, mine, counter)));
      here.receive_tail.push_back(
          reinterpret_cast<std::uint32_t*>(region(here.tails, rank, counter)));
      here.send_head.push_back(reinterpret_cast<std::uint32_t*>(region(here.heads, rank, counter)));
      here.receive_head.push_back(
          reinterpret_cast<std::uint32_t*>(region(there.heads, mine, counter)));
      here.signal.push_back(there.arrived.as<std::uint64_t>() + mine);
      for (int channel = 0; channel < channels; ++channel) {
        const std::size_t place =
            count_of(shape_.loopback ? rank : me) * count_of(channels) + count_of(channel);
        here.receive_counts.push_back(there.channels.counts[place]);
        here.receive_starts.push_back(there.channels.starts[place]);
      }
    }
  }
}

abi::ExchangeArguments ExchangeWorld::arguments(int gpu, const std::string& kernel) {
  Gpu& here = *gpus_[count_of(gpu)];
  abi::ExchangeArguments values = {};
  const bool home =
      kernel.find("combine") != std::string::npos || kernel.find("reduce") != std::string::npos;
  values.rows = here.rows.data();
  values.experts = here.routing.chosen.data();
  values.slots = here.copies.slots.data();
  values.ordinals = here.channels.ordinals.data();
  values.counts = here.copies.counts.data();
  values.channel_counts = here.channels.counts.data();
  values.channel_starts = here.channels.starts.data();
  values.inbox = home ? here.home_at.data() : here.inbox_at.data();
  values.outbox = here.outbox_at.data();
  values.reduced = here.reduced.data();
  values.reserved =
      kernel == "epwise_dispatch_direct" ? here.reserved.as<std::uint32_t>() : nullptr;
  values.finished = here.words.as<std::uint32_t>();
  values.signal = here.signal.data();
  values.arrived = here.arrived.as<std::uint64_t>();
  values.send_ring = here.send_ring.data();
  values.send_tail = here.send_tail.data();
  values.send_head = here.send_head.data();
  values.receive_ring = here.receive_ring.data();
  values.receive_tail = here.receive_tail.data();
  values.receive_head = here.receive_head.data();
  values.receive_counts = here.receive_counts.data();
  values.receive_starts = here.receive_starts.data();
  values.received = here.received.data();
  values.received_stride = count_of(shape_.tokens) * slot_bytes_;
  values.stamps = here.stamps.as<abi::Stamps>();
  values.trouble = here.trouble.as<std::uint32_t>();
  values.timeout = shape_.timeout;
  values.pace = shape_.pace;
  values.epoch = epoch_;
  values.tokens = shape_.tokens;
  values.topk = shape_.topk;
  values.experts_per_rank = shape_.experts / shape_.ranks;
  values.ranks = shape_.ranks;
  values.row_bytes = row_bytes_;
  values.slot_bytes = home ? row_bytes_ : slot_bytes_;
  values.stages = shape_.stages;
  values.ring_slots = shape_.ring_slots;
  values.ring_chunk = shape_.ring_chunk;
  values.piece_bytes = shape_.piece_bytes;
  if (kernel == "epwise_reduce_epilogue") {
    values.outbox = here.home_here.data();
  }
  if (kernel == "epwise_combine_direct" || kernel == "epwise_combine_staged") {
    values.outbox = here.own_outbox.data();
    values.counts = here.back.data();
  }
  if (kernel == "epwise_combine_staged") {
    // I am the expert side of rank r's rows and the home of mine: what I push is what r sent me.
    values.channel_counts = here.receive_counts.data();
    values.channel_starts = here.receive_starts.data();
    values.receive_counts = here.channels.counts.data();
  }
  return values;
}

void ExchangeWorld::run(const std::string& kernel, int dead) {
  ++epoch_;
  int threads = abi::kStagedThreads;
  std::size_t shared = abi::kBarrierBytes + abi::kStagedWarps * shape_.piece_bytes;
  if (kernel.find("direct") != std::string::npos) {
    threads = 96;
    shared = abi::kBarrierBytes + 3 * slot_bytes_;
  } else if (kernel.find("pipelined") != std::string::npos) {
    threads = kernel == "epwise_dispatch_pipelined" ? abi::kPipelinedThreads
                                                    : abi::kPipelinedCombineThreads;
    shared = abi::kBarrierBytes + shape_.stages * slot_bytes_;
  } else if (kernel.find("epilogue") != std::string::npos) {
    threads = 64;
    shared = 0;
  }
  for (int gpu = 0; gpu < static_cast<int>(gpus_.size()); ++gpu) {
    if (gpu != dead) {
      device_.enqueue(gpu,
                      {.launch = launch_of(
                           kernel, shape_.blocks, threads, shared, arguments(gpu, kernel), true)});
    }
  }
  device_.run_until([this] {
    for (int gpu = 0; gpu < static_cast<int>(gpus_.size()); ++gpu) {
      if (!device_.idle(gpu)) {
        return false;
      }
    }
    return true;
  });
}

std::string ExchangeWorld::row_problem(const std::uint8_t* slot, int source, int token) const {
  const auto* words = reinterpret_cast<const std::uint32_t*>(slot);
  const std::uint64_t first = static_cast<std::uint64_t>(token) * (row_bytes_ / 4);
  for (std::uint32_t word = 0; word < row_bytes_ / 4; ++word) {
    if (words[word] !=
        abi::filled_word(abi::kFillWords, row_seed(shape_.seed, source), first + word)) {
      return "token " + std::to_string(token) + " of " + std::to_string(source) +
             " is wrong from word " + std::to_string(word);
    }
  }
  const auto* tail = reinterpret_cast<const std::int32_t*>(slot + row_bytes_);
  const auto& routing = gpus_[count_of(source)]->routing;
  for (std::int32_t choice = 0; choice < shape_.topk; ++choice) {
    if (tail[1 + choice] != routing.chosen[count_of(token * shape_.topk + choice)]) {
      return "token " + std::to_string(token) + " lost its experts";
    }
  }
  return tail[0] == token ? "" : "a slot names another token than it holds";
}

std::string ExchangeWorld::dispatch_problem(bool direct) {
  for (int source = 0; source < static_cast<int>(gpus_.size()); ++source) {
    const Gpu& from = *gpus_[count_of(source)];
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      const std::uint8_t* slots = from.inbox_at[count_of(rank)];
      std::vector<int> seen(count_of(shape_.tokens), 0);
      const int count = from.copies.counts[count_of(rank)];
      for (int slot = 0; slot < count; ++slot) {
        const std::uint8_t* at = slots + count_of(slot) * slot_bytes_;
        const auto token = *reinterpret_cast<const std::int32_t*>(at + row_bytes_);
        if (token < 0 || token >= shape_.tokens) {
          return "slot " + std::to_string(slot) + " of rank " + std::to_string(rank) + " is empty";
        }
        const std::string problem = row_problem(at, source, token);
        if (!problem.empty()) {
          return problem;
        }
        const std::int32_t wanted = from.copies.slots[count_of(token * shape_.ranks + rank)];
        if (wanted < 0 || (!direct && wanted != slot) || ++seen[count_of(token)] > 1) {
          return "token " + std::to_string(token) + " is at rank " + std::to_string(rank) +
                 " where it doesn't belong";
        }
      }
      const std::uint64_t word = *from.signal[count_of(rank)];
      if (word != abi::arrival_word(epoch_, static_cast<std::uint32_t>(count))) {
        return "rank " + std::to_string(rank) + " was told another count";
      }
    }
    if (*gpus_[count_of(source)]->words.as<std::uint32_t>() != 0) {
      return "the counter of blocks was not set back";
    }
  }
  return "";
}

std::string ExchangeWorld::staged_problem() {
  for (int me = 0; me < static_cast<int>(gpus_.size()); ++me) {
    Gpu& here = *gpus_[count_of(me)];
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      const int source = shape_.loopback ? me : rank;
      const int region_of = shape_.loopback ? rank : me;
      const Gpu& from = *gpus_[count_of(source)];
      for (int token = 0; token < shape_.tokens; ++token) {
        const std::int32_t slot = from.copies.slots[count_of(token * shape_.ranks + region_of)];
        if (slot >= 0) {
          const std::uint8_t* at =
              here.received.data() +
              (count_of(rank) * count_of(shape_.tokens) + count_of(slot)) * slot_bytes_;
          const std::string problem = row_problem(at, source, token);
          if (!problem.empty()) {
            return "at rank " + std::to_string(me) + ": " + problem;
          }
        }
      }
    }
  }
  return "";
}

std::string ExchangeWorld::combine_problem(const std::string& kernel) {
  const auto width = static_cast<std::size_t>(shape_.hidden);
  for (int me = 0; me < static_cast<int>(gpus_.size()); ++me) {
    Gpu& here = *gpus_[count_of(me)];
    for (int token = 0; token < shape_.tokens; ++token) {
      std::vector<std::vector<abi::Bf16>> rows;
      for (int rank = 0; rank < shape_.ranks; ++rank) {
        const std::int32_t slot = here.copies.slots[count_of(token * shape_.ranks + rank)];
        if (slot >= 0) {
          const auto* row = reinterpret_cast<const abi::Bf16*>(here.outbox_at[count_of(rank)] +
                                                               count_of(slot) * row_bytes_);
          rows.emplace_back(row, row + width);
        }
      }
      std::vector<abi::Bf16> wanted(width, 0);
      if (!rows.empty()) {
        wanted = abi::unpermuted_row(rows, {});
      }
      const auto* found = here.reduced.as<abi::Bf16>() + count_of(token) * width;
      if (!std::equal(wanted.begin(), wanted.end(), found)) {
        return kernel + ": token " + std::to_string(token) + " of rank " + std::to_string(me) +
               " has another sum";
      }
    }
  }
  return "";
}

std::string ExchangeWorld::overrun_problem() const {
  for (const auto& gpu : gpus_) {
    for (const Buffer* buffer : {&gpu->rows,
                                 &gpu->inbox,
                                 &gpu->outbox,
                                 &gpu->home,
                                 &gpu->reduced,
                                 &gpu->received,
                                 &gpu->rings,
                                 &gpu->tails,
                                 &gpu->heads,
                                 &gpu->words,
                                 &gpu->arrived,
                                 &gpu->trouble,
                                 &gpu->reserved}) {
      if (buffer->overrun()) {
        return "something was written behind a buffer";
      }
    }
  }
  return "";
}

}  // namespace epwise::kernel_tests
