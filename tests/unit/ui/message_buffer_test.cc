#include "ui/message_buffer.h"

#include <ostream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

namespace epwise::cli {
namespace {

std::string passed(const std::string& text) {
  std::stringbuf below;
  {
    MessageBuffer messages(&below);
    std::ostream out(&messages);
    out << text;
  }
  return below.str();
}

TEST_CASE("a line that a CI system would execute gets a mark") {
  CHECK(passed("::stop-commands::t\n") == "> ::stop-commands::t\n");
  CHECK(passed("unknown `x\n::error::t` (see help)\n") == "unknown `x\n> ::error::t` (see help)\n");
  CHECK(passed("a\n  ::warning::t\n") == "a\n  > ::warning::t\n");
  CHECK(passed("a\r\n##[group]t\n") == "a\uFFFD\n> ##[group]t\n");
  CHECK(passed("\r\x1b[K::x\n") == "\r\x1b[K> ::x\n");
}

TEST_CASE("no text moves the cursor, reverses the line or is not UTF-8") {
  CHECK(passed("a\x1b[31mb\x07\n") == "a\uFFFD[31mb\uFFFD\n");
  CHECK(passed("a\rb") == "a\uFFFDb");
  CHECK(passed("a\u202Eb\u2066\u200B") == "a\uFFFDb\uFFFD\uFFFD");
  CHECK(passed("a\xFF\xFE.yaml") == "a\uFFFD\uFFFD.yaml");
  CHECK(passed("cut \xE2\x80") == "cut \uFFFD\uFFFD");
  CHECK(passed("\xE2\x80::x") == "\uFFFD\uFFFD::x");
  CHECK(passed("\r\x1b[Kb\r\x1b[") == "\r\x1b[Kb\uFFFD\uFFFD[");
}

TEST_CASE("a locale without Unicode gets a question mark") {
  std::stringbuf below;
  {
    MessageBuffer messages(&below, false);
    std::ostream out(&messages);
    out << "a\x1b\u202Eb";
  }
  CHECK(below.str() == "a??b");
}

TEST_CASE("other text passes unchanged") {
  for (const std::string text : {"",
                                 "\n",
                                 ":",
                                 ": :\n",
                                 "#",
                                 "##\n",
                                 "## [x]\n",
                                 "a ::b\n",
                                 "std::string\n",
                                 "tab\tand × größer 層 \U0001F600\n"}) {
    CAPTURE(text);
    CHECK(passed(text) == text);
  }
}

}  // namespace
}  // namespace epwise::cli
