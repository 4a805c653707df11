#pragma once

#include <cstdint>
#include <vector>

#include "kernel/routing.h"

/// Who sends how much to whom and where it lands, for one rank of an exchange. In loopback there is
/// one GPU: its tokens go to `ranks` regions of its own memory.
namespace epwise::cuda {

struct ExchangeTables {
  int ranks = 0;
  int me = 0;  // 0 in loopback
  bool loopback = true;
  kernel::Routing routing;             // of my tokens
  kernel::Copies copies;               // of my tokens
  kernel::ChannelCopies channels;      // of my tokens
  std::vector<kernel::Copies> all;     // of every rank; in loopback only mine
  std::vector<std::int64_t> land;      // [ranks]: row at rank r where mine begin
  std::vector<std::int64_t> from;      // [ranks]: row here where those of rank r begin
  std::vector<std::int64_t> home;      // [ranks]: row here where what comes back from r begins
  std::vector<std::int32_t> arriving;  // [ranks]: rows that rank r sends me
  std::int64_t received = 0;           // of `arriving`
  std::vector<std::int32_t> receive_counts;  // [ranks, channels]
  std::vector<std::int32_t> receive_starts;  // [ranks, channels], `from` added
};

/// Every rank's tokens are routed from a seed of its own, `seed` + its number.
ExchangeTables exchange_tables(std::int32_t tokens,
                               std::int32_t topk,
                               std::int32_t experts,
                               int ranks,
                               int me,
                               bool loopback,
                               int channels,
                               std::uint64_t seed);

}  // namespace epwise::cuda
