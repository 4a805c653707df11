#include "perf/cost/compiled_table.h"

#include <doctest/doctest.h>

#include "perf/cost/gemm.h"

namespace epwise::cost {

TEST_CASE("the build's table answers a question with its source") {
  const Table table = compiled_table();
  const Chip* chip = table.find_chip("h100");
  REQUIRE(chip != nullptr);
  Gemm shape;
  shape.m = 4096;
  shape.n = 4096;
  shape.k = 4096;
  const Cost cost = gemm(table, *chip, shape);
  CHECK(cost.seconds == doctest::Approx(177e-6).epsilon(0.05));
  CHECK(cost.status == Status::fitted);
  REQUIRE(cost.basis != nullptr);
  CHECK(cost.basis->name == "gemm h100 bf16 torch");
  CHECK(cost.basis->source.size() > 8);
  CHECK(table.find_chip("h1000") == nullptr);
}

}  // namespace epwise::cost
