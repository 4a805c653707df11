#include "recipe/framework.h"

#include <doctest/doctest.h>

namespace epwise::recipe {

TEST_CASE("frameworks have a short and a long name") {
  CHECK(to_string(Framework::bridge) == "bridge");
  CHECK(to_string(Framework::mlm) == "mlm");
  CHECK(title(Framework::bridge) == "Megatron-Bridge");
  CHECK(title(Framework::mlm) == "Megatron-LM");
  CHECK(parse_framework("mlm") == Framework::mlm);
  CHECK(parse_framework("bridge") == Framework::bridge);
  CHECK_FALSE(parse_framework("Megatron-LM"));
  CHECK_FALSE(parse_framework(""));
}

}  // namespace epwise::recipe
