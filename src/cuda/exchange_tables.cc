#include "cuda/exchange_tables.h"

#include <algorithm>
#include <cstddef>

namespace epwise::cuda {

namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

/// Where each of some pieces begins, laid one behind the other.
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
        kernel::seeded_routing(tokens, topk, experts, seed + static_cast<std::uint64_t>(rank));
    tables.all.push_back(kernel::copies_of(routing, ranks));
    if (rank == me) {
      tables.routing = std::move(routing);
    }
  }
  tables.copies = tables.all[at(me)];
  tables.channels = kernel::channel_copies_of(tables.copies, tokens, channels);
  tables.home = begins(tables.copies.counts);
  for (int rank = 0; rank < ranks; ++rank) {
    // Rows lie at a rank by sender; in loopback by the rank that they stand for.
    std::int64_t before = 0;
    for (int earlier = 0; !loopback && earlier < me; ++earlier) {
      before += tables.all[at(earlier)].counts[at(rank)];
    }
    tables.land.push_back(loopback ? tables.home[at(rank)] : before);
    tables.arriving.push_back(loopback ? tables.copies.counts[at(rank)]
                                       : tables.all[at(rank)].counts[at(me)]);
    tables.received += tables.arriving.back();
  }
  tables.from = begins(tables.arriving);
  for (int rank = 0; rank < ranks; ++rank) {
    const kernel::ChannelCopies theirs =
        loopback ? tables.channels
                 : kernel::channel_copies_of(tables.all[at(rank)], tokens, channels);
    const int region = loopback ? rank : me;
    for (int channel = 0; channel < channels; ++channel) {
      const std::size_t place = at(region) * at(channels) + at(channel);
      tables.receive_counts.push_back(theirs.counts[place]);
      tables.receive_starts.push_back(theirs.starts[place] +
                                      static_cast<std::int32_t>(tables.from[at(rank)]));
    }
  }
  return tables;
}

}  // namespace epwise::cuda
