#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "commands/explain/troubles.h"

namespace epwise::audit {
namespace {

TEST_CASE("words are compared without case and blanks") {
  CHECK(plain_wording("  One\n two\t THREE ") == "one two three");
}

TEST_CASE("fragments are found, with gaps too") {
  struct Row {
    const char* fragment;
    std::size_t length;
  };

  const auto plain = plain_wording("layers (12) must be a multiple of ranks (8)");
  for (const auto& row : std::vector<Row>{
           {"Must be  a", 9},
           {"layers ( ... multiple of", 19},
           {"multiple ... layers", 0},
           {"layers ... stages", 0},
           {"stages", 0},
       }) {
    CAPTURE(row.fragment);
    CHECK(wording_in(plain, row.fragment) == row.length);
  }
}

}  // namespace
}  // namespace epwise::audit
