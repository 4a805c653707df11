#include "model/exchange_bytes.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "model/expert_load.h"

namespace {

using epwise::model::Balance;
using epwise::model::dispatch_bytes;
using epwise::model::Dispatcher;
using epwise::model::distinct_groups;
using epwise::model::distinct_groups_limited;
using epwise::model::Workload;

/// The mean number of groups that random choices hit.
double drawn(int things, int groups, int choices, int limits, int kept, std::mt19937& random) {
  constexpr int kRounds = 20000;
  std::vector<int> order(static_cast<std::size_t>(limits));
  std::iota(order.begin(), order.end(), 0);
  std::int64_t hit = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    std::vector<int> open;
    for (int i = 0; i < kept; ++i) {
      const int size = things / limits;
      for (int j = 0; j < size; ++j) {
        open.push_back(order[static_cast<std::size_t>(i)] * size + j);
      }
    }
    std::vector<int> chosen;
    std::sample(open.begin(), open.end(), std::back_inserter(chosen), choices, random);
    std::set<int> distinct;
    for (const int thing : chosen) {
      distinct.insert(thing / (things / groups));
    }
    hit += static_cast<std::int64_t>(distinct.size());
  }
  return static_cast<double>(hit) / kRounds;
}

Workload workload(Dispatcher dispatcher, int ranks, int domain) {
  Workload result;
  result.architecture.hidden = 2048;
  result.architecture.sequence = 4096;
  result.architecture.experts = {.count = 128, .topk = 8, .ffn = 768};
  result.parallel.expert = ranks;
  result.machine.nvlink_domain = domain;
  result.exchange.dispatcher = dispatcher;
  result.routing.balance = Balance::forced;
  return result;
}

}  // namespace

TEST_CASE("distinct groups, as published layouts have them") {
  CHECK(distinct_groups(128, 16, 8) == doctest::Approx(6.5965).epsilon(1e-5));
  CHECK(distinct_groups(128, 2, 8) == doctest::Approx(1.994).epsilon(0.001));
  CHECK(distinct_groups(256, 64, 8) == doctest::Approx(7.68).epsilon(0.01));
  CHECK(distinct_groups(128, 1, 8) == 1);
  CHECK(distinct_groups(128, 128, 8) == doctest::Approx(8));
  CHECK(distinct_groups(8, 8, 8) == doctest::Approx(8));
  CHECK(distinct_groups(8, 4, 1) == doctest::Approx(1));
}

TEST_CASE("distinct groups agree with random draws") {
  std::mt19937 random(7);

  struct Case {
    int things, groups, choices, limits, kept;
  };

  for (const Case& c : std::vector<Case>{{128, 16, 8, 1, 1},
                                         {256, 8, 8, 1, 1},
                                         {64, 32, 6, 1, 1},
                                         {256, 8, 8, 8, 4},
                                         {256, 4, 8, 8, 4},
                                         {256, 32, 8, 8, 4},
                                         {160, 20, 6, 5, 3}}) {
    CAPTURE(c.groups);
    CAPTURE(c.limits);
    CHECK(distinct_groups_limited(c.things, c.groups, c.choices, c.limits, c.kept) ==
          doctest::Approx(drawn(c.things, c.groups, c.choices, c.limits, c.kept, random))
              .epsilon(0.01));
  }
}

TEST_CASE("Qwen3-30B on 16 ranks in two nodes") {
  const double token = 4096.0 * 2048 * 2;
  const auto all = dispatch_bytes(workload(Dispatcher::alltoall, 16, 8));
  CHECK(all.nic == doctest::Approx(token * 8 / 2));
  CHECK(all.nvlink == doctest::Approx(token * 8 / 2 * 7 / 8));
  const auto flex = dispatch_bytes(workload(Dispatcher::hybridep, 16, 8));
  CHECK(flex.nic == doctest::Approx(token * distinct_groups(128, 2, 8) / 2));
  CHECK(flex.nvlink == doctest::Approx(token * distinct_groups(128, 16, 8) * 7 / 8));
  CHECK(all.nic / flex.nic == doctest::Approx(4.01).epsilon(0.01));
  const auto gathered = dispatch_bytes(workload(Dispatcher::allgather, 16, 8));
  CHECK(gathered.nic == doctest::Approx(token));
  CHECK(gathered.nvlink == doctest::Approx(token * 15));
}

