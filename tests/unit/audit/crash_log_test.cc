#include "audit/crash_log.h"

#include <doctest/doctest.h>

namespace epwise::audit {
namespace {

TEST_CASE("a traceback gives its frames, the exception and the whole message") {
  const auto crashes = read_crashes(
      "starting\n"
      "[rank3]: Traceback (most recent call last):\n"
      "[rank3]:   File \"/opt/x/megatron/training/arguments.py\", line 843, in validate_args\n"
      "[rank3]:     assert a, \\\n"
      "[rank3]: AssertionError: first half\n"
      "second half\n"
      "\n"
      "done\n");
  REQUIRE(crashes.size() == 1);
  CHECK(crashes[0].frames.size() == 1);
  CHECK(crashes[0].frames[0].path == "/opt/x/megatron/training/arguments.py");
  CHECK(crashes[0].frames[0].line == 843);
  CHECK(crashes[0].frames[0].function == "validate_args");
  CHECK(crashes[0].exception == "AssertionError");
  CHECK(crashes[0].message == "first half second half");
  CHECK(crashes[0].line == 5);
}

TEST_CASE("ranks that tell the same count once, chained errors each") {
  const char* one =
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 1, in f\n"
      "KeyError: 'x'\n"
      "\n"
      "During handling of the above exception, another exception occurred:\n"
      "\n"
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 3, in g\n"
      "a.b.ConfigError: no\n";
  const auto crashes = read_crashes(std::string(one) + one);
  REQUIRE(crashes.size() == 2);
  CHECK(crashes[0].exception == "KeyError");
  CHECK(crashes[1].exception == "ConfigError");
}

TEST_CASE("argparse complains without a traceback") {
  const auto crashes = read_crashes(
      "usage: x [-h]\npretrain_gpt.py: error: argument --num-layers: invalid int value: 'a'\n");
  REQUIRE(crashes.size() == 1);
  CHECK(crashes[0].frames.empty());
  CHECK(crashes[0].message == "argument --num-layers: invalid int value: 'a'");
}

TEST_CASE("a log that is none gives nothing, whatever is in it") {
  CHECK(read_crashes("").empty());
  CHECK(read_crashes("Error: disk\nValueError: outside of a traceback\n").empty());
  CHECK(read_crashes("Traceback (most recent call last):\n  File \"a\", line x, in y\n").empty());
  CHECK(read_crashes(std::string("File \"\0\xff\", line 99999999999999, in", 36)).empty());
}

}  // namespace
}  // namespace epwise::audit
