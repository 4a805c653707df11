#include <numeric>

#include <doctest/doctest.h>

#include "gpu/cuda/exchange_memory.h"
#include "gpu/cuda/gemm_job.h"

namespace epwise::cuda {

TEST_CASE(
    "what each rank says it sends is what the others say they get, and pieces don't overlap") {
  constexpr int kRanks = 4;
  constexpr int kChannels = 3;
  std::vector<ExchangeTables> ranks;
  for (int me = 0; me < kRanks; ++me) {
    ranks.push_back(exchange_tables(50, 3, 16, kRanks, me, false, kChannels, 9));
  }
  for (std::size_t me = 0; me < kRanks; ++me) {
    std::int64_t total = 0;
    for (std::size_t other = 0; other < kRanks; ++other) {
      CHECK(ranks[me].arriving[other] == ranks[other].copies.counts[me]);
      CHECK(ranks[me].from[other] == ranks[other].land[me]);
      CHECK(ranks[me].from[other] == total);
      total += ranks[me].arriving[other];
      for (std::size_t channel = 0; channel < kChannels; ++channel) {
        CHECK(ranks[me].receive_counts[other * kChannels + channel] ==
              ranks[other].channels.counts[me * kChannels + channel]);
        CHECK(ranks[me].receive_starts[other * kChannels + channel] ==
              ranks[me].from[other] + ranks[other].channels.starts[me * kChannels + channel]);
      }
    }
    CHECK(ranks[me].received == total);
  }
}

TEST_CASE("in loopback a rank's rows land where they are looked for") {
  const ExchangeTables tables = exchange_tables(50, 3, 16, 4, 0, true, 2, 9);
  CHECK(tables.land == tables.from);
  CHECK(tables.land == tables.home);
  CHECK(tables.arriving == tables.copies.counts);
  CHECK(tables.received == tables.copies.total);
}

TEST_CASE("products of the stages as cuBLAS sees them") {
  calibrate::Work work;
  work.shape.m = 10;
  work.shape.n = 20;
  work.shape.k = 30;
  const ProductShape forward = product_shape(work);  // y [m, n] by rows is [n, m] by columns
  CHECK(
      (forward.rows == 20 && forward.columns == 10 && forward.inner == 30 && forward.a_transposed));
  CHECK(forward.a_at(2, 5) == 2 * 30 + 5);  // weights [n, k] by rows
  CHECK(forward.b_at(5, 3) == 3 * 30 + 5);  // x [m, k] by rows
  work.stage = calibrate::Stage::data_gradient;
  const ProductShape data = product_shape(work);
  CHECK((data.rows == 30 && data.columns == 10 && data.inner == 20 && !data.a_transposed));
  CHECK(data.a_at(2, 5) == 5 * 30 + 2);  // weights [n, k] by rows, element [5, 2]
  work.stage = calibrate::Stage::weight_gradient;
  const ProductShape weights = product_shape(work);
  CHECK(
      (weights.rows == 30 && weights.columns == 20 && weights.inner == 10 && weights.accumulates));
  CHECK(weights.out == kFloat32);
  CHECK(weights.b_at(4, 7) == 4 * 20 + 7);  // dy [m, n] by rows
  work.format = cost::Format::fp8;
  const ProductShape narrow = product_shape(work);
  CHECK((narrow.a_transposed && !narrow.b_transposed));
}

}  // namespace epwise::cuda
