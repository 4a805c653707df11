#include "gpu/abi/routing.h"

#include <set>

#include <doctest/doctest.h>

#include "gpu/abi/exchange.h"

namespace epwise::abi {

TEST_CASE("a routing is balanced, and its tokens have distinct experts") {
  const Routing routing = seeded_routing(4096, 8, 64, 1);
  std::vector<int> load(64, 0);
  for (std::int32_t token = 0; token < 4096; ++token) {
    std::set<std::int32_t> distinct;
    for (std::int32_t choice = 0; choice < 8; ++choice) {
      const std::int32_t expert = routing.chosen[static_cast<std::size_t>(token * 8 + choice)];
      REQUIRE((expert >= 0 && expert < 64));
      distinct.insert(expert);
      ++load[static_cast<std::size_t>(expert)];
    }
    REQUIRE(distinct.size() == 8);
  }
  for (const int count : load) {
    CHECK(count == doctest::Approx(512).epsilon(0.2));  // five standard deviations of 21
  }
  CHECK(seeded_routing(4096, 8, 64, 1).chosen == routing.chosen);
  CHECK(seeded_routing(4096, 8, 64, 2).chosen != routing.chosen);
}

TEST_CASE("copies: one a rank, as many distinct ranks as the formula expects") {
  const Routing routing = seeded_routing(4096, 8, 256, 3);
  // u = R (1 - C(E - E/R, K) / C(E, K)): 5.29 of 8 ranks for 256 experts and 8 choices.
  CHECK(static_cast<double>(copies_of(routing, 8).total) / 4096 ==
        doctest::Approx(5.29).epsilon(0.01));
  CHECK(static_cast<double>(copies_of(routing, 64).total) / 4096 ==
        doctest::Approx(7.68).epsilon(0.01));
}

TEST_CASE("copies and channels of a routing worked out by hand") {
  const Routing routing = {.tokens = 3, .topk = 2, .experts = 4, .chosen = {0, 1, 3, 0, -1, 2}};
  const Copies copies = copies_of(routing, 2);
  CHECK(copies.slots == std::vector<std::int32_t>{0, -1, 1, 0, -1, 1});
  CHECK(copies.counts == std::vector<std::int32_t>{2, 2});
  CHECK(copies.total == 4);
  const ChannelCopies channels = channel_copies_of(copies, 3, 2);  // token 0; tokens 1 and 2
  CHECK(channels.counts == std::vector<std::int32_t>{1, 1, 0, 2});
  CHECK(channels.starts == std::vector<std::int32_t>{0, 1, 0, 0});
  CHECK(channels.ordinals == std::vector<std::int32_t>{0, -1, 0, 0, -1, 1});
  CHECK(rows_by_expert(routing) == std::vector<std::int32_t>{0, 2, 4, 1, -1, 3});
}

TEST_CASE("sizes of rows and slots") {
  CHECK(row_bytes_of(7168, false) == 14336);
  CHECK(row_bytes_of(7168, true) == 7392);
  CHECK(slot_bytes_of(14336, 8) == 14384);
  CHECK(tail_bytes(3) == 16);
  CHECK(tail_bytes(4) == 32);
  CHECK(channel_begin(10, 4, 0) == 0);
  CHECK(channel_begin(10, 4, 3) == 7);
  CHECK(channel_begin(10, 4, 4) == 10);
}

TEST_CASE("an arrival speaks of its exchange and of all before, also when numbers wrap around") {
  CHECK(has_arrived(arrival_word(5, 100), 5));
  CHECK(has_arrived(arrival_word(6, 100), 5));
  CHECK(!has_arrived(arrival_word(4, 100), 5));
  CHECK(!has_arrived(0, 1));
  CHECK(has_arrived(arrival_word(1, 0), 0xffffffffU));
}

}  // namespace epwise::abi
