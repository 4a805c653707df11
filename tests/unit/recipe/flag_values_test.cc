#include "recipe/arguments/flag_values.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::recipe {
namespace {

std::string shown_value(const Converted& converted) {
  switch (converted.outcome) {
    case Converted::Outcome::fine:
      return converted.value.to_text();
    case Converted::Outcome::value:
      return "value";
    case Converted::Outcome::choice:
      return "choice";
    case Converted::Outcome::crash:
      break;
  }
  return "crash";
}

std::string converted(std::string_view type,
                      std::string_view word,
                      std::vector<std::string_view> choices = {}) {
  Flag flag;
  flag.type = type;
  flag.choices = std::move(choices);
  return shown_value(convert_flag_value(flag, word));
}

TEST_CASE("integers and floats are read as Python's constructors read them") {
  CHECK(converted("int", "8") == "8");
  CHECK(converted("int", " +8 ") == "8");
  CHECK(converted("int", "1_000") == "1000");
  CHECK(converted("int", "010") == "10");
  for (const auto* wrong : {"8.0", "1e6", "0x10", "", "_1", "1__0", "- 1", "twelve"}) {
    CHECK_MESSAGE(converted("int", wrong) == "value", wrong);
  }
  CHECK(python_float("1e-5") == 1e-5);
  CHECK(converted("float", ".01") == "0.01");
  CHECK(converted("float", "5.") == converted("float", "5"));
  CHECK(converted("float", "-Infinity") == converted("float", "-inf"));
  for (const auto* wrong : {"1e", "e5", ".", "0x1p3", "1.2.3", "abc", "1_", "--1", "infinit"}) {
    CHECK_MESSAGE(converted("float", wrong) == "value", wrong);
  }
  CHECK(python_float("1e999") > 1e300);
  CHECK(python_float("1e-999") == 0.0);
}

TEST_CASE("bool() takes any text but the empty one for true") {
  CHECK(converted("bool", "False") == "true");
  CHECK(converted("bool", "") == "false");
}

TEST_CASE("frequencies are integers or lists") {
  CHECK(converted("moe_freq", "2") == "2");
  CHECK(converted("la_freq", "([0]*1+[1]*3)") == "[0, 1, 1, 1]");
  CHECK(converted("moe_freq", "0,1,1") == "value");
  CHECK(converted("no_rope_freq", "[0]*") == "crash");
}

TEST_CASE("tuples lose their parentheses") {
  CHECK(converted("tuple", "(128,0)") == "[128, 0]");
  CHECK(converted("tuple", "128") == "[128]");
  CHECK(converted("tuple", "1,,2") == "value");
  CHECK(converted("tuple", "") == "value");
}

TEST_CASE("choices are compared after conversion; an enumeration raises KeyError") {
  CHECK(converted("str", "flex", {"allgather", "alltoall", "flex"}) == "flex");
  CHECK(converted("str", "Flex", {"allgather", "alltoall", "flex"}) == "choice");
  CHECK(converted("int", "04", {"2", "4"}) == "4");
  CHECK(converted("enum", "flash", {"flash", "auto"}) == "flash");
  CHECK(converted("enum", "bogus", {"flash", "auto"}) == "crash");
  CHECK(converted("cuda_graph_modules", "attn,moe", {"attn", "moe"}) == "crash");
}

}  // namespace
}  // namespace epwise::recipe
