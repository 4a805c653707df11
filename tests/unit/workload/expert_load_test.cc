#include <doctest/doctest.h>

#include "perf/workload/memory.h"

namespace epwise::workload {
namespace {

/// 128 experts, 8 for a token.
Workload workload_on(int ranks) {
  Workload result;
  result.architecture.hidden = 2048;
  result.architecture.sequence = 4096;
  result.architecture.experts = {.count = 128, .topk = 8, .ffn = 768};
  result.parallel.expert = ranks;
  result.routing.balance = Balance::forced;
  return result;
}

TEST_CASE("twice the tokens are twice the rows") {
  const Workload small = workload_on(32);
  Workload large = small;
  large.batch.micro = 2;
  CHECK(expert_load(large).rows == doctest::Approx(2 * expert_load(small).rows));
}

TEST_CASE("rows that are sent are rows that are computed on") {
  const ExpertLoad load = expert_load(workload_on(16));
  CHECK(load.local_experts == 8);
  CHECK(load.rows == 32768);
  CHECK(load.rows_per_expert == 4096);
  CHECK(load.rows_per_expert * load.local_experts == load.rows);
}

TEST_CASE("a capacity bounds what the most loaded rank gets") {
  Workload capped = workload_on(16);
  capped.routing.balance = Balance::dropped;
  capped.routing.capacity = 1.1;
  CHECK(capped.routing.limited(1.24) == 1.1);
  CHECK(expert_load(capped).rows == 32768);
  capped.routing.capacity = 8;  // nothing is dropped
  CHECK(capped.routing.limited(1.24) == 1.24);
  CHECK(expert_load(capped).rows == 32768);
  capped.routing.padded = true;
  CHECK(capped.routing.limited(1.24) == 1);
  CHECK(expert_load(capped).rows == 8 * 32768);
}

TEST_CASE("ranks that slice experts each take all of their tokens") {
  Workload sliced = workload_on(8);
  sliced.parallel.expert_tensor = 2;
  const ExpertLoad load = expert_load(sliced);
  CHECK(load.rows == 2 * 32768);
  CHECK(load.rows_per_expert * load.local_experts == load.rows);
}

}  // namespace
}  // namespace epwise::workload
