#include "gpu/abi/routing.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "gpu/abi/exchange.h"
#include "gpu/abi/numbers.h"

namespace epwise::abi {

namespace {

std::size_t place(std::int32_t row, std::int32_t columns, std::int32_t column) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
         static_cast<std::size_t>(column);
}

}  // namespace

Routing seeded_routing(std::int32_t tokens,
                       std::int32_t topk,
                       std::int32_t experts,
                       std::uint64_t seed) {
  assert(topk <= experts && "a token has distinct experts");
  Routing routing = {.tokens = tokens, .topk = topk, .experts = experts, .chosen = {}};
  routing.chosen.reserve(static_cast<std::size_t>(tokens) * static_cast<std::size_t>(topk));
  std::uint64_t draw = 0;
  std::vector<std::int32_t> taken;  // of one token, ascending
  for (std::int32_t token = 0; token < tokens; ++token) {
    taken.clear();
    for (std::int32_t choice = 0; choice < topk; ++choice) {
      // The `left`-th of the experts that are still free: skips the chosen ones in order.
      const auto left = static_cast<std::uint64_t>(experts - choice);
      auto expert = static_cast<std::int32_t>(mixed(seed, draw++) % left);
      auto place = taken.begin();
      for (; place != taken.end() && expert >= *place; ++place) {
        ++expert;
      }
      taken.insert(place, expert);
      routing.chosen.push_back(expert);
    }
  }
  return routing;
}

Copies copies_of(const Routing& routing, std::int32_t ranks) {
  assert(routing.experts % ranks == 0 && "experts lie in equal blocks");
  const std::int32_t experts_per_rank = routing.experts / ranks;
  Copies copies = {.ranks = ranks, .slots = {}, .counts = {}, .total = 0};
  copies.slots.assign(static_cast<std::size_t>(routing.tokens) * static_cast<std::size_t>(ranks),
                      -1);
  copies.counts.assign(static_cast<std::size_t>(ranks), 0);
  for (std::int32_t token = 0; token < routing.tokens; ++token) {
    for (std::int32_t choice = 0; choice < routing.topk; ++choice) {
      const std::int32_t expert = routing.chosen[place(token, routing.topk, choice)];
      if (expert < 0) {
        continue;
      }
      const std::int32_t rank = expert / experts_per_rank;
      std::int32_t& slot = copies.slots[place(token, ranks, rank)];
      if (slot < 0) {
        slot = copies.counts[static_cast<std::size_t>(rank)]++;
        ++copies.total;
      }
    }
  }
  return copies;
}

ChannelCopies channel_copies_of(const Copies& copies, std::int32_t tokens, std::int32_t channels) {
  ChannelCopies by_channel = {.channels = channels, .ordinals = {}, .counts = {}, .starts = {}};
  by_channel.ordinals.assign(copies.slots.size(), -1);
  const std::size_t places =
      static_cast<std::size_t>(copies.ranks) * static_cast<std::size_t>(channels);
  by_channel.counts.assign(places, 0);
  by_channel.starts.assign(places, 0);
  for (std::int32_t rank = 0; rank < copies.ranks; ++rank) {
    std::int32_t before = 0;
    for (std::int32_t channel = 0; channel < channels; ++channel) {
      by_channel.starts[place(rank, channels, channel)] = before;
      std::int32_t count = 0;
      const std::int32_t end = channel_begin(tokens, channels, channel + 1);
      for (std::int32_t token = channel_begin(tokens, channels, channel); token < end; ++token) {
        if (copies.slots[place(token, copies.ranks, rank)] >= 0) {
          by_channel.ordinals[place(token, copies.ranks, rank)] = count++;
        }
      }
      by_channel.counts[place(rank, channels, channel)] = count;
      before += count;
    }
  }
  return by_channel;
}

std::vector<std::int32_t> rows_by_expert(const Routing& routing) {
  std::vector<std::int32_t> next(static_cast<std::size_t>(routing.experts) + 1, 0);
  for (const std::int32_t expert : routing.chosen) {
    if (expert >= 0) {
      ++next[static_cast<std::size_t>(expert) + 1];
    }
  }
  for (std::size_t expert = 1; expert < next.size(); ++expert) {
    next[expert] += next[expert - 1];
  }
  std::vector<std::int32_t> rows;
  rows.reserve(routing.chosen.size());
  for (const std::int32_t expert : routing.chosen) {
    rows.push_back(expert < 0 ? -1 : next[static_cast<std::size_t>(expert)]++);
  }
  return rows;
}

}  // namespace epwise::abi
