#pragma once

#include <cstdint>
#include <vector>

/// Token routing: the inputs of exchanges and permutations, generated from a seed on the host, so
/// that every rank knows the routing of all others.
namespace epwise::abi {

/// The experts of each token of one rank, uniform with distinct experts per token.
struct Routing {
  std::int32_t tokens = 0;
  std::int32_t topk = 0;
  std::int32_t experts = 0;
  std::vector<std::int32_t> chosen;  // [tokens, topk]; -1: none
};

/// Balanced on average. The same seed gives the same routing everywhere. topk at most experts.
Routing seeded_routing(std::int32_t tokens,
                       std::int32_t topk,
                       std::int32_t experts,
                       std::uint64_t seed);

/// A routing as seen from the ranks that hold the experts in equal blocks: one copy of a token per
/// rank. Slots at a rank ascend with the token.
struct Copies {
  std::int32_t ranks = 0;
  std::vector<std::int32_t> slots;   // [tokens, ranks]; -1: not sent there
  std::vector<std::int32_t> counts;  // [ranks]
  std::int64_t total = 0;            // of counts
};

/// Experts divisible by ranks. topk 2, experts 4, ranks 2, chosen {0, 1}: one copy, to rank 0.
Copies copies_of(const Routing& routing, std::int32_t ranks);

/// Copies, counted by channel (a channel is a contiguous share of the tokens).
struct ChannelCopies {
  std::int32_t channels = 0;
  std::vector<std::int32_t> ordinals;  // [tokens, ranks]: index within the channel; -1
  std::vector<std::int32_t> counts;    // [ranks, channels]
  std::vector<std::int32_t> starts;    // [ranks, channels]: slot of the first
};

ChannelCopies channel_copies_of(const Copies& copies, std::int32_t tokens, std::int32_t channels);

/// Destinations of token copies when rows are sorted by expert: row [token, choice], ordered by
/// token within an expert; -1 stays -1.
std::vector<std::int32_t> rows_by_expert(const Routing& routing);

}  // namespace epwise::abi
