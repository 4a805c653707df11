#include "base/units/checked.h"

#include <limits>

#include <doctest/doctest.h>

using epwise::units::difference;
using epwise::units::product;

TEST_CASE("What leaves 64 bits is no number") {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  CHECK(product(6, 7) == 42);
  CHECK(product(kMost, 1) == kMost);
  CHECK(product(kLeast, 1) == kLeast);
  CHECK_FALSE(product(2305843009213693953, 8));
  CHECK_FALSE(product(kLeast, -1));
  CHECK(difference(1, kMost) == kLeast + 2);
  CHECK_FALSE(difference(kLeast, 1));
  CHECK_FALSE(difference(1, kLeast));
}
