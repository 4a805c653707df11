// The selection of experts for each token, and the destinations of its rows. The router takes
// logits: the GEMM with the router's weights is measured separately. The scan is the work of a
// dispatcher before it can send: from the routing map to counts, offsets and positions. Bytes per
// launch: router tokens·experts·5, scan tokens·experts·(2 + 4). No grouped or capacity-limited
// routing, no bias, no auxiliary loss.

#include "machine.cuh"

using namespace epwise::abi;  // NOLINT(google-build-using-namespace): kernels are global names

namespace {

constexpr int kLogitsOfLane = kMostExperts / 32;
constexpr float kTaken = -3.0e38F;  // below any logit

struct Candidate {
  float logit;
  int expert;
};

EPWISE_DEVICE bool better(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.expert < b.expert);
}

EPWISE_DEVICE Candidate best_of_warp(Candidate candidate) {
  for (int mask = 16; mask > 0; mask /= 2) {
    const Candidate other = {machine::shuffle_xor(candidate.logit, mask),
                             machine::shuffle_xor(candidate.expert, mask)};
    if (better(other, candidate)) {
      candidate = other;
    }
  }
  return candidate;
}

EPWISE_DEVICE float sum_of_warp(float value) {
  for (int mask = 16; mask > 0; mask /= 2) {
    value += machine::shuffle_xor(value, mask);
  }
  return value;
}

}  // namespace

// One warp per token; lane l holds the logits of experts l, l + 32, …
EPWISE_KERNEL(epwise_router, RouterArguments, kRouterThreads) {
  const int lane = machine::thread_index() % 32;
  const int warps = machine::threads() / 32;
  const int first = machine::block_index() * warps + machine::thread_index() / 32;
  for (int token = first; token < arguments.tokens; token += machine::blocks() * warps) {
    const std::int64_t row = static_cast<std::int64_t>(token) * arguments.experts;
    float logits[kLogitsOfLane];
#pragma unroll
    for (int i = 0; i < kLogitsOfLane; ++i) {
      const int expert = 32 * i + lane;
      logits[i] = expert < arguments.experts ? arguments.logits[row + expert] : kTaken;
    }
    float mine = 0;  // of the choice number `lane`
    int mine_expert = -1;
    float top = 0;
    for (int choice = 0; choice < arguments.topk; ++choice) {
      Candidate candidate = {kTaken, kMostExperts};
#pragma unroll
      for (int i = 0; i < kLogitsOfLane; ++i) {
        const Candidate here = {logits[i], 32 * i + lane};
        if (here.expert < arguments.experts && here.logit > kTaken && better(here, candidate)) {
          candidate = here;
        }
      }
      candidate = best_of_warp(candidate);
      if (choice == 0) {
        top = candidate.logit;
      }
      if (choice == lane) {
        mine = candidate.logit;
        mine_expert = candidate.expert;
      }
#pragma unroll
      for (int i = 0; i < kLogitsOfLane; ++i) {
        if (32 * i + lane == candidate.expert) {
          logits[i] = kTaken;
        }
      }
    }
    const bool chosen = lane < arguments.topk;
    float score = 0;
    if (chosen) {
      score = arguments.sigmoid != 0 ? 1.0F / (1.0F + machine::exponential(-mine))
                                     : machine::exponential(mine - top);
    }
    const float total = sum_of_warp(score);
    std::uint8_t* map = arguments.routing_map + row;
    for (int expert = lane; expert < arguments.experts; expert += 32) {
      map[expert] = 0;
    }
    machine::sync_warp();
    if (chosen) {
      const std::int64_t place = static_cast<std::int64_t>(token) * arguments.topk + lane;
      arguments.chosen[place] = mine_expert;
      arguments.probabilities[place] = score / total;
      map[mine_expert] = 1;
    }
  }
}

// Counts of each block's share of the tokens; the last block to finish converts them into the row
// where each share begins.
EPWISE_KERNEL(epwise_scan_counts, ScanArguments, kScanThreads) {
  const int block = machine::block_index();
  const int begin = channel_begin(arguments.tokens, machine::blocks(), block);
  const int end = channel_begin(arguments.tokens, machine::blocks(), block + 1);
  for (int expert = machine::thread_index(); expert < arguments.experts;
       expert += machine::threads()) {
    int count = 0;
    for (int token = begin; token < end; ++token) {
      count += arguments.routing_map[static_cast<std::int64_t>(token) * arguments.experts + expert];
    }
    arguments.partial[static_cast<std::int64_t>(block) * arguments.experts + expert] = count;
  }
  machine::fence_device();
  machine::sync_block();
  auto* last = reinterpret_cast<std::uint32_t*>(machine::shared_memory());
  if (machine::thread_index() == 0) {
    *last = machine::add_atomically(arguments.finished, 1U) + 1U ==
                    static_cast<std::uint32_t>(machine::blocks())
                ? 1U
                : 0U;
    machine::fence_device();
  }
  machine::sync_block();
  if (*last == 0U) {
    return;
  }
  for (int expert = machine::thread_index(); expert < arguments.experts;
       expert += machine::threads()) {
    int before = 0;
    for (int other = 0; other < machine::blocks(); ++other) {
      std::int32_t* place =
          arguments.partial + static_cast<std::int64_t>(other) * arguments.experts + expert;
      const int count = *static_cast<volatile std::int32_t*>(place);
      *place = before;
      before += count;
    }
    arguments.offsets[expert + 1] = before;
  }
  machine::sync_block();
  if (machine::thread_index() == 0) {
    int rows = 0;
    arguments.offsets[0] = 0;
    for (int expert = 0; expert < arguments.experts; ++expert) {
      rows += arguments.offsets[expert + 1];
      arguments.offsets[expert + 1] = rows;
    }
    *arguments.finished = 0;
  }
}

EPWISE_KERNEL(epwise_scan_places, ScanArguments, kScanThreads) {
  const int block = machine::block_index();
  const int begin = channel_begin(arguments.tokens, machine::blocks(), block);
  const int end = channel_begin(arguments.tokens, machine::blocks(), block + 1);
  for (int expert = machine::thread_index(); expert < arguments.experts;
       expert += machine::threads()) {
    int row = arguments.offsets[expert] +
              arguments.partial[static_cast<std::int64_t>(block) * arguments.experts + expert];
    for (int token = begin; token < end; ++token) {
      const std::int64_t place = static_cast<std::int64_t>(token) * arguments.experts + expert;
      const bool goes = arguments.routing_map[place] != 0;
      arguments.places[place] = goes ? row : -1;
      row += goes ? 1 : 0;
    }
  }
}
