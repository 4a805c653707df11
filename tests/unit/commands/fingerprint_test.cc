#include <algorithm>

#include <doctest/doctest.h>

#include "commands/rules/drift.h"

namespace epwise::audit {
namespace {

TEST_CASE("lines lose needless blanks; comments and blank lines are left out") {
  const auto lines = source_lines("if a:\n    x = 1   # c\n\n    # only\n\traise  E('no')\r\n");
  REQUIRE(lines.size() == 3);
  CHECK(lines[1].text == "x = 1 # c");
  CHECK(lines[2].number == 5);
  CHECK(lines[2].text == "raise E('no')");
  CHECK(source_lines("").empty());
}

TEST_CASE("sums are those of rules/fragments.py") {
  const auto lines = source_lines("alpha   beta\n\n gamma\n");
  CHECK(fingerprint(lines, 0, 2) == 0x142678747de0adc0ULL);
  const auto marks = message_marks("X must be a overlap_grad_reduce!");
  CHECK(std::ranges::binary_search(marks, "176c5646"));
  CHECK(std::ranges::binary_search(marks, "16ae91e8"));
  CHECK(message_marks("").empty());
}

}  // namespace
}  // namespace epwise::audit
