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
  CHECK(passed("a\r##[group]t\n") == "a\r> ##[group]t\n");
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
                                 "\033[K:x\n"}) {
    CAPTURE(text);
    CHECK(passed(text) == text);
  }
}

}  // namespace
}  // namespace epwise::cli
