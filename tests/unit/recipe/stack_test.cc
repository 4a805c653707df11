#include "recipe/stack.h"

#include <doctest/doctest.h>

#include "base/os/files.h"

namespace epwise::recipe {
namespace {

TEST_CASE("components hold a version, are there, or are not") {
  Stack stack;
  stack.set("te", "2.14.0", "--stack");
  stack.set("deepep", "none", "--stack");
  stack.set("hybridep", "installed", "--stack");
  stack.set("bridge", "head", "--stack");
  REQUIRE(stack.find("te") != nullptr);
  CHECK(stack.find("te")->version->text() == "2.14.0");
  CHECK(stack.find("te")->source == "--stack");
  CHECK(stack.find("deepep")->absent);
  CHECK_FALSE(stack.find("hybridep")->absent);
  CHECK_FALSE(stack.find("hybridep")->version.has_value());
  CHECK(stack.find("bridge")->version->is_head());
  CHECK(stack.find("torch") == nullptr);
}

TEST_CASE("later calls win, also over an absence") {
  Stack stack;
  stack.set("te", "none", "container");
  stack.set("te", "2.9", "--stack");
  CHECK_FALSE(stack.find("te")->absent);
  CHECK(stack.find("te")->source == "--stack");
}

TEST_CASE("libraries under the dispatcher and the kernels are components") {
  Stack stack;
  stack.set("nvshmem", "3.5.19", "--stack");
  stack.set("triton", "3.5.0", "--stack");
  CHECK(stack.find("nvshmem") != nullptr);
  CHECK(stack.find("triton") != nullptr);
}

TEST_CASE("unknown components and texts that are no versions are usage errors") {
  Stack stack;
  CHECK_THROWS_WITH_AS(
      stack.set("tee", "1.0", ""), doctest::Contains("did you mean `te`?"), os::UsageError);
  CHECK_THROWS_WITH_AS(stack.set("torch", "main", ""),
                       doctest::Contains("`main` is not a version of torch"),
                       os::UsageError);
}

}  // namespace
}  // namespace epwise::recipe
