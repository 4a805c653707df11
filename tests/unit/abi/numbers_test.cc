#include "gpu/abi/numbers.h"

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::abi {

TEST_CASE("bf16 rounds to nearest even and keeps infinities and NaN") {
  CHECK(from_bf16(to_bf16(1.0F)) == 1.0F);
  CHECK(from_bf16(to_bf16(1.00390625F)) == 1.0F);       // halfway, down to even
  CHECK(from_bf16(to_bf16(1.01171875F)) == 1.015625F);  // halfway, up to even
  CHECK(from_bf16(to_bf16(-3.1415926F)) == -3.140625F);
  CHECK(std::isinf(from_bf16(to_bf16(std::numeric_limits<float>::infinity()))));
  CHECK(std::isinf(from_bf16(to_bf16(3.4e38F))));
  CHECK(std::isnan(from_bf16(to_bf16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST_CASE("every e4m3 value comes back, and every number between two goes to the nearer") {
  std::vector<float> values;
  for (int code = 0; code < 0x7f; ++code) {
    const float value = from_e4m3(static_cast<E4m3>(code));
    CHECK(to_e4m3(value) == code);
    CHECK((to_e4m3(-value) ^ 0x80) == code);
    values.push_back(value);
  }
  CHECK(values[1] == 0.001953125F);
  CHECK(values.back() == 448.0F);
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const float gap = values[i + 1] - values[i];
    CHECK(to_e4m3(values[i] + gap * 0.49F) == i);
    CHECK(to_e4m3(values[i] + gap * 0.51F) == i + 1);
    const std::size_t even = i % 2 == 0 ? i : i + 1;
    CHECK(to_e4m3(values[i] + gap * 0.5F) == even);  // halfway
  }
  CHECK(to_e4m3(1e9F) == 0x7e);
  CHECK(to_e4m3(-1e9F) == 0xfe);
  CHECK(std::isnan(from_e4m3(to_e4m3(std::numeric_limits<float>::quiet_NaN()))));
}

TEST_CASE("inputs are spread, bounded and the same each time") {
  double sum = 0;
  double squares = 0;
  std::set<float> integers;
  constexpr int kCount = 20000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const float value = uniform(3, i);
    CHECK((value >= -1 && value < 1));
    sum += value;
    squares += static_cast<double>(value) * value;
    integers.insert(small_integer(3, i));
  }
  // Five standard errors.
  CHECK(std::abs(sum / kCount) < 5 * std::sqrt(1.0 / 3 / kCount));
  CHECK(std::abs(squares / kCount - 1.0 / 3) < 5 * std::sqrt(4.0 / 45 / kCount));
  CHECK(integers.size() == 17);
  CHECK(*integers.begin() == -8);
  CHECK(mixed(1, 2) == mixed(1, 2));
  CHECK(mixed(1, 2) != mixed(2, 1));
}

TEST_CASE("words of a fill hold its elements in order") {
  CHECK(filled_word(kFillBf16, 5, 7) == two_bf16(uniform(5, 14), uniform(5, 15)));
  const std::uint32_t word = filled_word(kFillE4m3, 5, 7);
  CHECK(static_cast<E4m3>(word & 0xffU) == to_e4m3(uniform(5, 28)));
  CHECK(static_cast<E4m3>(word >> 24U) == to_e4m3(uniform(5, 31)));
  CHECK(filled_word(kFillFloat, 5, 7) == bits_of(uniform(5, 7)));
}

}  // namespace epwise::abi