TEST_CASE("a de-duplicating dispatcher never sends more, and as much where nothing repeats") {
  for (const int ranks : {2, 4, 8, 16, 32, 64, 128}) {
    const auto all = dispatch_bytes(workload(Dispatcher::alltoall, ranks, 8));
    const auto flex = dispatch_bytes(workload(Dispatcher::deepep, ranks, 8));
    CHECK(flex.nic <= all.nic * (1 + 1e-12));
  }
  auto one = workload(Dispatcher::deepep, 8, 8);
  one.architecture.experts.topk = 1;
  auto same = one;
  same.exchange.dispatcher = Dispatcher::alltoall;
  CHECK(dispatch_bytes(one).nvlink == doctest::Approx(dispatch_bytes(same).nvlink));
  CHECK(dispatch_bytes(workload(Dispatcher::deepep, 1, 8)).total() == 0);
  CHECK(dispatch_bytes(workload(Dispatcher::alltoall, 1, 8)).total() == 0);
}

TEST_CASE("twice the tokens are twice the bytes, and twice the rows") {
  for (const auto dispatcher :
       {Dispatcher::alltoall, Dispatcher::allgather, Dispatcher::hybridep}) {
    auto small = workload(dispatcher, 32, 8);
    auto large = small;
    large.batch.micro = 2;
    CHECK(dispatch_bytes(large).nic == doctest::Approx(2 * dispatch_bytes(small).nic));
    CHECK(dispatch_bytes(large).nvlink == doctest::Approx(2 * dispatch_bytes(small).nvlink));
    CHECK(epwise::model::expert_load(large).rows ==
          doctest::Approx(2 * epwise::model::expert_load(small).rows));
  }
}

TEST_CASE("rows that are sent are rows that are computed on") {
  const auto load = epwise::model::expert_load(workload(Dispatcher::alltoall, 16, 8));
  CHECK(load.local_experts == 8);
  CHECK(load.rows == 32768);
  CHECK(load.rows_per_expert == 4096);
  CHECK(load.rows_per_expert * load.local_experts == load.rows);
}

TEST_CASE("ranks that slice experts each take all of their tokens") {
  auto sliced = workload(Dispatcher::alltoall, 8, 8);
  sliced.parallel.expert_tensor = 2;
  const double token = 4096.0 * 2048 * 2;
  const auto all = dispatch_bytes(sliced);
  CHECK(all.nic == doctest::Approx(token * 8 / 2));  // 16 ranks in two domains of 8
  CHECK(all.nvlink == doctest::Approx(token * 8 / 2 * 3 / 4 + token * 8));
  sliced.exchange.dispatcher = Dispatcher::allgather;
  CHECK(dispatch_bytes(sliced).nvlink == doctest::Approx(token * 15));
  CHECK(dispatch_bytes(sliced).nic == doctest::Approx(token));
  sliced.exchange.dispatcher = Dispatcher::deepep;
  CHECK(dispatch_bytes(sliced).nvlink ==
        doctest::Approx(token * 2 * distinct_groups(128, 8, 8) * 7 / 8));
  const auto load = epwise::model::expert_load(sliced);
  CHECK(load.rows == 2 * 32768);
  CHECK(load.rows_per_expert * load.local_experts == load.rows);
  sliced.parallel.expert = 1;
  sliced.exchange.dispatcher = Dispatcher::alltoall;
  CHECK(dispatch_bytes(sliced).nvlink == doctest::Approx(token * 8));
  sliced.exchange.dispatcher = Dispatcher::allgather;
  CHECK(dispatch_bytes(sliced).nvlink == doctest::Approx(token));
}

TEST_CASE("random choices leave the fullest rank slightly fuller") {
  CHECK(epwise::model::random_hot_rank(64, 4096, 8) == doctest::Approx(1.0158).epsilon(0.001));
  CHECK(epwise::model::random_hot_rank(1, 4096, 8) == 1);
}
