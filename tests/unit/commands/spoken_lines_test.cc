#include <string>

#include <doctest/doctest.h>

#include "commands/explain/troubles.h"

namespace epwise::audit {
namespace {

TEST_CASE("a line is known by its words where no error has the form of one") {
  const auto knowledge = lint::load_knowledge();
  const auto crashes = spoken_lines(
      "all is well\n[rank3]: it said: both moe and moe_router, of all things\n\n", knowledge);
  REQUIRE(crashes.size() == 1);
  CHECK(crashes[0].line == 2);
  CHECK(crashes[0].message == "it said: both moe and moe_router, of all things");
  CHECK(crashes[0].kind == Crash::Kind::mentioned);
  CHECK(spoken_lines("", knowledge).empty());
  CHECK(spoken_lines("iteration 1: moe\niteration 2: moe_router", knowledge).empty());
}

}  // namespace
}  // namespace epwise::audit
