#include "ui/markup.h"

#include <doctest/doctest.h>

using epwise::report::code_block;
using epwise::report::code_span;

TEST_CASE("code of Markdown ends where its text ends") {
  CHECK(code_span("a: 1") == "`a: 1`");
  CHECK(code_span("a`b|c") == "``a`b\\|c``");
  CHECK(code_span("`a``") == "``` `a`` ```");
  CHECK(code_span("a\n| b\x1b") == "`a \\| b\uFFFD`");
}

TEST_CASE("a block of code of Markdown ends where its text ends") {
  CHECK(code_block("+a\n-b\n", "diff") == "```diff\n+a\n-b\n```\n");
  CHECK(code_block(" ```\n\x1b[A", "") == "````\n ```\n\uFFFD[A\n````\n");
  CHECK(code_block("", "diff") == "```diff\n```\n");
}
