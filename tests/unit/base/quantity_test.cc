#include "base/units/quantity.h"

#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::units {

TEST_CASE("quantities are read in base units") {
  struct Case {
    std::string text;
    double value;
    Dimension dimension;
  };

  const std::vector<Case> cases = {
      {"3.35 TB/s", 3.35e12, Dimension::bytes_per_second},
      {"80 GiB", 80.0 * 1073741824.0, Dimension::bytes},
      {"80GB", 80e9, Dimension::bytes},
      {"12 us", 12e-6, Dimension::seconds},
      {"12 \u00B5s", 12e-6, Dimension::seconds},
      {"12 \u03BCs", 12e-6, Dimension::seconds},
      {"989 TFLOP/s", 989e12, Dimension::flops_per_second},
      {"989 TFLOPS", 989e12, Dimension::flops_per_second},
      {"6 TFLOPs", 6e12, Dimension::flops},
      {"400 Gbit/s", 50e9, Dimension::bytes_per_second},
      {"400 Gb/s", 50e9, Dimension::bytes_per_second},
      {"1.755 GHz", 1.755e9, Dimension::hertz},
      {" 8 ", 8, Dimension::none},
      {"-2.5 ms", -2.5e-3, Dimension::seconds},
      {"1e3 B", 1000, Dimension::bytes},
      {"1EFLOP", 1e18, Dimension::flops},
  };
  for (const Case& one : cases) {
    CAPTURE(one.text);
    const auto quantity = parse_quantity(one.text);
    REQUIRE(quantity.has_value());
    CHECK(quantity->value == doctest::Approx(one.value).epsilon(1e-14));  // one rounded product
    CHECK(quantity->dimension == one.dimension);
  }
}

TEST_CASE("what is no quantity is refused") {
  for (const std::string text : {"",
                                 "GiB",
                                 "80 gib",
                                 "80 GiB/h",
                                 "3,35 TB/s",
                                 "nan",
                                 "inf s",
                                 "1e999 s",
                                 "1e301 GB",
                                 "80 G",
                                 "12 u s",
                                 "mB",
                                 "5 mB",
                                 "2 Ts",
                                 "0x10 B"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_quantity(text).has_value());
  }
}

TEST_CASE("units have a factor and a dimension") {
  CHECK(parse_unit("GiB") == Quantity{1073741824, Dimension::bytes});
  CHECK(parse_unit("GB/s") == Quantity{1e9, Dimension::bytes_per_second});
  CHECK(parse_unit("us") == Quantity{1e-6, Dimension::seconds});
  CHECK(parse_unit("TFLOP/s") == Quantity{1e12, Dimension::flops_per_second});
  CHECK(parse_unit("Gbit/s") == Quantity{1.25e8, Dimension::bytes_per_second});
  CHECK_FALSE(parse_unit("").has_value());
  CHECK_FALSE(parse_unit("furlong").has_value());
}

TEST_CASE("quantities print with three significant digits") {
  struct Case {
    double value;
    Dimension dimension;
    std::string text;
  };

  const double gib = 1073741824;
  const std::vector<Case> cases = {
      {80 * gib, Dimension::bytes, "80 GiB"},
      {79.6489 * gib, Dimension::bytes, "79.6 GiB"},
      {1023.9 * 1024, Dimension::bytes, "1 MiB"},
      {512, Dimension::bytes, "512 B"},
      {0, Dimension::bytes, "0 B"},
      {3.35e12, Dimension::bytes_per_second, "3.35 TB/s"},
      {450e9, Dimension::bytes_per_second, "450 GB/s"},
      {999.6e9, Dimension::bytes_per_second, "1 TB/s"},
      {12e-6, Dimension::seconds, "12 us"},
      {1.5e-10, Dimension::seconds, "0.15 ns"},
      {0.9996e-3, Dimension::seconds, "1 ms"},
      {0, Dimension::seconds, "0 s"},
      {1234.5, Dimension::seconds, "1230 s"},
      {-12e-6, Dimension::seconds, "-12 us"},
      {989.4e12, Dimension::flops_per_second, "989 TFLOP/s"},
      {2.2e21, Dimension::flops, "2200 EFLOP"},
      {1.98e9, Dimension::hertz, "1.98 GHz"},
      {8192, Dimension::none, "8192"},
      {0.123456, Dimension::none, "0.123"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.text);
    CHECK(to_text({one.value, one.dimension}) == one.text);
  }
  CHECK(to_text({std::numeric_limits<double>::infinity(), Dimension::bytes}) == "inf");
}

TEST_CASE("dimensions have names") {
  CHECK(to_string(Dimension::bytes) == "bytes");
  CHECK(to_string(Dimension::bytes_per_second) == "bytes/s");
  CHECK(to_string(Dimension::flops_per_second) == "FLOP/s");
  CHECK(to_string(Dimension::seconds) == "seconds");
}

}  // namespace epwise::units
